#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/lab/simulation/outage_options.hpp"
#include "backoff_actor/lab/simulation/outage_summary.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace backoff_actor {

/// What an outage came to, and how it went.
struct OutageResult {
  OutageSummary summary;             ///< of the whole
  std::vector<OutageSecond> seconds; ///< from the beginning of the warm-up to the end
  OutageTimes times;                 ///< within these seconds
  std::uint64_t events = 0;          ///< how many things happened
};

/// Told after each second of virtual time how many of how many have passed.
using OutageProgress = std::function<void(std::uint64_t seconds, std::uint64_t of)>;

/// The outage of seed 002 in virtual time: clients call a service, think, and call again; it is
/// stopped (the process, as by SIGSTOP: TCP goes on), continued, and watched. Who calls when is drawn
/// from the seed and nothing else.
///
/// A call begins with a connection. There is one if the backlog has room; else the client's TCP asks
/// again 1, 3, 7 ... s after the first time, as Linux does, until the client's timeout. The messages
/// themselves take no time.
///
/// @shape  `(options, progress) -> OutageResult`; the same options give the same result.
///         Measured once, optimised, on a shared AMD EPYC, for 100 s of a million clients (limit 30000,
///         scale 15000, backlog 1048576, full jitter) without and with a circuit breaker: 7 s and 7 s,
///         154 and 138 bytes a client; as senders 61 s and 37 s, 1.7 and 1.6 KB a client.
/// @units  inside whole microseconds: a delay is rounded up
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
BACKOFF_ACTOR_EXPORT OutageResult simulate_outage(const OutageOptions& options,
                                                  const OutageProgress& progress = {});

} // namespace backoff_actor
