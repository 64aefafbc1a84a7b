#pragma once

#include "place.hpp"

#include <backoff_actor/caf/sender/sender.hpp>
#include <backoff_actor/testing/faults/faults.hpp>

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <memory>
#include <mutex>

namespace backoff_actor::soak {

/// The place of a sender, which has a successor when it has ended.
///
/// @thread safe from any thread.
class SenderSlot final : public Place {
public:
  /// With its first sender. `shared` must outlive this.
  SenderSlot(Shared& shared, SenderKind kind, std::uint64_t seed);

  caf::actor sender() const override;

  /// Makes a successor, unless there is one already, or none is to be any more, or the outbox is
  /// not free yet: then whoever asks again makes it.
  void succeed(const caf::actor& gone) override;

  /// Ends the present sender, in one way or another, after it has got a successor; one with a
  /// durable outbox gets that afterwards, see `succeed`.
  void end_sender(bool politely);

  /// Ends the youngest child, as if it had crashed or had been killed.
  void end_child(bool kill);

  /// Ends the sender and lets go of all actors.
  void end();

private:
  struct Children;

  caf::actor make_sender() const;

  const testing::Faults faults_; // followed by the children of all senders
  const std::shared_ptr<Children> children_;
  mutable std::mutex mutex_; // of all below
  caf::actor sender_;
};

} // namespace backoff_actor::soak
