#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_spec.hpp"
#include "backoff_actor/caf/sender/decider_of.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <memory>
#include <string>

namespace backoff_actor {

namespace detail {

struct SenderSettings;

} // namespace detail

/// Starts a sender, and with it its child. `make_child` is `child_of<Worker>(...)`, a worker that
/// is a function, or a function that makes the child, see `ChildFactory`.
///
/// A sender is an actor that supervises a dangerous child. It keeps every message until the child
/// has acknowledged it. It recreates a child that dies, and hands over again what the child has not
/// acknowledged, after a backoff.
///
/// The sender accepts any message, as a request or by a plain send, and answers what the child
/// answers. It answers a request with a `SenderError` if it refuses the message. It does the same
/// if it gives the message up, unless the child has refused it. `Submit` is a message with
/// instructions for its delivery.
///
/// Some messages are commands to the sender and never reach the child, unless they are inside of a
/// `Submit`: `Submit`, `Status`, `CurrentChild`, `RetryNow`, `Reset`, `Pause`, `Resume`, `Drain`
/// and `Stop`, each alone in its message. With `Acknowledgement::by_sent` the child's `Sent`,
/// `Nack`, `Reject` and `Working` are commands too.
///
/// The sender ends by `Stop`, or like any actor by an exit message. It ends by itself if a limit is
/// reached or the decider says so. The exit reason is then `SenderError::gave_up`, or the error
/// of the failure if the decider says `escalate`. Before the sender ends, it asks its child to end
/// (`user_shutdown`). From then on it accepts and hands over nothing, and takes the answers that
/// the child still gives. It kills a child that has not ended after `SenderOptions::kill_grace`,
/// and abandons it after the same time again. If a supervisor tells the sender to end, the child
/// has the time of `ChildOptions::shutdown` instead. With `exit_reason::kill` the sender ends at
/// once, and kills its child.
///
/// While the sender owes a delivery it lives, even if nobody holds a handle to it, and its actor
/// system waits for it.
///
/// With a durable outbox (`SenderOptions::outbox`) a message is accepted when it is stored.
/// Deliveries that are owed when the sender ends stay owed in the outbox, and their clients get
/// `SenderError::suspended`.
///
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `make_child`
///         if it is empty; throws `std::logic_error` if `init` was not called; throws `StoreError`,
///         `in_use`, if another sender uses the durable outbox. Nothing has been started then.
///         Later, the sender recreates a child that crashed or could not be made. If a living child
///         answers with an error, that error is the answer, and ends the delivery. There are three
///         exceptions: the error says when to come back (`retry_after`), it is that of a sender
///         that gave the message back (`stopped`, `suspended`, `draining`), or the decider says
///         otherwise.
/// @thread any; messages may come from any thread.
[[nodiscard("a sender without a handle ends when it owes nothing")]] BACKOFF_ACTOR_EXPORT caf::actor
spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                      SenderOptions options = {});

/// The factory and the options of many equal senders, checked once and shared by all:
///
///     SenderOptions options;
///     options.child_start = FirstStart::on_first_use;
///     const SenderBlueprint device{child_of<Device>(), options};
///     const auto sender = device.spawn(system);
///
/// Use it for many senders: a sender that shares its options takes a third less memory, see
/// docs/explanation/performance.md. Copies share too, and are cheap.
///
/// All senders of a blueprint share the factory, and the functions and hooks of the options. Each
/// sender calls them in its own thread, so several calls may run at the same time. What these
/// functions hold lives as long as the last sender or copy of the blueprint. Of the other options
///
/// - `stream` should stay unset: otherwise all senders draw the same delays, and retry in step;
/// - an `outbox` serves one sender at a time, and so does an `origin`;
/// - `guard` and `fallback` are shared.
///
/// @thread all members from any thread, several at a time.
class BACKOFF_ACTOR_EXPORT SenderBlueprint {
public:
  /// Checks the options. Starts nothing yet.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and
  ///         `make_child` if it is empty.
  explicit SenderBlueprint(ChildFactory make_child, SenderOptions options = {});

  /// The name that all its senders have, see `SenderOptions::name`; never empty.
  const std::string& name() const;

  /// Starts a sender, and with it its child, unless `RareSenderOptions::child_start` says
  /// otherwise.
  ///
  /// @errors throws `std::logic_error` if `init` was not called, and `StoreError`, `in_use`, if
  ///         another sender uses the durable outbox.
  [[nodiscard("a sender without a handle ends when it owes nothing")]] caf::actor
  spawn(caf::actor_system& system) const;

private:
  friend class BackOffSender;

  std::shared_ptr<const detail::SenderSettings> settings_;
};

/// Returns a factory of senders, for a parent whose child is a sender.
BACKOFF_ACTOR_EXPORT ChildFactory child_of(SenderBlueprint blueprint);

/// Returns the spec of a sender as the child of a supervisor. Its `options.shutdown` is the time
/// that the sender's own child has to end.
///
/// @errors throws `InvalidArgument` as `SenderBlueprint` does.
BACKOFF_ACTOR_EXPORT ChildSpec sender_spec(std::string id, ChildFactory make_child,
                                           SenderOptions options = {});

} // namespace backoff_actor
