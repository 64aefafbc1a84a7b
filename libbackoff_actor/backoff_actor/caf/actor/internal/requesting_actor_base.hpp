#pragma once

// The part of `RequestingActor` that is the same in every version of CAF. Include
// requesting_actor.hpp instead.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/response_promise.hpp>

#include <cstdint>

namespace backoff_actor::compat {

/// Whether a message takes its turn in the receiver's mailbox, or overtakes all messages there.
enum class Priority { normal, high };

/// A message of one value of a library type. Each version of CAF has its own.
class Word;

/// Says that an actor takes words.
struct TakesWords {};

/// Request ids have 60 bits. CAF counts its own up from 1; those of `RequestingActor` have this
/// bit, so the two never collide. The others are the name of the request.
constexpr std::uint64_t own_request_bit = std::uint64_t{1} << 59;

/// Returns the name of a request that a `RequestingActor` has made.
inline std::uint64_t name_of_request(caf::message_id id) {
  return id.request_id().integer_value() & ~own_request_bit;
}

/// Whether a `RequestingActor` has made the request.
inline bool is_of_requesting_actor(caf::message_id id) {
  return (id.request_id().integer_value() & own_request_bit) != 0;
}

/// An actor that takes messages of any type, makes requests of any type, and gets answers of any
/// type. Each version of CAF has its own `RequestingActor`, which is derived from this class.
///
/// @thread all members run in the actor's own thread, or in the one that drops the last handle to
///         it.
class BACKOFF_ACTOR_EXPORT RequestingActorBase : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  /// Whether it kills a child that takes too long to end.
  virtual bool limits_ends() const { return false; }
  /// Whether it obeys `FinishWork`.
  virtual bool can_finish_work() const { return false; }

  /// Returns an actor if it is of such a class, in this process; otherwise null.
  ///
  /// @thread any
  static const RequestingActorBase* own_kind(const caf::strong_actor_ptr& who);

  /// Has `on_down` called when `whom` ends, or at once if it has ended.
  virtual void watch_actor(const caf::actor& whom) = 0;
  /// Ends all watches of `whom` by this actor. A watch that is not ended stays with `whom` until
  /// `whom` ends, and keeps this actor's memory allocated. Takes time linear in the number of
  /// watches of `whom`.
  virtual void unwatch_actor(const caf::actor& whom) = 0;

protected:
  /// Takes a message that no handler of `complete` takes, and answers it at some time. Unless
  /// overridden, makes a promise and calls `on_submission`.
  virtual void on_message(caf::message&& payload);
  /// Takes such a message, with a promise to answer it. Unless overridden, refuses it.
  virtual void on_submission(caf::message payload, caf::response_promise client);
  /// Is offered every message that holds exactly one value of a library type, if the actor takes
  /// words. Returns whether the message was handled. A handled message that has no answer yet gets
  /// an empty answer.
  virtual bool on_word(const Word& word);
  /// Returns what is needed to answer the current message later, without a promise.
  virtual OpenRequest open_request() = 0;
  /// Gives a client its answer, and forgets the client. A client that was forgotten before gets
  /// nothing. A client that used a plain send gets the answer as a plain message, unless it is
  /// empty.
  ///
  /// @range no error: `refuse`
  void answer_request(OpenRequest& client, caf::message&& answer);
  /// Gives a client an error, and forgets the client. A client that used a plain send gets nothing:
  /// a bare error would end it.
  void refuse(OpenRequest& client, caf::error error);
  /// Answers the current message with an error, if it is a request.
  void refuse_current(caf::error error);
  /// Passes a message on to `receiver` in the name of its client, which gets the answer from there,
  /// and forgets the client. Without a client, the message has no sender.
  virtual void pass_on(OpenRequest& client, caf::message payload, const caf::actor& receiver) = 0;
  /// As `compat::respond`, in this actor's name. It is cheaper while the actor handles a message.
  virtual void respond(const OpenRequest& request, caf::message&& answer) = 0;
  /// Takes the answer to a request; a `caf::error` counts as one. If `from` is null, CAF answered
  /// by itself.
  virtual void on_response(std::uint64_t name, caf::message&& content,
                           const caf::strong_actor_ptr& from) = 0;
  /// Is told of the end of an actor that is watched.
  virtual void on_down(const caf::actor_addr& who, const caf::error& reason) = 0;
  /// Takes a system message of CAF that was sent as work; see `is_system_message`. Unless
  /// overridden, refuses it.
  virtual void on_system_message(caf::message message);
  /// Whether `on_down` reports the end of `who`. Then an exit message about that end, which comes
  /// from a link, is ignored, whatever the reason.
  virtual bool is_told_of_end(const caf::actor_addr& who) const;
  /// Is called when somebody tells this actor to end for `reason`, which is not
  /// `exit_reason::kill`; only for an actor that takes words. Unless overridden, ends.
  virtual void on_told_to_end(const caf::actor_addr& source, const caf::error& reason);

  /// Is called after a message, or after all messages that waited with it. So it costs less than
  /// something that is done for each message.
  virtual void on_batch_end() {}

  /// Makes a request without a timeout, under a name of the caller's choice. The answer goes to
  /// `on_response`.
  ///
  /// @range `name < 2^59`; not checked.
  virtual void make_request(std::uint64_t name, const caf::actor& receiver,
                            const caf::message& content, Priority priority) = 0;
  /// Probes whether an actor is alive; the probe overtakes all messages in its mailbox. If the
  /// actor is alive, the answer under that name is not an error. For a blocking actor, returns
  /// false and sends no probe: the actor would take the probe for work. A blocking actor answers
  /// nothing when it crashes, either.
  bool probe(std::uint64_t name, const caf::actor& whom);

  /// Returns `SenderError::unknown_type` if the receiver is on another node, and CAF cannot send it
  /// the message, because a type is not registered. No error: it can be sent.
  caf::error cannot_reach(const caf::actor& receiver, const caf::message& content);

  /// Whether the actor ends because nobody holds a handle to it. Then nothing may refer to it any
  /// more: remaining work has to be handed to another actor.
  ///
  /// @range in `on_exit`
  virtual bool is_unreachable() const = 0;

  /// The time of the actor system's clock, which need not be real time.
  Instant now();
  /// Returns a time that may be a few messages old, but is never older than the actor's current
  /// turn or its last call of `now`. Use it where every message needs a time, but not the exact
  /// time: reading a clock takes as long as some 150 instructions.
  Instant recent_now();
  /// Is called when the actor's turn begins.
  static void forget_recent_now();
  /// Sends a `WakeUp` to this actor at `at`, or soon if that time has passed. Replaces an earlier
  /// timer that is not due yet. Does not keep the actor alive.
  virtual void wake_at(Instant at) = 0;
};

} // namespace backoff_actor::compat
