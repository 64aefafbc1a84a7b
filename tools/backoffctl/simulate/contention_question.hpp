#pragma once

#include "backoffctl/common/picture.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/lab/simulation/contention.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What was given to `simulate contention`, and not yet looked at.
struct ContentionFlags {
  std::vector<std::string> clients{};
  std::optional<std::string> trials{};
  std::vector<std::string> policies{};
  std::optional<std::string> seed{};
  std::optional<std::string> plot{};
  bool log = false;
};

/// One way to wait that is compared with others.
struct Contender {
  std::string name; // what the JSON calls it
  backoff_actor::Policy policy;
  backoff_actor::Duration cut_off;

  /// The policy, and where it is cut off.
  std::string description() const;
};

/// What is asked of `simulate contention`.
struct ContentionQuestion {
  std::vector<std::uint32_t> clients{100}; // one number at least
  std::uint64_t trials = 100;
  std::vector<Contender> contenders{}; // those published, then those given
  std::uint64_t seed = 0;
  std::optional<PlotRequest> plot{};

  /// Returns the short name of each contender: its own, or a number if its own is as long as the
  /// policy.
  std::vector<std::string> labels() const;
};

/// Reads the question that the flags ask; notes problems that name the flags if they ask none.
ContentionQuestion read_question(const ContentionFlags& flags, backoff_actor::Problems& problems);

} // namespace backoffctl
