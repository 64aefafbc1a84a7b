#pragma once

#include "part.hpp"
#include "sender_kind.hpp"

#include <backoff_actor/caf/back_off_sender.hpp>
#include <backoff_actor/testing/faults.hpp>

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <memory>
#include <mutex>

namespace backoff_actor::soak {

/// The place of a sender, which has a successor when it has ended.
///
/// @thread safe from any thread.
class SenderSlot {
public:
  /// With its first sender. `shared` must outlive this.
  SenderSlot(Shared& shared, SenderKind kind, std::uint64_t seed);
  SenderSlot(const SenderSlot&) = delete;
  SenderSlot& operator=(const SenderSlot&) = delete;

  /// Whose place it is.
  const SenderKind& kind() const { return kind_; }
  /// What all its actors share.
  Shared& shared() const { return shared_; }

  /// The present sender; invalid after `end`.
  caf::actor sender() const;

  /// Makes a successor, unless there is one already, or none is to be any more.
  void succeed(const caf::actor& gone);

  /// Ends the present sender, in one way or another, after it has got a successor.
  void end_sender(bool politely);

  /// Ends the youngest child, as if it had crashed or had been killed.
  void end_child(bool kill);

  /// Ends the sender and lets go of all actors.
  void end();

private:
  struct Children;

  caf::actor make_sender() const;

  Shared& shared_;
  const SenderKind kind_;
  const testing::Faults faults_; // followed by the children of all senders
  const std::shared_ptr<Children> children_;
  mutable std::mutex mutex_; // of all below
  caf::actor sender_;
  caf::actor letter_box_;
};

} // namespace backoff_actor::soak
