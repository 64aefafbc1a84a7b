#pragma once

#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/calendar/zone.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/ordering.hpp"
#include "backoff_actor/observe/events.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/supervision/charging.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/lifecycle.hpp"
#include "backoff_actor/supervision/pool_options.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor {

/// How a child confirms a delivery.
enum class Acknowledgement {
  /// With its answer: any ordinary actor can be the child, unchanged. The answer is the
  /// acknowledgement and goes to the client. An empty answer counts, and so does a response promise
  /// that the child keeps later.
  by_reply,
  /// With `Sent`: the child gets a `TrackedMsg` in place of the message. It may also refuse a
  /// delivery with `Nack` or `Reject`, and ask for more time with `Working`.
  by_sent,
};

/// Decides what follows a failure. The error is the exit reason, the error answer,
/// `SenderError::ack_timeout`, or `SenderError::start_failed` with the text of the factory.
///
/// The sender asks as soon as it notices a failure. An error answer may turn out to belong to a
/// crash: then the sender asks again about the crash. It also asks about the end of a child that it
/// had told to end. So the decider must use nothing but its arguments. The sender asks about hangs
/// once, when the sender or its blueprint is made. It does not ask about `Reject`. About a
/// `Nack` it asks only for the class of the failure, and only with `by_reason`.
///
/// @errors if it throws, `default_decider` decides.
/// @thread the sender's
using Decider = std::function<Decision(FailureKind, const caf::error&)>;

/// Returns what follows a failure if there is no decider. A decider may return it for errors that
/// it has no opinion about; one that is made by `decider_of` does. It decides as
/// `default_decider(kind)` does, with one exception: it retries if the answer is the error of a
/// sender that was `stopped`, `suspended` or `draining`. That sender gave the message back, and no
/// worker has answered it.
BACKOFF_ACTOR_EXPORT Decision default_decider(FailureKind kind, const caf::error& error);

/// Workers of another kind than the child of the sender, such as those on another node.
struct OtherWorkers {
  /// Makes them.
  ChildFactory make_child{};

  /// How many there are. Default-constructed: one.
  WorkerCount workers{};

  /// As `PoolOptions::max_in_flight`.
  ///
  /// @range 1 to 1024
  std::uint32_t max_in_flight = 1;
};

/// Workers that other processes offer, see `offer_workers`.
struct OfferedWorkersOptions {
  /// How many the sender takes, of all processes together. 0: none.
  ///
  /// @range 0 to 1000, of all kinds together
  std::uint32_t most = 0;

  /// As `PoolOptions::max_in_flight`.
  ///
  /// @range 1 to 1024
  std::uint32_t max_in_flight = 1;
};

/// Workers that share the outbox of one sender. Each has its own backoff, its own restarts and its
/// own time to acknowledge. One that fails touches what it holds, and nothing else.
///
/// It is a pool if `workers` is set, if there are `others`, or if it takes `offered` ones. A pool
/// needs `Ordering::per_key` or `unordered`: with several workers, nobody can promise that work is
/// done in the order of the messages.
struct PoolOptions {
  /// How many workers the factory of the sender makes. The pool grows and shrinks between the two
  /// as `scaling` says. Default-constructed: one. If the sender takes `offered` workers, `{0, 0}`
  /// is allowed, too: then it has none of its own.
  WorkerCount workers{};

  /// How many deliveries one worker may hold. With 1, no worker idles while a delivery waits at
  /// another. More make sense if a delivery takes less than some 10 us, or if the worker is on
  /// another node: there, as many as cover the way, 1 + 2 x round trip / time of one delivery.
  ///
  /// @range 1 to 1024
  std::uint32_t max_in_flight = 1;

  /// When the pool gets another worker, and when one leaves. Default-constructed: the defaults of
  /// `PoolScaling`.
  PoolScaling scaling{};

  /// Workers of other kinds, beside those of the sender's factory.
  std::vector<OtherWorkers> others{};

  /// Workers that other processes offer. Default-constructed: none are taken.
  OfferedWorkersOptions offered{};

  /// Whether it is a pool.
  bool is_pool() const { return workers != WorkerCount{} || !others.empty() || offered.most > 0; }
};

