#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/faults/fault_plan.hpp"
#include "backoff_actor/testing/record/event_log.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace backoff_actor::testing {

/// A fault plan with a position. Copies share the position: each call of `next`, on any copy, takes
/// the next fault.
///
///     const Faults faults{"ok*3, crash..."};
///     const auto worker = faulty_actor(service, faults);
///     // later
///     faults.follow("ok"); // the service is well again
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT Faults {
public:
  /// Nothing goes wrong.
  Faults();

  /// Follows a plan, given as `FaultPlan`, as its text, or as a single fault.
  ///
  /// @errors throws `ParseError` if the text is no plan.
  template <std::convertible_to<FaultPlan> Plan>
  Faults(Plan&& plan) // NOLINT(google-explicit-constructor)
    : Faults() {
    follow(std::forward<Plan>(plan));
  }

  /// Follows plans, one after the other.
  Faults(std::initializer_list<FaultPlan> plans) : Faults() { follow(plans); }

  /// Returns the next fault.
  Fault next() const { return next({}, {}); }

  /// Returns the next fault, and notes it, see `note_in`.
  ///
  /// @param at when, on the time line of the log
  /// @param whose what the fault is for, for people: `child 2, "order 7"`; may be empty
  Fault next(Instant at, const std::string& whose) const;

  /// Returns how many faults were taken so far, from all plans.
  std::uint64_t taken() const;

  /// Switches to another plan, from its beginning.
  void follow(FaultPlan plan) const;

  /// From now on, notes each fault in a log, so that the timeline shows the injected faults:
  /// `(fault: crash, child 2, "order 7")`. Faults of functions are not noted, because their time is
  /// unknown. `ok` is not noted either.
  void note_in(const EventLog& log) const;

private:
  struct State;

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
