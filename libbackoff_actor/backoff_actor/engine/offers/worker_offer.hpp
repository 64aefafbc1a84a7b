#pragma once

// Design notes
//
// A process that offers workers:
//
//     searching --found--> asking --taken--> working --owner gone--+
//         ^  \--no owner--+    \--refused, or no answer--+         |
//         |               v                              v         |
//         +-------------- waits, longer each time in a row <-------+
//
// While it works it renews the offer, time and again: an owner that is not sure any more that it
// owns the outbox refuses, although it lives. No answer is no refusal, for the owner may be busy.
//
//     any --stop--> leaving --no worker left, or the grace is over--> ended
//
// It makes a worker at each place that the owner asks for. The workers end with their owner. The
// next owner may ask for a place whose worker still ends: the driver kills that one.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstdint>
#include <vector>

namespace backoff_actor {

/// Decides what a process does that offers workers to the owner of an outbox. Its driver carries
/// out each act, in order, and calls `wake` at `due()`.
///
/// @errors none but `std::bad_alloc`
/// @thread one at a time
class BACKOFF_ACTOR_EXPORT WorkerOffer {
public:
  /// How long an owner may take to answer an offer.
  static constexpr Duration answer_limit = std::chrono::seconds{2};

  /// The time between two renewals.
  static constexpr Duration renewal = std::chrono::seconds{1};

  /// Where it stands.
  enum class Phase : std::uint8_t {
    waiting,   ///< until the next try
    searching, ///< for the owner
    asking,    ///< the owner was told, and has not answered
    working,   ///< the owner has taken the workers
    leaving,   ///< told to stop, while workers are there
    ended,     ///< nothing more comes
  };

  /// What the driver does.
  enum class Act : std::uint8_t {
    find_owner,   ///< then call `found` or `not_found`
    offer,        ///< tell the owner, maybe again; then call `taken` or `refused`
    withdraw,     ///< tell the owner that its workers are to finish
    end_workers,  ///< ask all workers to end
    kill_workers, ///< end all workers at once
    quit,         ///< there is nothing more to do
  };

  /// What the driver does, in this order.
  using Acts = std::vector<Act>;

  /// Waits for `begin`.
  ///
  /// @param backoff the waits between failures to join
  /// @param workers how many are offered
  WorkerOffer(BackOff backoff, std::uint32_t workers)
    : backoff_(std::move(backoff)), places_(workers) {}

  /// Begins.
  Acts begin();

  /// There is an owner.
  Acts found(Instant now);

  /// There is none.
  Acts not_found(Instant now);

  /// The owner has taken the workers, or has them still.
  void taken(Instant now);

  /// The owner has refused them.
  Acts refused(Instant now);

  /// The owner's sender has ended, or cannot be reached any more.
  Acts owner_gone(Instant now);

  /// Leave: finish what the workers hold, within this time. With no time, at once.
  Acts stop(Instant now, Duration grace);

  /// Looks at the clock. Harmless at any time.
  Acts wake(Instant now);

  /// Whether a worker may be made at this place.
  bool may_make(std::uint32_t place) const;

  /// A worker is there, or is being made.
  void note_made(std::uint32_t place) { places_[place] = true; }

  /// The worker at this place has ended, or could not be made.
  Acts note_gone(std::uint32_t place);

  /// When to call `wake`; never: not by itself.
  Instant due() const { return due_; }

  /// Where it stands.
  Phase phase() const { return phase_; }

private:
  bool has_workers() const;
  Acts try_later(Instant now);
  Acts end();

  BackOff backoff_;
  std::vector<bool> places_; // whether a worker is there
  Phase phase_ = Phase::waiting;
  Instant due_ = Instant::never();
};

} // namespace backoff_actor