/// The second part of `SenderOptions`: most senders leave this alone.
struct RareSenderOptions {
  // -- failures --------------------------------------------------------------------

  /// How often the process may end while a child holds a delivery. The next process then gives the
  /// delivery up: `hand_overs_exhausted`. Without this limit a message that kills its process comes
  /// back for ever. With it, each hand-over waits for a commit of its own. The count goes up for
  /// every delivery that the child holds when the process ends; the next processes hand each of
  /// them over alone. Unset: any number of times.
  ///
  /// @range 1 to 1,000,000,000; 2 and above if a child may hold several; only with an `outbox`
  std::optional<std::uint32_t> max_hand_overs{};

  /// Makes the children that take over when a limit is reached, until the child is well again.
  /// Empty: the sender ends.
  ChildFactory fallback{};

  // -- the child -------------------------------------------------------------------

  /// When the sender makes the first child. With `FirstStart::on_first_use` a sender that got no
  /// message yet has no child: its phase is `starting`, and it takes no memory for a child. The
  /// first message starts the child. What an `outbox` holds counts as a message. If the child
  /// cannot be made, the usual handling of a failed start follows. Restarts do not wait for a
  /// message.
  FirstStart child_start = FirstStart::at_once;

  /// How many deliveries the child works on at a time.
  WorksOn works_on = WorksOn::one;

  /// What the sender does about a silent child that has not ended after `kill_grace`.
  AfterGrace after_grace = AfterGrace::abandon;

  // -- the outbox ------------------------------------------------------------------

  /// How many bytes all deliveries together may have. Unset: any number, and nothing is weighed.
  ///
  /// @range 1 to 2^63 - 1
  std::optional<std::uint64_t> capacity_bytes{};

  /// Returns the bytes of a message; empty: the size of what CAF's binary serializer makes of it.
  /// Everything above 2^32 - 1 counts as that. Only with `capacity_bytes`. Types that CAF cannot
  /// serialize need this function. Without it, a message of a type that is not registered is
  /// refused with `SenderError::unknown_type`; of a type that may not be serialized (an "unsafe"
  /// one) CAF 0.17.6 makes no bytes, and CAF 1.x an error.
  ///
  /// @errors if it throws, the message is not accepted, and its client gets
  ///         `caf::sec::runtime_error` with the exception's text.
  std::function<std::size_t(const caf::message&)> weight_of{};

  /// What the sender does with a message that comes when the outbox is full.
  Overflow overflow = Overflow::refuse;

  /// Returns the key of a message whose `Submit` names none; empty: such a message has no key. Only
  /// with `Ordering::per_key`. It must use nothing but the message.
  ///
  /// @errors as `weight_of`
  std::function<std::string(const caf::message&)> key_of{};

  /// A name for the outbox file. `TrackedMsg::origin` is a number made of it, so that a child
  /// recognises deliveries that an earlier process handed over. Set it if the child remembers what
  /// it has done for longer than a process lives. Give every new file a new name: a new file
  /// numbers from 1 again, and a child that remembers would skip new work as done. Empty: a number
  /// that no other sender has, in no process.
  ///
  /// @range empty, unless there is an `outbox` and `Acknowledgement::by_sent`
  std::string origin{};

  /// How long the sender remembers the idempotency key of an acknowledged delivery, in memory and
  /// in a durable outbox, see `Submit::idempotency_key`. Nothing else limits the number of keys.
  ///
  /// @range 1 us and above
  Duration idempotency_retention = std::chrono::hours{1};

  /// How many bytes an answer of a child may have to be kept, in memory and in a durable outbox.
  /// It is kept as long as the idempotency key of its message, and `Ask` returns it. Of a larger
  /// one the sender keeps how large it was. An outbox keeps answers of its durable types alone. 0:
  /// no answer is kept. The bytes are those of CAF's binary serializer.
  ///
  /// @range 0 to 16,384
  std::uint32_t largest_kept_answer = 0;

  // -- the calendar ----------------------------------------------------------------

  /// Finds the zones in the schedules of entries, see `Repeat`: `find_zone` of
  /// `backoff_actor::zones`. Null: UTC alone is known.
  ///
  /// @errors throws `InvalidArgument` if there is no such zone.
  FindZone find_zone = nullptr;
};

