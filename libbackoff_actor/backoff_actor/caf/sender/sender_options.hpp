#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/sender/while_down.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/guarantee.hpp"
#include "backoff_actor/delivery/ordering.hpp"
#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace backoff_actor {

/// How a child confirms a delivery.
enum class Acknowledgement {
  /// By answering it: any ordinary actor can be the child, unchanged. Its response is the
  /// acknowledgement and goes to the client; an empty one counts, and so does a later response
  /// promise.
  by_reply,
  /// By `Sent`: the child gets a `TrackedMsg` in place of the message. It may also refuse one with
  /// `Nack` or `Reject`, and ask for more time with `Working`.
  by_sent,
};

/// Decides what becomes of a failure. The error is the exit reason, the error answer,
/// `SenderError::ack_timeout`, or `SenderError::start_failed` with what the factory said.
///
/// It is asked when a failure is noticed, which may be before it is known to be one: about an error
/// answer that turns out to be that of a crash, for which it is asked again; about the end of a
/// child that had been told to end. So it must answer from its arguments alone. About hangs it is
/// asked once, when the sender, or its blueprint, is made. `Nack` and `Reject` say themselves what they are.
///
/// @errors if it throws, `default_decider` decides.
/// @thread the sender's
using Decider = std::function<Decision(FailureKind, const caf::error&)>;

/// The options of a `BackOffSender`; the defaults are those of the article.
struct SenderOptions {
  // -- failures ---------------------------------------------------------------------

  /// How long to wait after the first, second, third ... failure in a row.
  Policy backoff = RandomSlots{};

  /// The seed of the draws. Unset: a number drawn once per process.
  std::optional<std::uint64_t> seed{};

  /// The stream of the draws within the seed. Unset: one of its own, so that no two senders march in
  /// step; with a `seed`, the sender's number in its actor system. If it is set, all senders of a
  /// `SenderBlueprint` have the same.
  std::optional<std::uint64_t> stream{};

  /// When a child that went down is recreated.
  RestartTiming restart = RestartTiming::at_once;

  /// What becomes of a failure; empty: what `default_decider` says. A decision to retry that names
  /// no time takes it from the error, see `retry_after`.
  Decider decider{};

  /// How often a delivery may fail before it is given up; unset: without limit.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_attempts{};

  /// How often the process may end while a child has a delivery, before the next process gives it up
  /// (`hand_overs_exhausted`): a message that kills its process comes back for ever otherwise. Each
  /// hand-over then waits for a commit of its own. Charged is all that the child holds; what was charged once is
  /// handed over alone from then on. Unset: without limit.
  ///
  /// @range 1 and above, 2 and above if a child holds more than one; with an `outbox`
  std::optional<std::uint32_t> max_hand_overs{};

  /// How long a service may ask to be left alone; a delivery whose service asks for more is given
  /// up.
  ///
  /// @range 0 and above
  Duration retry_after_ceiling = std::chrono::minutes{5};

  /// How often the child may fail within which time; one failure more and the fallback takes over,
  /// or the sender ends. Unset: without limit.
  std::optional<RestartLimit> restart_limit{};

  /// How long after the first failure in a row a retry may begin at the latest; where the backoff
  /// says later, the fallback takes over, or the sender ends. Unset: without limit.
  ///
  /// @range above 0
  std::optional<Duration> max_elapsed{};

  /// The guard of the service that the child calls, shared by all senders whose children call it.
  /// While it lets nothing through, nothing is handed over and no child is made; that is no failure.
  /// The fallback is not guarded. A child that is `guarded` by the same guard would wait for itself.
  /// Made of nothing: there is none.
  ///
  /// @range a retry budget has a floor above 0
  SharedGuard guard{};

  /// Whether an error that is the answer to a delivery, and not retried, is a failure of the service,
  /// and not just its answer; empty: if `assess_error` calls it retryable. Crashes, hangs, failed
  /// starts and whatever is retried are failures. Only with `guard`.
  ///
  /// @errors if it throws, `assess_error` says.
  std::function<bool(const caf::error&)> is_service_failure{};

  /// Makes the children that take over when a limit is reached, until the child is well again;
  /// empty: the sender ends.
  ChildFactory fallback{};

  // -- the child --------------------------------------------------------------------

  /// When the first child is made. With `FirstStart::on_first_use` a sender whose child was never needed
  /// takes no memory for one; until the first message its phase is `starting`, and what the message
  /// finds out, if the child cannot be made, is what any later start would have told. What an
  /// `outbox` holds is a use, too. Restarts, and whatever follows a normal stop, are as ever.
  FirstStart child_start = FirstStart::at_once;

