#pragma once

#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/caf/child/function_worker.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/actor_name.hpp"

#include <caf/actor_cast.hpp>
#include <caf/infer_handle.hpp>
#include <caf/spawn_options.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace backoff_actor {

namespace detail {

// Returns true if there is a function to call.
template <class F>
bool is_there(const F&) {
  return true;
}
template <class Signature>
bool is_there(const std::function<Signature>& function) {
  return static_cast<bool>(function);
}
template <class Result, class... Ts>
bool is_there(Result (*function)(Ts...)) {
  return function != nullptr;
}

// Whether a factory's result is an actor: a handle, typed or not.
template <class Result>
concept MadeActor = std::convertible_to<Result, caf::actor> ||(
  caf::is_handle<Result>::value && !std::same_as<Result, caf::strong_actor_ptr>);

template <class F>
constexpr bool makes_actor() {
  if constexpr (std::invocable<F&, caf::event_based_actor*>)
    return MadeActor<std::invoke_result_t<F&, caf::event_based_actor*>>;
  else
    return false;
}

// How many kinds of child factory a function could be; 1: it is clear which.
template <class F>
constexpr int kinds_of_factory() {
  using Shape = WorkerShape<F>;
  return int{makes_actor<F>()} + int{std::invocable<F&, caf::event_based_actor*, ChildPromise>}
         + int{Shape::is_worker && !Shape::returns_nothing};
}

// Is instantiated only for what is no child factory, and then does not compile. The error is the
// only one, and says what fits.
template <class F>
constexpr void say_what_fits() {
  constexpr auto is_ambiguous = kinds_of_factory<F>() > 1;
  constexpr auto is_handle = caf::is_handle<F>::value;
  constexpr auto returns_nothing = WorkerShape<F>::returns_nothing;
  constexpr auto is_something_else = !is_ambiguous && !is_handle && !returns_nothing;
  static_assert(!is_handle,
                "an actor handle is no child factory, because each incarnation is a new "
                "actor: pass child_of<Worker>(...), or a function");
  static_assert(!returns_nothing,
                "this function returns nothing: a child factory returns the actor that it made; a "
                "worker that calls become() itself is passed as child_of(function)");
  static_assert(!is_ambiguous,
                "this could be a child factory in several ways: write the parameters "
                "without auto, and one function");
  static_assert(
    !is_something_else,
    "a child factory is child_of<Worker>(...), or one of these functions: "
    "caf::actor make(caf::event_based_actor* sender); "
    "void make(caf::event_based_actor* sender, ChildPromise child); "
    "caf::behavior worker(caf::event_based_actor* self), or a stateful or typed worker");
}

} // namespace detail

/// Makes a child: a fresh actor that then belongs to the sender or supervisor. Three kinds of
/// functions convert to a factory. An empty function makes an empty factory.
///
///     [](caf::event_based_actor* sender) -> caf::actor { return sender->spawn<Worker>(); }
///
/// makes the child at once. It may call `spawn` on the sender. Its result may be a typed handle.
///
///     [](caf::event_based_actor* sender, ChildPromise child) { ... child.deliver(worker); }
///
/// begins to make the child, and keeps its promise at any later time, from any thread. Meanwhile
/// the sender continues its other work: it accepts, answers and expires messages. Messages for the
/// child wait.
///
///     caf::behavior worker(caf::event_based_actor* self);
///
/// is the child itself, as CAF spawns it; see `child_of`, which also takes arguments for it. The
/// return type tells these apart: an actor, or a behavior.
///
/// What the function captures must live as long as the actor system, see `SenderOptions`. So must
/// what a worker refers to.
///
/// @errors an exception or an invalid handle is a failed start; the sender tries again after the
///         delay. Anything else that is given in place of a factory does not compile; the first
///         error says what fits.
/// @thread the sender's, which handles no other message during the call.
class BACKOFF_ACTOR_EXPORT ChildFactory {
public:
  /// Makes an empty factory.
  ChildFactory() = default;

