#pragma once

// What this library, and no program, asks of CAF; the same in every version of it.

#include "backoff_actor/core/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/response_promise.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::compat {

// -- errors and the log ---------------------------------------------------------

/// How important a line of CAF's log is.
enum class LogLevel { debug, info, warning, error };

/// Writes a line to CAF's log, under the component `backoff_actor`, or `backoff` with CAF 0.17.
///
/// @thread any
BACKOFF_ACTOR_EXPORT void log(caf::actor_system& system, LogLevel level, const std::string& text);

/// Renders an error as CAF does.
BACKOFF_ACTOR_EXPORT std::string caf_text_of(const caf::actor_system& system,
                                             const caf::error& error);

/// Whether CAF sent the error because a receiver was gone, or had dropped its promise.
BACKOFF_ACTOR_EXPORT bool is_bounce(const caf::error& error);

// -- messages -----------------------------------------------------------------

/// Whether a message is an order of CAF to its receiver, such as `caf::exit_msg` or a bare
/// `caf::error`: it is not meant for a worker's handlers.
BACKOFF_ACTOR_EXPORT bool is_system_message(const caf::message& message);

/// Returns the error that refuses such a message.
BACKOFF_ACTOR_EXPORT caf::error system_message_refused();

/// Returns the size of a message in CAF's binary format, in bytes; the versions of CAF differ.
///
/// @errors throws `std::runtime_error` if the message cannot be serialized.
BACKOFF_ACTOR_EXPORT std::size_t serialized_size(caf::actor_system& system,
                                                 const caf::message& message);

/// Returns CAF's name for the type of a message's part, or the compiler's name if CAF has none.
///
/// @range `part` is below the message's size.
BACKOFF_ACTOR_EXPORT std::string type_name(caf::actor_system& system, const caf::message& message,
                                           std::size_t part);

/// Returns the name of the first type in a message that is not registered with the actor system.
/// Such a message can be sent within the process, but not to another node, and it has no bytes.
/// Nothing: all types are registered. With CAF 1.x there is no other message.
BACKOFF_ACTOR_EXPORT std::optional<std::string> unknown_type_in(caf::actor_system& system,
                                                                const caf::message& message);

// -- CAF itself -----------------------------------------------------------------

/// Returns the name of the binary format that `save` writes and `load` reads; it depends on the
/// version of CAF.
BACKOFF_ACTOR_EXPORT std::string binary_format();

/// Returns the version of CAF: `1.1.0`.
BACKOFF_ACTOR_EXPORT std::string caf_version();

/// Returns the metrics that CAF itself keeps, in the text format of Prometheus; CAF 0.17 has none.
BACKOFF_ACTOR_EXPORT std::string metrics_page(caf::actor_system& system);

// -- sending ------------------------------------------------------------------

/// Sends an exit message in the name of `source`, ahead of all that waits in the mailbox.
///
/// @thread any
BACKOFF_ACTOR_EXPORT void send_exit_now(const caf::actor& receiver, const caf::actor_addr& source,
                                        caf::exit_reason reason);

/// Whether an actor has ended.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool has_ended(const caf::actor_addr& whom);

/// Whether an actor has ended. The handle must be valid.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool has_ended(const caf::actor& whom);

/// Whether CAF bounces what is sent to this actor, which must not be null. CAF closes the mailbox
/// of an actor that ends, bounces what is in it, and only then marks the actor as ended.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool is_closed(const caf::strong_actor_ptr& whom);

/// Whether a report about the end of `whom` comes from `whom` itself: `from`, the sender of the
/// report, is `whom`. A report from anybody else comes too early, because an exit message about the
/// same end may still be on its way. If an actor ends because nobody holds a reference to it, its
/// own report has no sender.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool tells_of_own_end(const caf::strong_actor_ptr& from,
                                           const caf::actor_addr& whom);

/// Returns the reason with which an actor ended.
///
/// @range `has_ended(whom)`
/// @thread any
BACKOFF_ACTOR_EXPORT caf::error reason_of_end(const caf::actor& whom);

/// Gives a client the child's answer, unless it already has an answer. A client that used a plain
/// send gets no empty answer.
BACKOFF_ACTOR_EXPORT void answer(caf::response_promise& client, caf::message answer);

/// Answers a client that made a request, unless it already has an answer. A client that used a
/// plain send gets nothing.
BACKOFF_ACTOR_EXPORT void answer_request(caf::response_promise& client, caf::message answer);

/// Gives a client an error, unless it used a plain send: a bare error would end the client.
inline void refuse(caf::response_promise& client, caf::error error) {
  answer_request(client, caf::make_message(std::move(error)));
}

/// A request to be answered later, without CAF's promise. A promise of CAF 0.17.6 keeps the actor
/// that holds it alive, so an actor that can get no more answers would wait for ever. The handler
/// that takes the request returns `caf::delegated`.
struct OpenRequest {
  caf::strong_actor_ptr client; ///< the actor to answer; null: no actor expects an answer
  caf::message_id id;           ///< of the request, or of the message of a plain send

  /// Whether the client waits for an answer; otherwise it used a plain send.
  bool is_request() const { return client && id.is_request(); }
};

/// Answers a request, or sends the answer to a plain send as a message. Call it once. The sender of
/// the answer is `from`, which may be null.
///
/// @range `request.client` is not null
/// @thread any
BACKOFF_ACTOR_EXPORT void respond(const OpenRequest& request, caf::message answer,
                                  const caf::strong_actor_ptr& from = nullptr);

// -- addresses ----------------------------------------------------------------

/// Decides which actor is behind an address.
///
/// @thread all members from any thread, several at a time.
class BACKOFF_ACTOR_EXPORT Forwarding {
public:
  /// Has no receiver.
  Forwarding() = default;
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  /// Releases the receiver.
  virtual ~Forwarding() = default;

  /// Returns the actor that gets this message now. Null: it took the message out of `message`, to
  /// keep it or to `bounce` it.
  virtual caf::strong_actor_ptr receiver_of(caf::mailbox_element_ptr& message) = 0;
};

/// Returns what a message carries.
BACKOFF_ACTOR_EXPORT caf::message content_of(const caf::mailbox_element& message);

/// Answers a message with an error if it is a request, and drops it otherwise.
BACKOFF_ACTOR_EXPORT void bounce(caf::mailbox_element_ptr message, caf::error error);

/// Returns an address without an actor of its own. A message to it goes to the present receiver, as
/// if it had been sent there, in the sender's thread.
BACKOFF_ACTOR_EXPORT caf::actor make_forwarder(caf::actor_system& system,
                                               std::shared_ptr<Forwarding> forwarding);

} // namespace backoff_actor::compat
