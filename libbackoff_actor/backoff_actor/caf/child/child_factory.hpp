#pragma once

#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/actor_name.hpp"

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

} // namespace detail

/// Makes a child: a fresh actor that then belongs to the sender or supervisor. Two kinds of
/// functions convert to a factory. An empty function makes an empty factory.
///
///     [](caf::event_based_actor* sender) -> caf::actor { return sender->spawn<Worker>(); }
///
/// makes the child at once. It may call `spawn` on the sender.
///
///     [](caf::event_based_actor* sender, ChildPromise child) { ... child.deliver(worker); }
///
/// begins to make the child, and keeps its promise at any later time, from any thread. Meanwhile
/// the sender continues its other work: it accepts, answers and expires messages. Messages for the
/// child wait.
///
/// @errors an exception or an invalid handle is a failed start; the sender tries again after the
///         delay.
/// @thread the sender's, which handles no other message during the call.
class BACKOFF_ACTOR_EXPORT ChildFactory {
public:
  /// Makes an empty factory.
  ChildFactory() = default;

  /// Makes an empty factory.
  ChildFactory(std::nullptr_t) {}

  /// Makes a factory that makes children at once.
  template <class F>
  requires(
    !std::is_same_v<std::decay_t<F>,
                    ChildFactory> && std::is_invocable_r_v<caf::actor, F&, caf::event_based_actor*>)
    ChildFactory(F make) {
    if (detail::is_there(make))
      make_ = [make = std::move(make)](caf::event_based_actor* sender,
                                       const ChildPromise*) mutable {
        return caf::actor{make(sender)};
      };
  }

  /// Makes an asynchronous factory: it may deliver children later.
  template <class F>
  requires(
    !std::is_same_v<std::decay_t<F>,
                    ChildFactory> && std::is_invocable_v<F&, caf::event_based_actor*, ChildPromise>)
    ChildFactory(F make)
    : is_asynchronous_(true) {
    if (detail::is_there(make))
      make_ = [make = std::move(make)](caf::event_based_actor* sender,
                                       const ChildPromise* child) mutable {
        make(sender, *child);
        return caf::actor{};
      };
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
  std::function<caf::actor(caf::event_based_actor*, const ChildPromise*)> make_;
  bool is_asynchronous_ = false;
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

} // namespace detail

/// Returns the factory of a worker class, an event-based actor. The factory keeps a copy of the
/// `arguments` and constructs each incarnation from them. `Options` are CAF's spawn options:
/// `caf::detached` for a worker that blocks.
///
/// If an exception leaves a handler of the worker, the sender reports it as the cause, with its
/// text. CAF would only print a line on the console. A worker with an exception handler of its own
/// sets it in `make_behavior`. A worker whose class is final calls `compat::keep_cause(*this)` in
/// its constructor.
template <class Worker, caf::spawn_options Options = caf::no_spawn_options, class... Ts>
ChildFactory child_of(Ts... arguments) {
  static_assert(!caf::has_link_flag(Options) && !caf::has_monitor_flag(Options),
                "the sender monitors its child itself; a link would end the sender with the child");
  using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
  ChildFactory make = [arguments =
                         std::make_tuple(std::move(arguments)...)](caf::event_based_actor* sender) {
    return std::apply(
      [sender](const auto&... xs) {
        return caf::actor_cast<caf::actor>(sender->spawn<Actor, Options>(xs...));
      },
      arguments);
  };
  return std::move(make).with_kind(detail::kind_of_worker<Worker>());
}

} // namespace backoff_actor
