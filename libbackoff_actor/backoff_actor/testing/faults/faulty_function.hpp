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

/// Thrown by a faulty function instead of calling the function.
class FaultInjected : public std::runtime_error {
public:
  /// `what()` is the text of the fault, or its kind if it has none: only `error`, `nack`, `reject`
  /// and `crash` have a text.
  explicit FaultInjected(const Fault& fault)
    : std::runtime_error(message_of(fault).empty() ? to_string(fault) : message_of(fault)),
      fault_(fault) {}

  /// The fault, with its code and retry-after.
  const Fault& fault() const { return fault_; }

private:
  Fault fault_;
};

/// How a faulty function waits.
struct FaultyFunctionOptions {
  /// Waits for `slow`, `hang` and `silence`. By default in real time.
  ///
  /// @thread the caller's
  std::function<void(Duration)> sleep = [](Duration span) { std::this_thread::sleep_for(span); };

  /// How long a call hangs before it fails after all. It must fail, because nothing can stop a call
  /// from outside, and the test has to end.
  Duration hang = std::chrono::seconds{1};
};

/// The default reaction of a faulty function to a fault: it throws `FaultInjected`.
struct ThrowFault {};

/// A function with a plan of faults, see `faulty_function`. Copies share the plan's position.
template <class Function, class Answer = ThrowFault>
class FaultyFunction {
public:
  /// Used by `faulty_function`.
  FaultyFunction(Function function, Faults faults, FaultyFunctionOptions options,
                 Answer answer = {})
    : function_(std::move(function)), faults_(std::move(faults)), options_(std::move(options)),
      answer_(std::move(answer)) {}

  /// Takes the next fault. With `ok` it calls the function at once, with `slow` after the delay.
  ///
  /// @errors with any other fault it throws `FaultInjected`, or returns the result of `answer`;
  ///         with `hang` and `silence` only after `FaultyFunctionOptions::hang`.
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

  /// For functions that report failures by their value: returns the same function, but a fault
  /// returns `answer(const Fault&)` instead of throwing.
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

/// Adds a plan of faults to a function, one fault for each call:
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
