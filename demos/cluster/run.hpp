#pragma once

#include "backoff_actor/process/stop_signals.hpp"
#include "calendar.hpp"
#include "cluster.hpp"
#include "fault_plan.hpp"
#include "options.hpp"
#include "shop.hpp"

#include <vector>

namespace cluster {

/// What happened in a run.
struct Run {
  Micros begin = 0;
  Micros end = 0;          ///< when all workers had ended
  std::size_t workers = 2; ///< how many there were; the first two may own the outbox
  std::vector<FaultRecord> faults;
  std::vector<Transaction> transactions; ///< of the shop
  bool is_early = false;                 ///< a signal ended it
  bool is_drained = false; ///< all that was confirmed was done before the patience was over
};

/// Starts two workers, breaks the owner by plan, lets them finish, and ends them in order. Prints
/// what happens.
///
/// @param shop hands jobs over meanwhile; null: nobody does
/// @param calendar of the outbox; null: none
/// @errors throws `std::runtime_error` if no worker owns the outbox within ten seconds.
Run run(const Options& options, Cluster& cluster, Shop* shop, Calendar* calendar,
        backoff_actor::StopSignals& signals);

} // namespace cluster
