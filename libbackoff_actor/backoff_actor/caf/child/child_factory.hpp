#pragma once

#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace backoff_actor {

namespace detail {

// Whether there is a function to call.
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

/// Makes a child: a fresh actor that belongs to the sender, or supervisor, from then on. Two kinds of
/// functions convert to it, and an empty one, or nothing, makes an empty factory.
///
///     [](caf::event_based_actor* sender) -> caf::actor { return sender->spawn<Worker>(); }
///
/// makes it at once; `spawn` may be called on the sender.
///
///     [](caf::event_based_actor* sender, ChildPromise child) { ... child.deliver(worker); }
///
/// begins to make it, and keeps its promise at any later time, from any thread. The sender goes on with
/// its other work meanwhile: it accepts, answers and expires; what is to be handed over waits.
///
/// @errors an exception, or an invalid handle, is a failed start, and the sender tries again after
///         the delay.
/// @thread the sender's, which takes no other message meanwhile.
class BACKOFF_ACTOR_EXPORT ChildFactory {
public:
  /// Makes nothing.
  ChildFactory() = default;

  /// Makes nothing.
  ChildFactory(std::nullptr_t) {}

  /// Makes children at once.
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

  /// Makes children at any later time.
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

  /// Whether it makes anything.
  explicit operator bool() const { return static_cast<bool>(make_); }

  /// Whether its children come later.
  bool is_asynchronous() const { return is_asynchronous_; }

  /// Returns a child.
  ///
  /// @range a factory that is not empty
  /// @errors what the function throws, and `std::logic_error` if its children come later.
  caf::actor operator()(caf::event_based_actor* sender) const;

  /// Makes a child that is given to the promise, at once or later.
  ///
  /// @range a factory that is not empty
  /// @errors what the function throws: then the promise is still owed.
  void operator()(caf::event_based_actor* sender, const ChildPromise& child) const;

  /// Returns a factory whose children are those of this one, as `wrap` returns them: itself, or an actor
  /// that stands before the child, and ends it with itself.
  ///
  /// @range a factory that is not empty
  ChildFactory wrapped(ChildPromise::Wrap wrap) const;

private:
  std::function<caf::actor(caf::event_based_actor*, const ChildPromise*)> make_;
  bool is_asynchronous_ = false;
};

namespace detail {

// A worker whose exceptions keep their text on the way to the sender.
template <class Worker>
class CauseKeeping final : public Worker {
public:
  template <class... Ts>
  explicit CauseKeeping(caf::actor_config& config, Ts&&... arguments)
    : Worker(config, std::forward<Ts>(arguments)...) {
    seam::keep_cause(*this);
  }
};

} // namespace detail

/// Returns the factory of a worker class, an event-based actor, each incarnation of which is
/// constructed from the same `arguments`, kept as a copy. An exception that leaves one of its
/// handlers becomes the cause that the sender reports, with its text, instead of a line on the
/// console; a worker with an exception handler of its own sets it in `make_behavior`, and one whose
/// class is final calls `seam::keep_cause(*this)` in its constructor.
///
/// `Options` are CAF's spawn options: `caf::detached` for a worker that blocks.
template <class Worker, caf::spawn_options Options = caf::no_spawn_options, class... Ts>
ChildFactory child_of(Ts... arguments) {
  static_assert(!caf::has_link_flag(Options) && !caf::has_monitor_flag(Options),
                "the sender watches its child by itself; a link would end it with the child");
  using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
  return [arguments = std::make_tuple(std::move(arguments)...)](caf::event_based_actor* sender) {
    return std::apply(
      [sender](const auto&... xs) {
        return caf::actor_cast<caf::actor>(sender->spawn<Actor, Options>(xs...));
      },
      arguments);
  };
}

} // namespace backoff_actor