  /// How the child confirms a delivery.
  Acknowledgement acknowledgement = Acknowledgement::by_reply;

  /// How many deliveries the child works on at a time.
  WorksOn works_on = WorksOn::one;

  /// In which order deliveries are handed over.
  Ordering ordering = Ordering::strict;

  /// How many deliveries the child holds at the most. Unset: 1 where `Ordering::strict` meets a
  /// child that may refuse a delivery for now, that is with `Acknowledgement::by_sent` or a
  /// `decider`; otherwise 1024, and in strict order 1 from the first refusal on. A child that
  /// refuses one delivery while it holds later ones works on those first; set this to ask for the
  /// order of the hand-overs alone.
  ///
  /// @range 1 and above
  std::optional<std::uint32_t> max_in_flight{};

  /// How long the child may take to acknowledge; one that is silent for longer is ended and made
  /// again. Unset: for ever.
  ///
  /// @range above 0
  std::optional<Duration> ack_timeout{};

  /// How long a child has for ending: one that was silent, before it is abandoned; and the child of a sender that
  /// ends, before it is killed, and again before it is abandoned.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  /// What becomes of a child that was silent and has not ended then.
  AfterGrace after_grace = AfterGrace::abandon;

  // -- the outbox -------------------------------------------------------------------

  /// How many deliveries are owed at the most, together with the clients that wait for a delivery
  /// which somebody else submitted with the same idempotency key. What such a client submits beyond
  /// that is refused, `outbox_full`, whatever `overflow` says, for nothing is dropped for it. It
  /// weighs nothing, and takes up room until it is answered.
  ///
  /// @range 1 to `Outbox::max_size`
  std::size_t capacity = 1'000'000;

  /// How much all deliveries together may weigh; unset: anything, and nothing is weighed.
  ///
  /// @range 1 and above
  std::optional<std::uint64_t> capacity_bytes{};

  /// Weighs a message; empty: the bytes that CAF's binary serializer makes of it. 2^32 - 1 and
  /// everything above count the same. Only with `capacity_bytes`. Needed for types that CAF cannot
  /// serialize: CAF 0.17.6 makes no bytes of them, and CAF 1.x an error.
  ///
  /// @errors if it throws, the message is not accepted, and its client gets
  ///         `caf::sec::runtime_error` with the exception's text.
  std::function<std::size_t(const caf::message&)> weight_of{};

  /// What becomes of a message that comes when the outbox is full.
  Overflow overflow = Overflow::refuse;

  /// How long a delivery may wait for its acknowledgement if its `Submit` does not say; unset: for
  /// ever. One that expires while the child holds it takes up its room there until the child says
  /// something about it: with a child that may forget one, set `ack_timeout` too.
  ///
  /// @range above 0
  std::optional<Duration> time_to_live{};

  /// Returns the key of a message whose `Submit` names none; empty: none has. Only with
  /// `Ordering::per_key`. It must answer from the message alone.
  ///
  /// @errors as `weight_of`
  std::function<std::string(const caf::message&)> key_of{};

  /// Keeps what is owed beyond the life of the process, see `DurableOutbox`: a message is accepted when
  /// it is stored. Made of nothing: what is owed is kept in memory.
  ///
  /// @range not with `Guarantee::at_most_once`
  DurableOutbox outbox{};

  /// A name that stays the same over the lives of this sender: `TrackedMsg::origin` is a number made of
  /// it, so that a child knows again what an earlier life handed over. Empty: a number that no other
  /// sender has, and no other life of this one. So a sender with an `outbox`, whose numbers of deliveries
  /// go on over its lives, needs a name if its child remembers beyond one of them what it has done.
  /// It is the outbox that has the name: another one, or a new one in its place, needs another, for it
  /// numbers from 1, and a child would take what is new for what was done. Without an `outbox` each life
  /// numbers from 1, and a name would do just that.
  ///
  /// @range empty, unless there is an `outbox` and `Acknowledgement::by_sent`
  std::string origin{};

  /// How long the idempotency key of an acknowledged delivery is remembered, in memory and in a
  /// durable outbox, see `Submit::idempotency_key`. Nothing else bounds how many there are.
  ///
  /// @range above 0
  Duration idempotency_retention = std::chrono::hours{1};

  // -- at most once -----------------------------------------------------------------