/// The options of a sender. The defaults are those of the article "Exponential Backoff with Akka
/// Actors".
///
/// The actor system waits at its end for senders that still owe deliveries, and those call the
/// functions of their options meanwhile. So what a function captures must live as long as the actor
/// system: declare it before the actor system. This holds for `decider`, `on_dead_letter`,
/// `on_event`, the functions of `rare`, and the factory of the child. A `SharedQueue` keeps what
/// the hooks report, and may be declared anywhere.
struct SenderOptions {
  /// What the sender is, for people and their logs, see `ActorName`: events, the status, trees,
  /// errors and warnings name the sender `billing#17`. All senders that do the same have the same
  /// name. Empty: the class of the worker, so `child_of<HttpWorker>()` gives `http_worker`; for
  /// other factories `sender`.
  ///
  /// @range 1 to 64 characters of `a-z`, `0-9`, `_`, `.` and `-`, or empty
  std::string name{};

  // -- failures ---------------------------------------------------------------------

  /// How long to wait after the first, second, third ... failure in a row. The default suits up to
  /// 50 senders that call the same service; docs/how-to/policies.md has the figures, and what more
  /// take.
  Policy backoff = RandomSlots{};

  /// The seed of the random draws. Unset: one number per process.
  std::optional<std::uint64_t> seed{};

  /// The stream of the random draws within the seed. Unset: each sender has its own, so that no two
  /// senders retry in step; with a `seed` it is the sender's number in its actor system. If it is
  /// set, all senders of a `SenderBlueprint` use it.
  std::optional<std::uint64_t> stream{};

  /// Who waits after a message has failed: by default the worker that it failed with, and where
  /// order is not strict the message, too. `BackoffBy::message`: the message alone, so one that
  /// fails waits as `backoff` says, whoever else fails.
  BackoffBy backoff_by = BackoffBy::worker_and_message;

  /// When the sender recreates a child that went down.
  RestartTiming restart = RestartTiming::at_once;

  /// Decides what follows a failure; empty: `default_decider` does. If it decides to retry and
  /// names no time, the time comes from the error, see `retry_after`.
  Decider decider{};

  /// How often a delivery may fail by its own fault before the sender gives it up. Unset: any
  /// number of times.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_attempts{};

  /// Which failures are the delivery's own fault. Default-constructed: by evidence, so none is
  /// while the service is down. Only with `max_attempts`, here or in `by_reason`.
  Charging charging{};

  /// How failures of certain classes are retried: another wait, another number of attempts, another
  /// price in the retry budget. The `decider` says the class, `Decision::retry_as("throttling")`.
  /// Without a word of it the class has the name of the failure's
  /// kind: `child_down`, `start_failed`, `ack_timeout` or `error_answer`. What a message itself
  /// says comes first, see `Submit::retries`. Empty: all alike.
  ///
  ///     options.by_reason = "throttling: backoff exponential(1s, cap 20s) | full_jitter, cost 5;"
  ///                         "ack_timeout: max_attempts 2";
  ///
  /// @range a cost at most what the retry budget of the guard holds after a rest
  ByReason by_reason{};

  /// What the pause that a service asks for does to the wait of the backoff. Default-constructed:
  /// up to 5 minutes. The sender retries no earlier than the service asked, and gives up a delivery
  /// whose service asks for more. A span stands for the same with another bound. In strict order
  /// it is the wait of all deliveries, else that of the refused one. After a crash, a hang, or an
  /// error that blames the service, a longer wish is cut to the bound.
  ///
  /// @range the bound 0 and above
  RetryAfterReading retry_after{};

  /// How many failures the sender allows within a time. After one more, the fallback takes over;
  /// without a fallback the sender ends. Unset: any number.
  std::optional<RestartLimit> restart_limit{};

  /// How long after the first failure in a row the last retry may begin. If the backoff asks for a
  /// later retry, the fallback takes over; without a fallback the sender ends. Unset: for ever.
  ///
  /// @range 1 us and above
  std::optional<Duration> max_elapsed{};

