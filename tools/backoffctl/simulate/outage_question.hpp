#pragma once

#include "backoffctl/common/picture.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/lab/simulation/outage_options.hpp"

#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What was given to `simulate outage`, and not yet looked at.
struct OutageFlags {
  std::vector<std::string> policies{};
  std::vector<std::string> guards{};
  std::vector<std::string> clients_are{};
  std::vector<std::string> chargings{};
  std::optional<std::string> max_attempts{};
  std::optional<std::string> processes{};
  std::optional<std::string> stop_for{};
  std::optional<std::string> backlog{};
  std::optional<std::string> abandoned_work{};
  std::optional<std::string> max_concurrency{};
  std::optional<std::string> limit{};
  std::optional<std::string> factor{};
  std::optional<std::string> scale{};
  std::optional<std::string> base_delay{};
  std::optional<std::string> clients{};
  std::optional<std::string> lambda{};
  std::optional<std::string> timeout{};
  std::optional<std::string> warm_up{};
  std::optional<std::string> watch{};
  std::optional<std::string> seed{};
  std::optional<std::string> plot{};
  bool log = false;
  bool seconds = false;
  bool json = false;
};

/// What is asked of `simulate outage`.
struct OutageQuestion {
  /// One at least, which differ in policy, guard, client and charging alone.
  std::vector<backoff_actor::OutageOptions> runs{};
  std::optional<PlotRequest> plot{};
};

/// Reads the question that the flags ask; notes problems that name the flags if they ask none.
OutageQuestion read_question(const OutageFlags& flags, backoff_actor::Problems& problems);

} // namespace backoffctl
