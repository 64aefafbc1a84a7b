#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/fault_plan.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

namespace backoff_actor::testing {

/// A fault plan that is being followed. Copies follow it together: whoever asks next is given the
/// next fault.
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
  Fault next() const;

  /// Returns how many faults were asked for, of all plans.
  std::uint64_t taken() const;

  /// Follows another plan from now on, from its beginning.
  void follow(FaultPlan plan) const;

  /// Calls `observer` with each fault that is given from now on, and its number in all, from 1. What
  /// it throws goes to who asked.
  ///
  /// @thread `observer` is called in the thread of who asks, by one at a time.
  void observe(std::function<void(const Fault&, std::uint64_t number)> observer) const;

private:
  struct State;

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
