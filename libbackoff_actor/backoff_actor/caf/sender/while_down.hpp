#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/ordering.hpp"

#include <caf/actor.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <variant>

namespace backoff_actor {

/// The forwarder keeps the message, and passes it on in order when it can. When the forwarder ends,
/// the message becomes a dead letter, `stopped`.
struct BufferWhileDown {
  /// How many messages the forwarder keeps.
  ///
  /// @range 1 to `DeliverySlots::max_size`
  std::size_t capacity = 1000;

  /// What the forwarder does with a message that comes when it already keeps `capacity` messages.
  Overflow overflow = Overflow::refuse;

  /// How many bytes the messages together may have. Unset: any number.
  ///
  /// @range 1 to 2^63 - 1
  std::optional<std::uint64_t> capacity_bytes{};

  /// Returns the bytes of a message, see `SenderOptions::weight_of`. Only with `capacity_bytes`.
  std::function<std::size_t(const caf::message&)> weight_of{};

  /// How long a message may wait if its `Submit` does not say. Unset: for ever.
  ///
  /// @range 1 us and above
  std::optional<Duration> time_to_live{};
};

/// The forwarder drops the message, and sends its client a fixed answer. A client that used a plain
/// send gets the answer as a plain send. The forwarder counts the dropped message as `diverted`.
struct ReplyWhileDown {
  /// The answer.
  ///
  /// @range not empty, and not a bare `caf::error`, which would end clients that used a plain send
  caf::message message{};
};

/// The forwarder passes the message on to this actor, in the name of its client, which gets the
/// answer. It counts the message as `diverted`.
struct ForwardWhileDown {
  caf::actor to{}; ///< must be valid; the forwarder holds it as long as it lives
};

/// The forwarder does not accept the message: it answers a request with `SenderError::no_child`,
/// and drops a plain send. It reports both with `event::NotAccepted`, and counts both as `refused`.
struct DropWhileDown {};

/// What a forwarder does with a message that it cannot pass on, because no child is there, a delay
/// runs, or it is paused. There is one exception. If no child was needed until now, because the
/// last one stopped normally or `child_start` is `FirstStart::on_first_use`, the message starts a
/// child and waits for it.
using WhileDown = std::variant<BufferWhileDown, ReplyWhileDown, ForwardWhileDown, DropWhileDown>;

} // namespace backoff_actor
