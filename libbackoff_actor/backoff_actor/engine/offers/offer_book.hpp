#pragma once

// What a sender knows of the processes that offer it workers: how many each offers, and which of
// its children is at which of their places.
//
//     an offer: stands --withdrawn, or lost--> forgotten once none of its places is taken
//     a place:  free --take--> taken --release--> free
//
// Each offer has its places, numbered from 0. A process makes one worker for a place, so a worker
// of which this book does not know ends with the next one at its place.

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace backoff_actor {

/// The workers that other processes offer to one sender.
///
/// @errors none but `std::bad_alloc`
/// @thread one at a time
class BACKOFF_ACTOR_EXPORT OfferBook {
public:
  /// The number of an offer, from 1.
  using Offer = std::uint32_t;

  /// What has become of an offer.
  enum class State : std::uint8_t {
    stands,    ///< its places may be taken
    withdrawn, ///< its process takes its workers away, when they have finished
    lost,      ///< its process, or the line to it, has failed
  };

  /// A place for one worker.
  struct Place {
    Offer offer;          ///< whose it is
    std::uint32_t number; ///< from 0

    /// Whether two are the same.
    friend bool operator==(const Place&, const Place&) = default;
  };

  /// A process offers so many workers.
  Offer add(std::uint32_t workers);

  /// Returns how many workers are offered, by all offers that stand.
  std::uint32_t places() const { return places_; }

  /// Takes a place for a child of this incarnation, for this worker of the pool: at the offer that
  /// has the most free ones. None: all are taken.
  std::optional<Place> take(std::uint32_t incarnation, std::uint16_t worker);

  /// The child is gone, or was not made. Frees its place. Returns the state of its offer; nothing
  /// if it has no place.
  std::optional<State> release(std::uint32_t incarnation);

  /// Returns the offer at which the child is; nothing if it has no place.
  std::optional<Offer> offer_of(std::uint32_t incarnation) const;

  /// No place of the offer is taken from now on. Returns the workers of the pool whose children are
  /// there. An offer that was lost stays lost.
  std::vector<std::uint16_t> end(Offer offer, State state);

  /// Whether its process has taken its workers away, and some are still there.
  bool is_withdrawn(Offer offer) const {
    const auto found = offers_.find(offer);
    return found != offers_.end() && found->second.state == State::withdrawn;
  }

  /// Whether the offer is still known.
  bool knows(Offer offer) const { return offers_.contains(offer); }

private:
  struct Entry {
    State state = State::stands;
    std::vector<bool> taken; // by place
    std::uint32_t free;      // places
  };

  struct Child {
    Place place;
    std::uint16_t worker;
  };

  void forget_if_over(Offer offer);

  std::map<Offer, Entry> offers_{};
  std::unordered_map<std::uint32_t, Child> children_{}; // by incarnation
  std::uint32_t places_ = 0;
  Offer last_ = 0;
};

} // namespace backoff_actor
