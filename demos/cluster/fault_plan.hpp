#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger.hpp"

namespace cluster {

/// What is done to an owner, or to a process that offers workers.
struct Fault {
  enum class Kind { kill, freeze };

  Kind kind = Kind::kill;
  backoff_actor::Duration pause{}; ///< since all was well again after the fault before
  backoff_actor::Duration lasts{}; ///< until the worker is started again, or thawed
  /// Which of the processes that offer workers, from 0; none: the owner.
  std::optional<std::size_t> hand{};
};

/// The faults of a seed.
class FaultPlan {
public:
  FaultPlan(std::uint64_t seed, backoff_actor::Duration lease) : draws_(seed, 0), lease_(lease) {}

  /// The n-th fault, from 0 on. The first two are one of each kind. If there are processes that
  /// offer workers, half of the faults are theirs.
  ///
  /// @param hands how many there are
  Fault operator()(std::uint64_t n, std::size_t hands) const;

private:
  backoff_actor::Draws draws_;
  backoff_actor::Duration lease_;
};

/// A fault, and what came of it.
struct FaultRecord {
  Fault::Kind kind = Fault::Kind::kill;
  std::size_t worker = 0;
  Micros at = 0;
  Micros until = 0;              ///< when the worker was started again, or thawed
  std::optional<Micros> owned{}; ///< when another worker owned the outbox
};

/// The median of the times that it took another worker to own the outbox; none: no such fault.
std::optional<Micros> median_takeover(const std::vector<FaultRecord>& faults, Fault::Kind kind);

} // namespace cluster
