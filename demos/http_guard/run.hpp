#pragma once

#include "clients.hpp"
#include "life.hpp"
#include "options.hpp"
#include "run_record.hpp"
#include "service_process.hpp"

#include "backoff_actor/sinks/observatory.hpp"

#include <optional>
#include <string>

namespace http_guard {

/// What ended a run before every client had its answers, if anything did.
struct EarlyEnd {
  std::optional<int> signal;
  std::string error; ///< empty: none
};

/// Sends all jobs through one BackOffSender to the service and waits for the end. What a durable
/// outbox owes from before goes first. On the way, the service, if it is our own, is killed and
/// started again; and the first of two lives kills itself.
///
/// @param service our own; null: that of `options.url`
/// @param observatory sees the run; unset: nobody looks
EarlyEnd run(const Options& options, const Life& life, ServiceProcess* service,
             const std::optional<backoff_actor::Observatory>& observatory, RunRecord& record,
             Jobs& jobs);

} // namespace http_guard
