#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/lab/simulation/internal/outage_options.hpp"
#include "backoff_actor/lab/simulation/internal/outage_summary.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace backoff_actor {

/// The result and the course of an outage.
struct OutageResult {
  OutageSummary summary;             ///< of the whole experiment
  std::vector<OutageSecond> seconds; ///< from the beginning of the warm-up to the end
  OutageTimes times;                 ///< within these seconds
  std::uint64_t events = 0;          ///< the number of simulated events
};

/// Called after each second of virtual time with the number of seconds that have passed. `of` is
/// how many there will be in all.
using OutageProgress = std::function<void(std::uint64_t seconds, std::uint64_t of)>;

/// The outage of seed 002 in virtual time. Clients call a service, think, and call again. The
/// service is stopped, continued and watched. (Only its process is stopped, as by SIGSTOP, while
/// TCP goes on.) The times of the calls are drawn from the seed alone.
///
/// A call begins with a connection. If the backlog has room, it is established. Otherwise the
/// client's TCP tries again 1, 3, 7 ... s after the first time, as Linux does, until the client's
/// timeout. The messages themselves take no time.
///
/// @shape  `(options, progress) -> OutageResult`; the same options give the same result.
///         Measured once, optimised, on a shared AMD EPYC, for 100 s of a million clients (limit
///         30000, scale 15000, backlog 1048576, full jitter). Without a circuit breaker it took 7 s
///         and 154 bytes a client, with one 7 s and 138 bytes. With senders as clients, it took
///         61 s and 1.7 KB a client without a breaker, and 37 s and 1.6 KB with one.
/// @units  internally whole microseconds: delays are rounded up
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
BACKOFF_ACTOR_EXPORT OutageResult simulate_outage(const OutageOptions& options,
                                                  const OutageProgress& progress = {});

} // namespace backoff_actor
