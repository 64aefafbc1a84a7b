#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/testing/faults/faults.hpp"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace backoff_actor::testing {

/// What a faulty function throws instead of being called.
class FaultInjected : public std::runtime_error {
public:
  /// Says what the fault says, or its kind: `error`, `nack`, `reject` and `crash` have a text.
  explicit FaultInjected(const Fault& fault)
    : std::runtime_error(message_of(fault).empty() ? to_string(fault) : message_of(fault)),
      fault_(fault) {}

  /// The fault, with its code and when to come back.
  const Fault& fault() const { return fault_; }

private:
  Fault fault_;
};

/// What time is for a faulty function.
struct FaultyFunctionOptions {
  /// Waits for `slow`, `hang` and `silence`: in real time, unless it is told otherwise.
  ///
  /// @thread the caller's
  std::function<void(Duration)> sleep = [](Duration span) { std::this_thread::sleep_for(span); };

  /// How long a call that hangs does so before it fails after all. A call cannot be stopped from
  /// outside, and a test is to end.
  Duration hang = std::chrono::seconds{1};
};

/// What a faulty function does with a fault, unless it is told otherwise: throws `FaultInjected`.
struct ThrowFault {};

/// A function with a plan of faults before it, see `faulty_function`. Copies follow the plan together.
template <class Function, class Answer = ThrowFault>
class FaultyFunction {
public:
  /// Is what `faulty_function` makes.
  FaultyFunction(Function function, Faults faults, FaultyFunctionOptions options,
                 Answer answer = {})
    : function_(std::move(function)), faults_(std::move(faults)), options_(std::move(options)),
      answer_(std::move(answer)) {}

  /// Takes the next fault. Calls the function with `ok`, and with `slow` after a while.
  ///
  /// @errors throws `FaultInjected` with any other, or returns what it was told to answer; with
  ///         `hang` and `silence` not before `FaultyFunctionOptions::hang`.
  template <class... Arguments>
  requires std::is_invocable_v<Function&, Arguments...>
    std::invoke_result_t<Function&, Arguments...>
  operator()(Arguments&&... arguments) {
    const auto fault = faults_.next();
    if (fault.kind == Fault::Kind::hang || fault.kind == Fault::Kind::silence)
      options_.sleep(options_.hang);
    else if (fault.kind == Fault::Kind::slow)
      options_.sleep(fault.delay);
    if (fault.kind != Fault::Kind::ok && fault.kind != Fault::Kind::slow) {
      if constexpr (std::is_same_v<Answer, ThrowFault>)
        throw FaultInjected{fault};
      else
        return std::invoke(answer_, fault);
    }
    return std::invoke(function_, std::forward<Arguments>(arguments)...);
  }

  /// Returns the same for a function that reports failures by its value: `answer(const Fault&)` makes
  /// it.
  template <class NewAnswer>
  FaultyFunction<Function, NewAnswer> answering(NewAnswer answer) const {
    return {function_, faults_, options_, std::move(answer)};
  }

private:
  Function function_;
  Faults faults_;
  FaultyFunctionOptions options_;
  Answer answer_;
};

/// Puts a plan of faults before a function, one fault for each call:
///
///     VirtualClock clock;
///     auto get = faulty_function(real_get, "error(503, retry_after 2s)*2, slow 1s",
///                                {.sleep = clock.sleeper()});
///     const auto result = retry(policy, limits, predicate, get, clock);
///
/// @thread the result may be called from any thread if `function` may.
template <class Function>
FaultyFunction<std::decay_t<Function>> faulty_function(Function&& function, Faults faults,
                                                       FaultyFunctionOptions options = {}) {
  return {std::forward<Function>(function), std::move(faults), std::move(options)};
}

} // namespace backoff_actor::testing
