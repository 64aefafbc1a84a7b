#pragma once

#include "run_record.hpp"

#include "backoff_actor/caf/outbox/durable_outbox.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace http_guard {

struct Options;

/// One process of a run. A run that kills itself has two of them, which share a folder and the file
/// of the durable outbox.
struct Life {
  enum class Role { only, first, second };

  std::filesystem::path folder; ///< outlives it
  Role role = Role::only;
  /// Names the jobs of a durable run, so that no two runs with one file mean different jobs by one
  /// name: the highest number in the file when the run began.
  std::optional<std::uint64_t> run{};
  backoff_actor::DurableOutbox outbox{}; ///< made of nothing: what is owed is kept in memory

  /// What the ids of jobs begin with.
  std::string job_prefix() const { return run ? std::to_string(*run) + '-' : std::string{}; }
};

/// After how many acknowledgements the first life kills itself.
std::uint64_t dies_after(const Options& options);

/// Ends this process as a crash would, in the middle of what it does, once it has noted what it has
/// counted.
[[noreturn]] void die(const Life& life, const Counts& counts);

/// Returns what the first life had counted when it died; nothing if there was none.
Counts counts_before(const Life& life);

/// Runs a life in a process of its own, a child that ends with this process. Passes on the signals
/// that come meanwhile. Starts the second life when the first has killed itself. Returns the exit
/// code.
///
/// @param live runs a life in the new process, throws nothing, and returns the exit code
int live_twice(const Options& options, Life life, int (*live)(const Options&, Life));

} // namespace http_guard
