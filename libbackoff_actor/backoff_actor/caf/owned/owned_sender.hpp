#pragma once

// Design notes
//
// Several processes start the same sender on the same outbox. One of them owns it, and there the
// sender lives; in the others only the actor of `spawn_owned_sender` does, and stands by:
//
//     standing by --own--> owning --lease over, disowned, session ended--> standing by
//          \                  \---the sender ends by itself, or by Stop--> ended
//           \--Stop, exit--> ended
//
// `StandbyHand`, an actor, waits for the ownership and reads what is owed. It has a thread of its
// own if the outbox writes in one. Then the sender is made. What was handed over to an owner
// before, also by this process, comes first: the sender holds its clients' messages until it has
// all rows that were committed by then. Rows that are not committed yet may be on their way from
// this process. So this actor holds messages, too, until it knows what became of each of them. Then
// it has the sender look once more.
//
// Each answer of the server tells the sender until when no other process can
// own the outbox. The sender looks at that before it hands over anything.

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/delivery/shared_store.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <memory>
#include <string>
#include <utility>

namespace backoff_actor {

/// An outbox that several processes want, and one owns at a time.
struct SharedOutbox {
  /// Where it is: `postgres_store(...)`. Give each sender its own.
  std::shared_ptr<SharedStore> store{};

  /// The types that the parts of its messages may have, see `durable`.
  DurableTypes types{};

  /// How it is written.
  DurableOptions options{};

  /// Takes messages of this type from other programs, which write them to the store in transactions
  /// of their own:
  ///
  ///     outbox.foreign("order.v1", [](std::span<const std::byte> json) {
  ///       return caf::make_message(Order::from_json(json));
  ///     });
  ///
  /// If the decoder throws, or if no decoder has the type's name, the message becomes a dead
  /// letter, `unreadable`, with its bytes. A program with another decoder can take it up again, by
  /// `backoffctl outbox resubmit`. All processes that share the outbox need the same decoders.
  ///
  /// @param type 1 to 255 bytes, without `;`
  /// @param decoder makes a message of the bytes
  /// @errors throws `InvalidArgument` if the name is not allowed or is taken, or if there is no
  ///         decoder.
  /// @thread the decoder runs on the threads of the sender and of those that read the store
  SharedOutbox& foreign(std::string type, ForeignDecoder decoder) {
    types.add_foreign(std::move(type), std::move(decoder));
    return *this;
  }
};

/// Returns all problems of the shared outbox.
BACKOFF_ACTOR_EXPORT Problems check(const SharedOutbox& outbox);

/// Starts a sender whose outbox is shared with other processes. Call it in each of them, in the
/// same way. The process that owns the outbox has the sender and its child. The others stand by.
/// One of them takes over when the owner dies, is frozen for longer than the lease, or loses the
/// server for as long.
///
/// The actor that is returned takes the same messages and commands as a sender. While this process
/// does not own the outbox, it hands each `Submit` over to the owner, in a row of the store. Once
/// the row is committed, a `Submit` with `answer_when_accepted` gets `Accepted`, whose number is 0:
/// the owner numbers the delivery. If the server does not take the row, it gets
/// `SenderError::not_stored`; the row may be there if the connection broke. `Stop` waits for no
/// answer of the server: the client gets `SenderError::stopped`, and the row is still written. All
/// else is refused: a request that wants the child's answer gets `SenderError::not_owner`, whose
/// text names the owner's node, and a plain send is reported as `event::NotAccepted`. `Stop` ends
/// the actor at any time. It ends with the reason of its sender.
///
/// An owner whose call to the server fails hands over nothing new until the server answers again.
/// The same holds for one that hears nothing for four fifths of the lease. If another process then
/// owns the outbox, the sender asks its child to end. Its clients get `SenderError::suspended`: the
/// new owner delivers what is owed. A client whose message the server may or may not have gets
/// `SenderError::stopped`. What the child had in hand may be done twice. A child that acknowledges
/// by `Sent` gets `TrackedMsg::epoch`, by which a service can refuse the call of an owner that is
/// no longer one.
///
/// In `options`, `outbox` stays unset: the sender gets the shared one.
///
/// @errors throws `InvalidArgument` naming every option that is wrong, and `std::logic_error` if
///         `init` was not called. If the server cannot be reached, or refuses, the actor goes on
///         trying, and reports each failure to `DurableOptions::on_error` and as
///         `event::StoreNotice`.
/// @thread any; messages may come from any thread.
[[nodiscard("a sender without a handle ends when it owes nothing")]] BACKOFF_ACTOR_EXPORT caf::actor
spawn_owned_sender(caf::actor_system& system, ChildFactory make_child, SenderOptions options,
                   SharedOutbox outbox);

} // namespace backoff_actor
