#pragma once

#include "backoff_actor/engine/supervisor/supervisor_effects.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine_options.hpp"
#include "backoff_actor/engine/supervisor/supervisor_inputs.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

/// A child of the reference supervisor.
struct ReferenceChild {
  /// What becomes of it when it has ended.
  enum class Then { row, stop, failed_start };

  /// Who waits for its start.
  struct Starter {
    Ticket ticket;
    bool is_new; // the child was added for it
  };

  ChildName name;
  std::string id;
  std::shared_ptr<const ChildOptions> options;
  bool is_first; // one that the supervisor was made with
  Progress progress;

  ChildState state = ChildState::waiting;
  StoppedBecause stopped = StoppedBecause::not_stopped;
  bool is_member = false;  // of the row
  bool is_awaited = false; // by those in front, though it is a member no more
  bool had_turn = false;   // in the row that starts
  std::uint32_t incarnation = 0;
  std::uint32_t restarts = 0;
  bool has_been_up = false;
  Instant up_since{};
  std::optional<Instant> due{};    // of its own: a restart, being up, having ended
  std::uint64_t turn = 0;          // due, and the smallest is started first; 0: not due
  std::vector<Instant> failures{}; // all that there ever were
  Cause cause{}; // of the last failure, also of a start that fails when the child has ended

  Then then = Then::row;
  bool was_running = false; // when it was told to end
  bool is_killed = false;
  bool is_made = false;    // the actor
  bool can_finish = false; // the actor
  bool is_unfinished = false;
  bool keeps_grace = false;                       // it was told to end so
  Directive start_directive = Directive::restart; // about that start

  std::optional<Starter> starter{};
  std::vector<Ticket> terminators{};

  bool is_alive() const {
    return state == ChildState::starting || state == ChildState::running
           || state == ChildState::ending;
  }
  bool is_temporary() const { return options->restart == RestartType::temporary; }
};

/// Whether the last failure is one more than is borne; those as old as the window do not count.
inline bool exceeds(const std::optional<RestartLimit>& limit, const std::vector<Instant>& failures,
                    Instant now) {
  if (!limit)
    return false;
  const auto count = std::count_if(failures.begin(), failures.end(),
                                   [&](Instant x) { return now - x < limit->within; });
  return count > std::int64_t{limit->max_restarts};
}

} // namespace backoff_actor::model_test
