#include "backoff_actor/caf/main/exit_report.hpp"

#include "backoff_actor/caf/actor/internal/sender_registry.hpp"
#include "backoff_actor/caf/main/internal/still_owing.hpp"

#include <utility>

namespace backoff_actor {

Problems check(const ExitReportOptions& options) {
  Problems problems{"ExitReportOptions"};
  if (options.patience < Duration::zero())
    problems.add("patience", to_string(options.patience), "0 and above");
  return problems;
}

ExitReport::ExitReport(caf::actor_system& system, ExitReportOptions options)
  : system_(system), options_(std::move(options)) {
  check(options_).raise_if_any();
  senders_ = detail::SenderRegistry::of(system_);
}

ExitReport::~ExitReport() {
  if (detail::report_exit(system_, *senders_, options_))
    detail::tell(options_.on_line,
                 "  Stop ends a sender. A GracefulShutdown in main stops all of them: "
                 "at SIGTERM, at Ctrl-C, or when the program asks for it.");
}

} // namespace backoff_actor
