#pragma once

#include "part.hpp"
#include "sender_kind.hpp"

#include <backoff_actor/caf/sender/sender_options.hpp>

#include <caf/actor.hpp>

#include <utility>

namespace backoff_actor::soak {

/// Where clients find a sender, although senders come and go.
///
/// @thread safe from any thread.
class Place {
public:
  /// `shared` must outlive this.
  Place(Shared& shared, SenderKind kind) : shared_(shared), kind_(std::move(kind)) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  /// What the sender is like.
  const SenderKind& kind() const { return kind_; }
  /// What all its actors share.
  Shared& shared() const { return shared_; }

  /// The present sender; invalid once all is over.
  virtual caf::actor sender() const = 0;

  /// Is told that a sender was found to have ended.
  virtual void succeed(const caf::actor& gone) = 0;

private:
  Shared& shared_;
  const SenderKind kind_;
};

/// The options of a sender of this kind, whose events are counted and whose dead letters go to
/// the account.
SenderOptions options_of(const SenderKind& kind, Shared& shared);

} // namespace backoff_actor::soak
