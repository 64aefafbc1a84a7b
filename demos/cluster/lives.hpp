#pragma once

// What some jobs do besides: they wait for a time, are cancelled, or keep how far they are.

#include "backoff_actor/core/time.hpp"
#include "ledger.hpp"
#include "notes.hpp"
#include "records.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cluster {

/// What a job does besides.
struct Life {
  backoff_actor::Duration delay{}; ///< before it may begin; 0: none
  bool is_cancelled = false;       ///< as soon as it is accepted
  std::uint64_t steps = 1; ///< calls that it makes; after each but the last it leaves a note
};

/// Returns what a job does. Of 64 jobs, four wait, four wait and are cancelled, four are cancelled
/// without waiting, and one takes three steps. Jobs of the calendar do nothing besides.
Life life_of(std::uint64_t job);

/// How long a worker takes for a step of a job that has several: longer than an outbox waits until
/// it writes a note.
inline constexpr std::chrono::milliseconds step_of_a_job{150};

/// What became of them.
struct LifeVerdict {
  std::uint64_t delayed = 0;        ///< jobs that waited for a time
  std::uint64_t early = 0;          ///< calls before that time
  std::uint64_t gone = 0;           ///< jobs of which was said that they were cancelled in time
  std::uint64_t done_when_gone = 0; ///< calls after that
  std::uint64_t notes = 0;          ///< that a job got which had begun before
  std::uint64_t notes_behind = 0;   ///< of those, older than the last that was left
  /// Of those, older than the last that an earlier owner had stored.
  std::uint64_t notes_behind_stored = 0;
  std::uint64_t notes_of_others = 0; ///< of those, such as no earlier worker had left
};

/// Follows the jobs by what the workers tell.
class Lives {
public:
  /// Takes a note of a worker: accepted, cancelling, gone, began or said.
  void take(const Note& note);

  /// Whether a job may be gone, without having been done.
  bool may_be_gone(std::uint64_t job) const { return cancelled_.contains(job); }

  /// Compares what was told with what the service did.
  ///
  /// @param stored the notes that the owners have stored
  LifeVerdict judge(const std::vector<Call>& calls,
                    const std::vector<StoredNote>& stored = {}) const;

private:
  // A job that a worker was given with this note, or with none.
  struct Beginning {
    std::uint64_t got;
    std::uint64_t delivery;
    std::uint64_t epoch;
  };

  LifeVerdict told_{};
  std::vector<Beginning> beginnings_{};
  std::unordered_map<std::uint64_t, Micros> not_before_{};
  std::unordered_set<std::uint64_t> cancelled_{};
  std::unordered_map<std::uint64_t, Micros> gone_{};
  std::unordered_map<std::uint64_t, std::uint64_t> said_{};      // the last note of a job
  std::unordered_map<std::uint64_t, std::uint64_t> most_said_{}; // the one that is furthest
};

/// Renders it as one line: `delayed 100, early 0, cancelled 90, done when gone 0, ...`.
std::string to_string(const LifeVerdict& verdict);

} // namespace cluster