  /// How often a message reaches a child. With `Guarantee::at_most_once` a message is passed on in its
  /// client's name, whom the child answers directly, and is forgotten: what a child had when it went
  /// down is lost, and requests among it are answered with CAF's own errors. What speaks of tracked
  /// messages is of no use then: `max_attempts`, `retry_after_ceiling`, `guard`, `fallback`,
  /// `acknowledgement`, `works_on`, `ordering`, `max_in_flight`, `ack_timeout`,
  /// `capacity`. The decider is asked of crashes and failed starts; its `reject` is as `retry`.
  Guarantee delivery = Guarantee::at_least_once;

  /// What becomes of a message that cannot be passed on; unset: `BufferWhileDown{1000}`, so that a
  /// crash costs only what the child had. Only with `Guarantee::at_most_once`.
  std::optional<WhileDown> while_down{};

  /// How long a child must have been there, and no delay have run, for the backoff to begin anew.
  /// Unset: as long as the longest delay of the backoff, so that a child which always lives a little
  /// longer than that before it fails is not started more often than one that fails at once.
  /// `Duration::max()`: only `Reset` begins it anew. It is looked at when the child fails, a message
  /// comes, or the status is asked for. Only with `Guarantee::at_most_once`: otherwise
  /// acknowledgements tell whether the child is well.
  ///
  /// @range above 0
  std::optional<Duration> healthy_after{};

  /// What follows a normal stop of the child. A stop while messages wait for the child is a failure,
  /// unless it is `end`. Only with `Guarantee::at_most_once`.
  AfterNormalStop after_normal_stop = AfterNormalStop::rest;

  /// Whether a message is the last: a child that is there gets it, behind all that waits, and when it
  /// has ended, the sender ends, normally. Without a child the sender ends at once, and the message,
  /// and what waits, become dead letters, `stopped`. Empty: none is. Only with
  /// `Guarantee::at_most_once`; otherwise `Drain` and then `Stop` end a sender that is done.
  ///
  /// @errors as `weight_of`
  std::function<bool(const caf::message&)> final_stop{};

  // -- who is told ------------------------------------------------------------------

  /// Gets a `DeadLetter` for each delivery that is given up, as a plain send without a sender. An
  /// actor that holds the sender's handle too lives until it lets go of that, or the sender ends.
  caf::actor dead_letters{};

  /// Is called with each delivery that is given up, in the sender's thread, or in the one that ends
  /// it. It must not block. Whoever submits a letter again at once tries for ever: there is no delay
  /// between the two.
  ///
  /// @errors what it throws is dropped.
  std::function<void(const DeadLetter&)> on_dead_letter{};

  /// Told of all that happens; empty: nobody is.
  EventHook on_event{};
};

/// Returns all that is wrong with the options; nothing if a sender can be made with them. An option
/// that could do nothing because another is not set is wrong.
BACKOFF_ACTOR_EXPORT Problems check(const SenderOptions& options);

namespace detail {

// What of the options does not go with how often a message reaches a child.
void check_guarantee(Problems& problems, const SenderOptions& options);

// Adds what the engine needs to know of that.
void add_guarantee(EngineOptions& result, const SenderOptions& options);

} // namespace detail

/// Returns what becomes of a failure if nobody says otherwise, and what a decider may return for all
/// that it has no opinion of: as `default_decider` without an error, but an answer with the error of
/// a sender that was `stopped`, `suspended` or `draining` is retried. That sender gave the message
/// back; nobody who works has answered it.
BACKOFF_ACTOR_EXPORT Decision default_decider(FailureKind kind, const caf::error& error);

/// Returns what the options' decider says of a failure, or `default_decider` in its stead.
BACKOFF_ACTOR_EXPORT Decision decide(const SenderOptions& options, FailureKind kind,
                                     const caf::error& error);

/// Returns whether an error answer is a failure of the service, by the options or else by
/// `assess_error`.
BACKOFF_ACTOR_EXPORT bool is_service_failure(const SenderOptions& options, const caf::error& error);

/// Returns what the engine of a sender needs to know of its options, with all that is left open
/// filled in but for the stream of the draws, which each sender has for itself.
BACKOFF_ACTOR_EXPORT EngineOptions engine_options(const SenderOptions& options);

/// Returns the stream of the draws of one more sender with these options; `number` is its number in its
/// actor system. Without a seed each call has another.
BACKOFF_ACTOR_EXPORT std::uint64_t stream_of_draws(const SenderOptions& options,
                                                   std::uint64_t number);

} // namespace backoff_actor
