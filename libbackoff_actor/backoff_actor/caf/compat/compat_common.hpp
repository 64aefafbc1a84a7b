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

// -- the actor ----------------------------------------------------------------

/// Whether a message takes its turn in the receiver's mailbox or goes ahead of all that waits
/// there.
enum class Priority { normal, high };

/// A message of one value whose type is one of this library's. Each version has its own below this.
class Word;

/// Says that an actor takes words.
struct TakesWords {};

/// An actor that takes messages of any type, makes requests of any type, and gets back whatever
/// comes. Each version has its `RequestingActor` below this.
///
/// @thread all members run in the actor's own thread, or in the one that drops the last handle to it.
class BACKOFF_ACTOR_EXPORT RequestingActorBase : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

protected:
  /// Is told of a message that no handler of `complete` takes, and answers it sometime. Unless
  /// overridden, makes a promise for `on_submission`.
  virtual void on_message(caf::message&& payload);
  /// Is told of such a message, and how to answer it. Unless overridden, refuses it.
  virtual void on_submission(caf::message payload, caf::response_promise client);
  /// Is offered each message of one value of a type of this library's, if the actor takes words. Returns whether it was one for this actor; if nobody has answered it
  /// then, it is answered with nothing.
  virtual bool on_word(const Word& word);
  /// Returns how to answer the message that is being worked on, without a promise.
  virtual OpenRequest open_request() = 0;
  /// Gives a client its answer, and knows it no longer; one that it knows no longer gets nothing. A client that
  /// used a plain send gets it by a plain send; an empty answer is none for it.
  ///
  /// @range no error: `refuse`
  void answer_request(OpenRequest& client, caf::message&& answer);
  /// Gives a client an error, and knows it no longer, unless it used a plain send: a bare error
  /// would end it.
  void refuse(OpenRequest& client, caf::error error);
  /// Passes a message on to `receiver` in the name of its client, who gets the answer from there, and
  /// knows the client no longer; without a client, the message has no sender.
  virtual void pass_on(OpenRequest& client, caf::message payload, const caf::actor& receiver) = 0;
  /// As `seam::respond`, in this actor's name; for an actor at work this is cheaper.
  virtual void respond(const OpenRequest& request, caf::message&& answer) = 0;
  /// Is told whatever came back for a request, a `caf::error` included. No sender: CAF answered by
  /// itself.
  virtual void on_response(std::uint64_t name, caf::message&& content,
                           const caf::strong_actor_ptr& from) = 0;
  /// Is told of the end of an actor that is watched.
  virtual void on_down(const caf::actor_addr& who, const caf::error& reason) = 0;
  /// Is told that somebody sent an order of CAF's as work; see `is_system_message`. Unless overridden,
  /// refuses it.
  virtual void on_system_message(caf::message message);
  /// Whether the end of `who` is told by `on_down`. Then an exit message about that end, which a link
  /// brings, changes nothing, whatever the reason.
  virtual bool is_told_of_end(const caf::actor_addr& who) const;
  /// Is told that an actor that takes words is to end for `reason`, which is not `exit_reason::kill`.
  /// Unless overridden, ends.
  virtual void on_told_to_end(const caf::actor_addr& source, const caf::error& reason);

  /// Makes a request without a timeout, named by the caller; what comes back goes to `on_response`.
  ///
  /// @range `name < 2^59`; not checked.
  virtual void make_request(std::uint64_t name, const caf::actor& receiver,
                            const caf::message& content, Priority priority) = 0;
  /// Asks for a sign of life, ahead of all that waits in the mailbox; what comes back for that name is
  /// no error if there is life. False if it is not asked: a blocking actor would take the question for
  /// work; it answers nothing when it crashes, either.
  bool probe(std::uint64_t name, const caf::actor& whom);
  /// Passes the message that is being worked on, with `payload` as its content, on to `receiver` in the
  /// name of its client, who gets the answer from there. The handler returns `caf::delegated`, and
  /// makes no promise.
  virtual void forward_current(caf::message payload, const caf::actor& receiver) = 0;
  /// Asks to be told by `on_down` when `whom` ends, or at once if it has.
  virtual void watch(const caf::actor& whom) = 0;
  /// Asks to be told no more, however often it asked before. What is not asked stays with `whom`
  /// until that ends, and with it the memory of this actor; costs time linear in how many watch
  /// `whom`.
  virtual void unwatch(const caf::actor& whom) = 0;

  /// Whether the actor ends because nobody holds a handle to it. Nothing may refer to it any more then: who has
  /// work left hands it to another actor.
  ///
  /// @range in `on_exit`
  virtual bool is_unreachable() const = 0;

  /// Where the clock of the actor system stands, which need not be real time.
  Instant now();
  /// Where it stood a few messages ago, not before this actor got the floor, nor before its last `now`:
  /// for what is done with every message and does not hurry. Reading a clock takes as long as some
  /// 150 instructions.
  Instant recent_now();
  /// Is called when the actor gets the floor.
  static void forget_recent_now();
  /// Sends a `WakeUp` to this actor at `at`, or soon if that has passed. Takes the place of an
  /// earlier one that was not due yet. Does not keep the actor alive.
  virtual void wake_at(Instant at) = 0;
};

} // namespace backoff_actor::seam