  /// Makes an empty factory.
  ChildFactory(std::nullptr_t) {}

  /// Makes a factory of a function of one of the three kinds.
  template <class F>
  requires(!std::same_as<F, ChildFactory>) ChildFactory(F make) { // implicit on purpose
    if constexpr (detail::kinds_of_factory<F>() != 1) {
      detail::say_what_fits<F>();
    } else if (detail::is_there(make)) {
      set(std::move(make));
    }
  }

  /// Returns true if the factory is not empty.
  explicit operator bool() const { return static_cast<bool>(make_); }

  /// Returns true if the factory delivers its children by a `ChildPromise`.
  bool is_asynchronous() const { return is_asynchronous_; }

  /// Returns the kind of the children, see `ActorName::kind`; empty: unknown. The view is valid as
  /// long as this object or a copy of it.
  std::string_view kind() const { return kind_ ? *kind_ : std::string_view{}; }

  /// Returns this factory, whose children are of this kind. Copies share the text.
  ///
  /// @range of the kind: as `SenderOptions::name`
  ChildFactory with_kind(std::shared_ptr<const std::string> kind) &&;

  /// Returns true if the children are on other nodes, see `remote_child` and `remote_spawn`.
  bool is_remote() const { return is_remote_; }

  /// Returns this factory, whose children are on other nodes.
  ChildFactory on_another_node() &&;

  /// Returns a child.
  ///
  /// @range a factory that is not empty
  /// @errors what the function throws, and `std::logic_error` if the factory is asynchronous.
  caf::actor operator()(caf::event_based_actor* sender) const;

  /// Makes a child and delivers it by the promise, at once or later.
  ///
  /// @range a factory that is not empty
  /// @errors what the function throws: the promise is then still open.
  void operator()(caf::event_based_actor* sender, const ChildPromise& child) const;

  /// Returns a factory that makes the same children, and passes each child to `wrap`. The actor
  /// that `wrap` returns takes the child's place. It is the child itself, or an actor in front of
  /// the child. An actor in front must end the child when it ends.
  ///
  /// @range a factory that is not empty
  ChildFactory wrapped(ChildPromise::Wrap wrap) const;

private:
  template <class F>
  void set(F make) {
    if constexpr (std::invocable<F&, caf::event_based_actor*, ChildPromise>) {
      is_asynchronous_ = true;
      make_ = [make = std::move(make)](caf::event_based_actor* sender,
                                       const ChildPromise* child) mutable {
        make(sender, *child);
        return caf::actor{};
      };
    } else if constexpr (detail::makes_actor<F>()) {
      make_ = [make = std::move(make)](caf::event_based_actor* sender,
                                       const ChildPromise*) mutable {
        return caf::actor_cast<caf::actor>(make(sender));
      };
    } else {
      make_ = [worker = std::move(make)](caf::event_based_actor* sender, const ChildPromise*) {
        return detail::spawn_function<caf::no_spawn_options>(*sender, worker, std::tuple{});
      };
    }
  }

  std::function<caf::actor(caf::event_based_actor*, const ChildPromise*)> make_;
  bool is_asynchronous_ = false;
  bool is_remote_ = false;
  std::shared_ptr<const std::string> kind_; // none: unknown
};

namespace detail {

// The kind of a worker class, which all its factories share.
template <class Worker>
const std::shared_ptr<const std::string>& kind_of_worker() {
  static const auto kind = std::make_shared<const std::string>(kind_of_type(typeid(Worker)));
  return kind;
}

// A worker whose exceptions keep their text on the way to the sender.
template <class Worker>
class CauseKeeping final : public Worker {
public:
  template <class... Ts>
  explicit CauseKeeping(caf::actor_config& config, Ts&&... arguments)
    : Worker(config, std::forward<Ts>(arguments)...) {
    compat::keep_cause(*this);
  }
};

template <caf::spawn_options Options>
constexpr void check_spawn_options() {
  static_assert(!caf::has_link_flag(Options) && !caf::has_monitor_flag(Options),
                "the sender monitors its child itself; a link would end the sender with the child");
}

} // namespace detail

