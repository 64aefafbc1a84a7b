#pragma once

#include "backoff_actor/caf/seam.hpp"

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace backoff_actor {

/// Makes a child: a fresh actor that belongs to the sender from then on. The argument is the
/// sender, on which `spawn` may be called.
///
/// @errors an exception, or an invalid handle, is a failed start, and the sender tries again after
///         the delay.
/// @thread the sender's, which takes no other message meanwhile.
using ChildFactory = std::function<caf::actor(caf::event_based_actor* sender)>;

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
