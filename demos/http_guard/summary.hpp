#pragma once

#include "clients.hpp"
#include "life.hpp"
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
  /// Of the duplicates, the ids that were executed both before this life of the run and in it.
  std::uint64_t in_both_lives = 0;
};

/// Compares what the clients take for accepted, and what the service asked for, with what it noted.
///
/// @param before what it had noted when this life of the run began
Verdict verdict_on(const Options& options, const Jobs& jobs, const Ledger& before,
                   const Ledger& ledger);

/// Prints how the run went.
void print_summary(const Options& options, const Counts& counts, const Timeline& timeline);

/// Prints what the durable outbox had to do with it.
void print_durable_summary(const Life& life, const Counts& counts,
                           const std::optional<Verdict>& verdict);

/// Renders the run in one line for people.
std::string headline(const Counts& counts, const std::optional<Verdict>& verdict);

/// Renders the last line. Without a verdict, where the service is not ours, its numbers are `?`.
std::string last_line(const Counts& counts, const std::optional<Verdict>& verdict);

} // namespace http_guard
