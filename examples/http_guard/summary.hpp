#pragma once

#include "clients.hpp"
#include "options.hpp"
#include "run_record.hpp"
#include "service_process.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace http_guard {

/// What became of the requests, by the service's own account.
struct Verdict {
  std::uint64_t lost = 0;       ///< accepted, not dead-lettered, and never executed
  std::uint64_t duplicates = 0; ///< executions beyond the first of each id
  std::uint64_t too_early = 0;  ///< calls before the time that a 429 had named
};

/// Compares what the clients take for accepted, and what the service asked for, with what it noted.
Verdict verdict_on(const Jobs& jobs, const Ledger& ledger);

/// Prints how the run went.
void print_summary(const Options& options, const Counts& counts, const Timeline& timeline);

/// Renders the run in one line for people.
std::string headline(const Counts& counts, const std::optional<Verdict>& verdict);

/// Renders the last line. Without a verdict, where the service is not ours, its numbers are `?`.
std::string last_line(const Counts& counts, const std::optional<Verdict>& verdict);

} // namespace http_guard
