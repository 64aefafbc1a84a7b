#pragma once

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <variant>

namespace backoff_actor {

/// What cannot be passed on now is kept, and passed on in order when it can. At the end of the sender
/// it becomes dead letters, `stopped`.
struct BufferWhileDown {
  /// How many messages are kept at the most; what becomes of one more, `SenderOptions::overflow`
  /// says.
  ///
  /// @range 1 to `Outbox::max_size`
  std::size_t capacity = 1000;
};

/// Whoever sent what cannot be passed on now gets this, as the answer to a request or as a message;
/// the message itself is dropped, and counted as `diverted`.
struct ReplyWhileDown {
  /// What they get.
  ///
  /// @range not empty, and not a bare `caf::error`, which would end clients that used a plain send
  caf::message message{};
};

/// What cannot be passed on now goes to this actor instead, in its client's name, who gets its answer;
/// it is counted as `diverted`.
struct ForwardWhileDown {
  caf::actor to{}; ///< must be valid; is held for as long as the sender lives
};

/// What cannot be passed on now is not accepted: requests are answered with `SenderError::no_child`,
/// plain sends are dropped. Both are told as `event::NotAccepted` and counted as `refused`.
struct DropWhileDown {};

/// What becomes of a message that is to be delivered at most once while it cannot be passed on:
/// because no child is there, a delay runs, or the sender is paused. A message that finds a child at
/// rest, after a normal stop, starts the next one and waits for it in any case.
using WhileDown = std::variant<BufferWhileDown, ReplyWhileDown, ForwardWhileDown, DropWhileDown>;

} // namespace backoff_actor
