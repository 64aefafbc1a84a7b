#pragma once

// What the seam is in every version of CAF. Include compat.hpp instead.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_system.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/response_promise.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::seam {

// -- inspection ---------------------------------------------------------------

/// Returns what an optional enumeration's value is in a message: 0 for none, else one more than its
/// number.
template <class Enum>
std::uint16_t number_of(const std::optional<Enum>& value) {
  static_assert(sizeof(Enum) == 1);
  return value ? static_cast<std::uint16_t>(static_cast<std::uint8_t>(*value) + 1) : 0;
}

/// Returns the value of which `number_of` makes a number.
template <class Enum>
std::optional<Enum> enumerator_of(std::uint16_t number) {
  return number == 0 ? std::nullopt : std::optional{static_cast<Enum>(number - 1)};
}

// -- errors -------------------------------------------------------------------

/// Whether CAF sent the error because a receiver was gone, or had dropped its promise.
BACKOFF_ACTOR_EXPORT bool is_bounce(const caf::error& error);

// -- messages -----------------------------------------------------------------

/// Whether a message is an order of CAF's to the actor that gets it, such as `caf::exit_msg` or a bare
/// `caf::error`: no handler of a worker is meant for it.
BACKOFF_ACTOR_EXPORT bool is_system_message(const caf::message& message);

/// Returns the error that refuses such a message.
BACKOFF_ACTOR_EXPORT caf::error system_message_refused();

/// Returns how many bytes CAF's binary serializer makes of a message; versions differ.
///
/// @errors throws `std::runtime_error` if the message cannot be serialized.
BACKOFF_ACTOR_EXPORT std::size_t serialized_size(caf::actor_system& system,
                                                 const caf::message& message);

/// Returns what CAF calls the type of a message's part, or what the compiler does.
///
/// @range `part` is below the message's size.
BACKOFF_ACTOR_EXPORT std::string type_name(caf::actor_system& system, const caf::message& message,
                                           std::size_t part);

/// Names the version of CAF whose bytes `save` makes, and `load` reads.
BACKOFF_ACTOR_EXPORT std::string binary_format();

// -- sending ------------------------------------------------------------------

/// Sends an exit message in the name of `source`, ahead of all that waits in the mailbox.
///
/// @thread any
BACKOFF_ACTOR_EXPORT void send_exit_now(const caf::actor& receiver, const caf::actor_addr& source,
                                        caf::exit_reason reason);

/// Whether an actor has ended. CAF marks it before it tells those who watch it.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool has_ended(const caf::actor_addr& whom);

/// Whether an actor has ended, which must not be an invalid handle.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool has_ended(const caf::actor& whom);

/// Whether `from` told of its own end. Whoever else knows of it knows too early: an exit message of the same end may
/// still be on its way. An actor that nobody holds any more tells in nobody's name.
///
/// @thread any
BACKOFF_ACTOR_EXPORT bool tells_of_own_end(const caf::strong_actor_ptr& from,
                                           const caf::actor_addr& whom);

/// Returns the reason with which an actor ended.
///
/// @range `has_ended(whom)`
/// @thread any
BACKOFF_ACTOR_EXPORT caf::error reason_of_end(const caf::actor& whom);

/// Gives a client what the child answered, unless it has its answer already. An empty answer is
/// none for a client that used a plain send.
BACKOFF_ACTOR_EXPORT void answer(caf::response_promise& client, caf::message answer);

/// Gives a client that made a request its answer, unless it has one already; one that used a plain
/// send gets nothing.
BACKOFF_ACTOR_EXPORT void answer_request(caf::response_promise& client, caf::message answer);

/// Gives a client an error, unless it used a plain send: a bare error would end it.
inline void refuse(caf::response_promise& client, caf::error error) {
  answer_request(client, caf::make_message(std::move(error)));
}

/// A request to be answered later, without CAF's promise: that of 0.17.6 keeps the actor alive that
/// holds it, so that one whom nobody can answer any more would wait for ever. The handler that
/// takes the request returns `caf::delegated`.
struct OpenRequest {
  caf::strong_actor_ptr client; ///< who waits for the answer; none: nobody does
  caf::message_id id;           ///< of the request, or of the message of a plain send

  /// Whether an answer is waited for; otherwise it was a plain send.
  bool is_request() const { return client && id.is_request(); }
};

/// Answers a request, or sends an answer to a plain send, which may be done once; in the name of
/// `from`, which may be nobody.
///
/// @range `request.client` must be there.
/// @thread any
BACKOFF_ACTOR_EXPORT void respond(const OpenRequest& request, caf::message answer,
                                  const caf::strong_actor_ptr& from = nullptr);

// -- addresses ----------------------------------------------------------------

/// Who stands behind an address.
///
/// @thread all members from any thread, several at a time.
class BACKOFF_ACTOR_EXPORT Forwarding {
public:
  /// Knows nobody.
  Forwarding() = default;
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;
  /// Forgets whoever it knows.
  virtual ~Forwarding() = default;

  /// Returns who gets what is sent now; nobody: it is refused.
  virtual caf::strong_actor_ptr target() = 0;
  /// Is told that a message found nobody; returns what answers it if it is a request.
  virtual caf::error on_nobody(bool is_request) = 0;
};

/// Returns an address without an actor of its own: whatever is sent to it goes to whoever stands behind
/// it then, as if it had been sent there, in the sender's thread.
BACKOFF_ACTOR_EXPORT caf::actor make_forwarder(caf::actor_system& system,
                                               std::shared_ptr<Forwarding> forwarding);

} // namespace backoff_actor::seam
