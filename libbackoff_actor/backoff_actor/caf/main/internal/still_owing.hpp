#pragma once

#include "backoff_actor/caf/main/exit_report.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/internal/owing_senders.hpp"

#include <functional>
#include <string>
#include <vector>

namespace backoff_actor::detail {

// Waits until no registered sender owes anything, but no longer than `patience`, and returns those
// that still do. Those that have not answered after a second more are among them.
BACKOFF_ACTOR_EXPORT std::vector<OwingSender>
still_owing(caf::actor_system& system, SenderRegistry& registry, Duration patience);

// Waits so, and tells of those senders. Returns whether there are any.
bool report_exit(caf::actor_system& system, SenderRegistry& registry,
                 const ExitReportOptions& options) noexcept;

// Tells a line; to the error stream, if the function is empty.
void tell(const std::function<void(const std::string& line)>& on_line,
          const std::string& line) noexcept;

} // namespace backoff_actor::detail
