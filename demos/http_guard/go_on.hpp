#pragma once

#include "options.hpp"
#include "service_process.hpp"

#include "backoff_actor/sinks/observatory.hpp"

namespace http_guard {

/// Goes on after the run until somebody stops it, so that there is something to watch: some twenty
/// requests a second, to a service that fails and that is down for four seconds out of fifteen. The
/// numbers of the run stay on the pages.
///
/// @param service our own; null: that of `options.url`, which is left alone
void go_on(const Options& options, ServiceProcess* service,
           const backoff_actor::Observatory& observatory);

} // namespace http_guard
