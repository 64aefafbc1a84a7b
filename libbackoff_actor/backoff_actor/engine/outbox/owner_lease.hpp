#pragma once

// Design notes
//
//     doubtful --answer--> sure --four fifths of the lease, `doubt`--> doubtful
//        \                  /
//         \--- disowned ---/--> lost, for ever
//
// The server counts the lease from the moment when it has last heard from the owner. That moment
// is not before the owner began to call. So the owner counts from the beginning of each call that
// is answered, and stops a fifth earlier: its clock may run slower than the server's, and between
// the look at the clock and the hand-over some time passes.
//
// A call that fails may have ended the session, and with it the ownership. So the owner is doubtful
// at once, until a call is answered. No failure counts as an answer. `OutboxEngine::take(Failed)`
// says which failures leave the lease as it is, and which one ends it.

#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <chrono>

namespace backoff_actor {

/// What the owner of a shared store knows of its ownership.
///
/// @thread one at a time
class OwnerLease {
public:
  /// Nobody else can own the store.
  OwnerLease() = default;

  /// Doubtful, and to be renewed at once.
  explicit OwnerLease(Duration lease) : lease_(lease), renew_at_{Duration::min()} {}

  /// Whether another process can own the store.
  bool is_limited() const { return lease_ != Duration::zero(); }

  /// A call to the server begins.
  void begin(Instant now) { call_began_ = now; }

  /// The server has done what that call asked for. That says nothing if the store is lost.
  void answered() {
    if (!is_limited() || is_lost_)
      return;
    sure_until_ = std::max(sure_until_, call_began_ + lease_ / 5 * 4);
    renew_at_ = call_began_ + lease_ / 3;
  }

  /// That call failed: the session may be gone. Call again soon.
  void doubt() {
    if (!is_limited() || is_lost_)
      return;
    sure_until_ = Instant{Duration::min()};
    renew_at_ = Instant{Duration::min()};
  }

  /// Another process owns the store.
  void lose() {
    is_lost_ = true;
    sure_until_ = Instant{Duration::min()};
    renew_at_ = Instant::never();
  }

  /// Whether another process owns the store.
  bool is_lost() const { return is_lost_; }

  /// Until when no other process can own the store; never: for ever.
  Instant sure_until() const { return is_limited() ? sure_until_ : Instant::never(); }

  /// When to call the server next, if there is nothing to write until then.
  Instant renew_at() const { return renew_at_; }

private:
  Duration lease_{0};
  Instant call_began_{};
  Instant sure_until_{Duration::min()};
  Instant renew_at_ = Instant::never();
  bool is_lost_ = false;
};

} // namespace backoff_actor
