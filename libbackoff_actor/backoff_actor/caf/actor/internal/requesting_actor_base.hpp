#pragma once

// What the actor of the seam is in every version of CAF. Include requesting_actor.hpp instead.

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/error.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/response_promise.hpp>

#include <cstdint>

namespace backoff_actor::seam {

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

  /// Whether it kills a child that takes too long to end.
  virtual bool limits_ends() const { return false; }

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
