#pragma once

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/offers/offer_book.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace backoff_actor {

/// The processes that offer workers to one sender, and the starts of children there.
///
/// @thread the sender's own
class BACKOFF_ACTOR_EXPORT OfferedWorkers {
public:
  /// An offer that stands no longer.
  struct Gone {
    OfferBook::Offer offer;             ///< which
    caf::actor maker;                   ///< whose
    std::vector<std::uint16_t> workers; ///< of the pool, whose children are there
    std::uint32_t places;               ///< how many it stood for; 0: it was withdrawn before
  };

  /// How many workers are offered.
  std::uint32_t places() const { return book_.places(); }

  /// Whether this process has an offer.
  bool knows(const caf::actor& maker) const { return find(maker.address()).has_value(); }

  /// Whether this process has taken its workers away, and some are still there.
  bool has_withdrawn(const caf::actor_addr& maker) const {
    const auto offer = find(maker);
    return offer && book_.is_withdrawn(*offer);
  }

  /// Returns the processes that may still be heard of.
  std::vector<caf::actor> makers() const;

  /// Takes an offer.
  void add(const caf::actor& maker, std::uint32_t workers);

  /// Starts a child of `self` at one of the processes. Fails if all places are taken.
  void start(caf::event_based_actor& self, std::uint32_t incarnation, std::uint16_t worker,
             const ChildPromise& child);

  /// The child is gone, or is not wanted any more. Returns the state of its offer; nothing if it is
  /// none of these.
  std::optional<OfferBook::State> release(std::uint32_t incarnation);

  /// The process takes its workers away. Nothing if it has no offer that stands.
  std::optional<Gone> withdraw(const caf::actor_addr& maker);

  /// The process has ended, or cannot be reached any more. Nothing if it has no offer, or was lost.
  std::optional<Gone> lose(const caf::actor_addr& maker);

  /// The same, for the process of this child.
  std::optional<Gone> lose_of(std::uint32_t incarnation);

private:
  std::optional<OfferBook::Offer> find(const caf::actor_addr& maker) const;
  std::optional<Gone> end(std::optional<OfferBook::Offer> offer, OfferBook::State state);

  OfferBook book_;
  std::map<OfferBook::Offer, caf::actor> makers_; // of offers that stand, and of those withdrawn
};

} // namespace backoff_actor
