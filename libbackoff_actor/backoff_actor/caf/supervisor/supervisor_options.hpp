#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_spec.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/supervision/child_options.hpp"
#include "backoff_actor/supervision/directive.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"
#include "backoff_actor/supervision/strategy.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace backoff_actor {

/// Decides what follows a failure of a child. `error` is the exit reason, or
/// `SupervisorError::start_failed` with the text of the factory, or the error that an actor
/// answered to `AwaitUp`.
///
/// The supervisor asks about every end that is not clean, even if the decision makes no difference.
/// It asks once in advance, with an empty id, about a child that is not up in time. So the decider
/// must use nothing but its arguments.
///
/// @errors if it throws, the child is restarted.
/// @thread the supervisor's
using SupervisorDecider = std::function<Directive(const std::string& id, const caf::error& error)>;

/// Restarts a failed child if its restart type allows that. This is the default decider.
BACKOFF_ACTOR_EXPORT Directive restarting_decider(const std::string& id, const caf::error& error);

/// Stops a failed child.
BACKOFF_ACTOR_EXPORT Directive stopping_decider(const std::string& id, const caf::error& error);

/// The options of a supervisor.
///
/// The actor system waits at its end for supervisors that still have children, and those call the
/// functions of their options meanwhile. So what a function captures must live as long as the actor
/// system: declare it before the actor system. This holds for `decider` and `on_event`, and for the
/// factories of children. A `SharedQueue` keeps what the hook reports, and may be declared
/// anywhere.
struct SupervisorOptions {
  /// What the supervisor is, see `ActorName`: events, trees, errors and warnings name the
  /// supervisor `root#5`. Empty: `supervisor`.
  ///
  /// @range 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`, or empty
  std::string name{};

  /// Which children the supervisor restarts when one has to be restarted.
  Strategy strategy = Strategy::one_for_one;

  /// How many restarts the supervisor allows within a time. The restart of a group counts as one.
  /// After one more, the supervisor ends. Unset: any number. Each child still waits for its backoff
  /// before each restart.
  std::optional<RestartLimit> restart_limit{};

  /// Whether the supervisor ends when significant children have done their work.
  AutoShutdown auto_shutdown = AutoShutdown::never;

  /// Decides what follows a failure; empty: `restarting_decider` does.
  SupervisorDecider decider{};

  /// How long a killed child may take to end: it still finishes the message that it handles.
  ///
  /// @range 0 and above; 0: a killed child counts as abandoned, also if it then ends
  Duration kill_grace = std::chrono::seconds{5};

  /// What the supervisor does about a killed child that has not ended after `kill_grace`.
  AfterGrace after_grace = AfterGrace::abandon;

  /// The seed of the random draws. Each child draws from a stream of its own. Unset: each
  /// supervisor has a seed of its own, made from a number that is drawn once per process.
  std::optional<std::uint64_t> seed{};

  /// Is called with each event, at the time of the event. It must not block. The example at
  /// `SenderOptions::on_event` writes a log with the time of day. If it throws, see
  /// `SupervisorEventHook`.
  ///
  /// @thread the supervisor's
  SupervisorEventHook on_event{};

  /// Sees the numbers of the supervisor, under its `name`. Unset: nobody does.
  std::optional<Observatory> observed_by{};
};

/// Makes a child of a dynamic supervisor from the arguments of `AddChild`.
///
/// @errors, @thread as of `ChildFactory`
using DynamicChildFactory =
  std::function<caf::actor(caf::event_based_actor* supervisor, const caf::message& arguments)>;

namespace detail {

template <class Actor, class... Ts, std::size_t... Is>
caf::actor spawn_of(caf::event_based_actor* supervisor, const caf::message& arguments,
                    std::index_sequence<Is...>) {
  return caf::actor_cast<caf::actor>(supervisor->spawn<Actor>(arguments.get_as<Ts>(Is)...));
}

} // namespace detail

/// Returns the factory of a worker class, an event-based actor. The factory constructs each worker
/// from the arguments of `AddChild`, which must be of the types `Ts`. As with `child_of`, an
/// exception keeps its text.
///
/// @errors if the arguments are of other types, the start fails.
template <class Worker, class... Ts>
DynamicChildFactory dynamic_child_of() {
  using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
  return [](caf::event_based_actor* supervisor, const caf::message& arguments) {
    auto fits = arguments.size() == sizeof...(Ts);
    if constexpr (sizeof...(Ts) > 0)
      fits = arguments.match_elements<Ts...>();
    if (!fits)
      throw std::invalid_argument("the arguments do not have the types that the template takes");
    return detail::spawn_of<Actor, Ts...>(supervisor, arguments, std::index_sequence_for<Ts...>{});
  };
}

/// Returns the factory of a worker that is a function, see `child_of`. The factory calls the
/// function with the arguments of `AddChild`, which must be of the types of its parameters:
///
///     caf::behavior device(caf::event_based_actor* self, std::string address);
///
///     options.make = dynamic_child_of(device);
///
/// @errors if the arguments are of other types, the start fails.
template <caf::spawn_options Options = caf::no_spawn_options, class F>
DynamicChildFactory dynamic_child_of(F function) {
  constexpr auto is_worker = detail::is_worker_with_one_signature<F>();
  detail::check_spawn_options<Options>();
  if constexpr (is_worker) {
    return [function = std::move(function)](caf::event_based_actor* supervisor,
                                            const caf::message& arguments) {
      return detail::spawn_function_with<Options>(*supervisor, function, arguments);
    };
  } else {
    static_assert(is_worker, "dynamic_child_of(function): the function must be a worker, "
                             "caf::behavior worker(caf::event_based_actor* self, arguments...), or "
                             "one with a stateful, a typed or no self, and without auto");
    return {};
  }
}

/// The options of a dynamic supervisor. It has one template for all children. Clients add and
/// remove children at run time.
struct DynamicSupervisorOptions {
  /// Makes the actors of every child.
  DynamicChildFactory make{};

  /// The options of every child.
  ChildOptions child{};

  /// Whether the children are workers or supervisors. `GetTree` also shows what is below
  /// supervisors.
  ChildKind kind = ChildKind::worker;

  /// How many children there may be. Those that wait for a restart count too. Unset: any number.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::size_t> max_children{};

  /// The other options. The strategy must be `Strategy::one_for_one`.
  SupervisorOptions supervisor{};
};

/// Returns everything that is wrong with a spec.
BACKOFF_ACTOR_EXPORT Problems check(const ChildSpec& spec);

/// Returns everything that is wrong with the options and the children. `children[2] (db).make` is
/// the factory of the third child, whose id is `db`.
BACKOFF_ACTOR_EXPORT Problems check(const SupervisorOptions& options,
                                    const std::vector<ChildSpec>& children);

/// Returns everything that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const DynamicSupervisorOptions& options);

} // namespace backoff_actor
