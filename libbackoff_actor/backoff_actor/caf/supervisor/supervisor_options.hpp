#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_spec.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/supervisor_events.hpp"
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

/// Decides what becomes of a failure of a child: `error` is the exit reason; or
/// `SupervisorError::start_failed` with what the factory said; or what an actor answered to
/// `AwaitUp`. It is asked for every end that is not clean, also where the answer will make no
/// difference, and once in advance about a child that is not up in time, with no id; so it must answer
/// from its arguments alone.
///
/// @errors if it throws, the child is restarted.
/// @thread the supervisor's
using SupervisorDecider = std::function<Directive(const std::string& id, const caf::error& error)>;

/// Restarts whatever failed, as the restart type says. It is the decider of who sets none.
BACKOFF_ACTOR_EXPORT Directive restarting_decider(const std::string& id, const caf::error& error);

/// Stops whatever failed.
BACKOFF_ACTOR_EXPORT Directive stopping_decider(const std::string& id, const caf::error& error);

/// The options of a `Supervisor`.
struct SupervisorOptions {
  /// Who is made again when a child has to be.
  Strategy strategy = Strategy::one_for_one;

  /// How many restarts within which time are borne, that of a group being one; with one more the
  /// supervisor ends. Unset: any number, for each child's backoff leaves room between them.
  std::optional<RestartLimit> restart_limit{};

  /// Whether the supervisor ends when significant children have done their work.
  AutoShutdown auto_shutdown = AutoShutdown::never;

  /// What becomes of a failure; empty: `restarting_decider`.
  SupervisorDecider decider{};

  /// How long a child that was killed has for ending: what it is doing then it does to its end.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What becomes of a child that has not ended then.
  AfterGrace after_grace = AfterGrace::abandon;

  /// The seed of the draws, of which each child has a stream of its own. Unset: a number drawn once
  /// per process, and one of its own for each supervisor.
  std::optional<std::uint64_t> seed{};

  /// Told of all that happens. It must not block.
  ///
  /// @errors what it throws is dropped.
  /// @thread the supervisor's
  SupervisorEventHook on_event{};
};

/// Makes a child of a dynamic supervisor, of the arguments that came with `AddChild`.
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

/// Returns the factory of a worker class, an event-based actor that is constructed from `Ts`, of the
/// arguments that came with `AddChild`. As with `child_of`, an exception keeps its text.
///
/// @errors arguments of other types are a failed start.
template <class Worker, class... Ts>
DynamicChildFactory dynamic_child_of() {
  using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
  return [](caf::event_based_actor* supervisor, const caf::message& arguments) {
    auto fits = arguments.size() == sizeof...(Ts);
    if constexpr (sizeof...(Ts) > 0)
      fits = arguments.match_elements<Ts...>();
    if (!fits)
      throw std::invalid_argument("the arguments are not of the types that the template takes");
    return detail::spawn_of<Actor, Ts...>(supervisor, arguments, std::index_sequence_for<Ts...>{});
  };
}

/// The options of a `DynamicSupervisor`: one template for all children, which are added and removed at
/// run time.
struct DynamicSupervisorOptions {
  /// Makes the actors of every child.
  DynamicChildFactory make{};

  /// How every child is treated.
  ChildOptions child{};

  /// Whether the children are supervisors, and parts of the tree that is shown.
  ChildKind kind = ChildKind::worker;

  /// How many children there are at the most, those that wait for a restart included; unset: without
  /// limit.
  ///
  /// @range 1 and above
  std::optional<std::size_t> max_children{};

  /// All the rest; its strategy is `Strategy::one_for_one`.
  SupervisorOptions supervisor{};
};

/// Returns all that is wrong with a spec.
BACKOFF_ACTOR_EXPORT Problems check(const ChildSpec& spec);

/// Returns all that is wrong with the options and the children: `children[2].id` is the third's.
BACKOFF_ACTOR_EXPORT Problems check(const SupervisorOptions& options,
                                    const std::vector<ChildSpec>& children);

/// Returns all that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const DynamicSupervisorOptions& options);

} // namespace backoff_actor