/// Returns the factory of a worker class, an event-based actor, typed or not. The factory keeps a
/// copy of the `arguments` and constructs each incarnation from them. `Options` are CAF's spawn
/// options: `caf::detached` for a worker that blocks.
///
/// If an exception leaves a handler of the worker, the sender reports it as the cause, with its
/// text. CAF would only print a line on the console. A worker with an exception handler of its own
/// sets it in `make_behavior`. A worker whose class is final calls `compat::keep_cause(*this)` in
/// its constructor.
template <class Worker, caf::spawn_options Options = caf::no_spawn_options, class... Ts>
ChildFactory child_of(Ts... arguments) {
  detail::check_spawn_options<Options>();
  constexpr auto is_actor = std::derived_from<Worker, caf::scheduled_actor>;
  constexpr auto is_constructible =
    std::constructible_from<Worker, caf::actor_config&, const Ts&...>;
  if constexpr (!is_actor) {
    static_assert(
      is_actor, "child_of<Worker>: Worker must be a class derived from caf::event_based_actor, or "
                "from the base of a typed actor; a function is passed as child_of(function)");
    return {};
  } else if constexpr (!is_constructible) {
    static_assert(
      is_constructible,
      "child_of<Worker>(arguments...): Worker must have a public constructor that takes "
      "a caf::actor_config& and the arguments, each by value or as a const reference");
    return {};
  } else {
    using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
    ChildFactory make =
      [arguments = std::make_tuple(std::move(arguments)...)](caf::event_based_actor* sender) {
        return std::apply(
          [sender](const auto&... xs) {
            return caf::actor_cast<caf::actor>(sender->spawn<Actor, Options>(xs...));
          },
          arguments);
      };
    return std::move(make).with_kind(detail::kind_of_worker<Worker>());
  }
}

/// Returns the factory of a worker that is a function, as CAF spawns it: plain, stateful or typed.
///
///     caf::behavior worker(caf::event_based_actor* self, std::string url);
///     caf::behavior worker(caf::stateful_actor<State>* self, std::string url);
///     Api::behavior_type worker(Api::pointer self, std::string url); // Api: a caf::typed_actor
///
///     spawn_back_off_sender(system, child_of(worker, "http://localhost"));
///     spawn_back_off_sender(system, child_of<caf::detached>(worker, "http://localhost"));
///
/// The parameter `self` may be absent. The factory keeps copies of the function and the arguments,
/// and each incarnation gets copies of them. As with a class, the cause has the text of an
/// exception, and CAF prints nothing about it. A function without arguments also converts to a
/// `ChildFactory` by itself, unless it returns nothing and calls `become`. With CAF 1.x,
/// `child_of(caf::actor_from_state<State>, ...)` makes workers of a state class.
template <caf::spawn_options Options = caf::no_spawn_options, class F, class... Ts>
ChildFactory child_of(F function, Ts... arguments) {
  detail::check_spawn_options<Options>();
  using FromState = typename compat::ActorFromState<F>::type;
  constexpr auto is_worker = detail::WorkerShape<F, Ts...>::is_worker;
  if constexpr (!std::is_void_v<FromState>) {
    return child_of<FromState, Options>(std::move(arguments)...);
  } else if constexpr (is_worker) {
    ChildFactory result;
    if (detail::is_there(function))
      result = [function = std::move(function),
                arguments =
                  std::tuple<Ts...>(std::move(arguments)...)](caf::event_based_actor* sender) {
        return detail::spawn_function<Options>(*sender, function, arguments);
      };
    return result;
  } else {
    static_assert(is_worker,
                  "child_of(function, arguments...): the function must be a worker that takes the "
                  "arguments: caf::behavior worker(caf::event_based_actor* self, arguments...), or "
                  "one with a stateful, a typed or no self; a function that returns an actor is a "
                  "child factory by itself, without child_of");
    return {};
  }
}

} // namespace backoff_actor