  /// The guard of the service that the child calls. All senders whose children call the service
  /// share it. While the guard lets nothing through, the sender hands nothing over and makes no
  /// child; that is no failure. The fallback is not guarded. The child itself must not be `guarded`
  /// by the same guard: each call would then ask the guard twice, and a probe would hold itself
  /// back. Default-constructed: no guard.
  ///
  /// @range a retry budget has a floor above 0
  SharedGuard guard{};

  // -- the child --------------------------------------------------------------------

  /// How the child confirms a delivery.
  Acknowledgement acknowledgement = Acknowledgement::by_reply;

  /// In which order the sender hands deliveries over.
  Ordering ordering = Ordering::strict;

  /// How many deliveries the child may hold. Unset: 1024, or 64 if the child or the fallback is on
  /// another node. In strict order it is 1 with `Acknowledgement::by_sent` or a `decider`, and else
  /// 1 from the child's first refusal on that is not final: a child that refuses one delivery goes
  /// on with the later ones that it holds. If you set this in strict order, the hand-overs are in
  /// order, and the work is not.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_in_flight{};

  /// Workers that share the outbox, in place of one child. Default: one child.
  PoolOptions pool{};

  /// How long the child may take to acknowledge. The sender ends a child that is silent for longer,
  /// and makes a new one. Unset: for ever.
  ///
  /// @range 1 us and above
  std::optional<Duration> ack_timeout{};

  /// How long a child may take to end after the sender told it to. After that time, the sender
  /// abandons a silent child. A sender that ends kills its child after that time, and abandons it
  /// after the same time again.
  ///
  /// @range 0 and above
  Duration kill_grace = std::chrono::seconds{5};

  // -- the outbox -------------------------------------------------------------------

  /// How many deliveries the sender owes at most. Clients that wait for a delivery which somebody
  /// else submitted with the same idempotency key count too, until they are answered. Beyond the
  /// capacity, such a client is refused with `outbox_full`, whatever `overflow` says: the sender
  /// drops nothing for it.
  ///
  /// @range 1 to 268,435,455
  std::size_t capacity = 1'000'000;

  /// How long a delivery may wait for its acknowledgement if its `Submit` does not say. Unset: for
  /// ever. A delivery that expires while the child holds it keeps its place there until the child
  /// says something about it. If the child may forget a delivery, set `ack_timeout` too.
  ///
  /// @range 1 us and above
  std::optional<Duration> time_to_live{};

  /// Keeps owed deliveries beyond the life of the process, see `DurableOutbox`. A message is
  /// accepted when it is stored. Default-constructed: the sender keeps what it owes in memory.
  DurableOutbox outbox{};

  // -- notifications ----------------------------------------------------------------

  /// Is called with each message that is given up, in the sender's thread, or in the thread that
  /// ends the sender. It must not block. A function that submits each letter again at once may do
  /// so for ever, without a delay. An `outbox` keeps the letters too; neither takes them from the
  /// other. To let an actor have them, send them there.
  ///
  /// @errors if it throws, a line on the error stream and the event `DeadLetterHookFailed` say so,
  ///         for each letter. If no `outbox` has the letter, the line has the text of the message,
  ///         and the event has the letter.
  std::function<void(const DeadLetter&)> on_dead_letter{};

  /// Is called with each event; empty: events are not made. It is called at the time of the event,
  /// so that it may ask the system's clock for the time of day. If it throws, see `EventHook`.
  ///
  ///     options.on_event = [](const Event& event) {
  ///       if (severity_of(event) >= Severity::info)
  ///         std::clog << line_of(event, std::chrono::system_clock::now()) + '\n';
  ///     };
  EventHook on_event{};

  /// Sees the numbers of the sender, under its `name`. Unset: nobody does, and they cost nothing.
  std::optional<Observatory> observed_by{};

  // -- the rest --------------------------------------------------------------------

  /// Most senders leave this alone.
  RareSenderOptions rare{};
};

/// Returns everything that is wrong with the options; nothing if a sender can be made with them. It
/// is wrong to set an option that has no effect because another option is not set.
BACKOFF_ACTOR_EXPORT Problems check(const SenderOptions& options);

} // namespace backoff_actor
