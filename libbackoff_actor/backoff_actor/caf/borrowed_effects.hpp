#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/outbox.hpp"
#include "backoff_actor/engine/effects.hpp"

#include <utility>

namespace backoff_actor {

// Room for the effects of one step, which each thread keeps for the next step of any sender: a sender
// that waits needs none. Effects that end another actor may lead to a step of that one within the
// step of this, which then has room of its own.
class BACKOFF_ACTOR_HIDDEN BorrowedEffects {
public:
  BorrowedEffects() {
    if (!is_over)
      effects_.swap(spare().effects);
  }

  BorrowedEffects(const BorrowedEffects&) = delete;
  BorrowedEffects& operator=(const BorrowedEffects&) = delete;

  ~BorrowedEffects() {
    effects_.clear();
    if (!is_over && effects_.capacity() <= Outbox::kept_size)
      effects_.swap(spare().effects);
  }

  Effects& operator*() { return effects_; }

private:
  struct Spare {
    ~Spare() { is_over = true; }

    Effects effects;
  };

  static Spare& spare() {
    thread_local Spare result;
    return result;
  }

  inline static thread_local bool is_over = false; // the thread ends: nothing is kept any more

  Effects effects_;
};

} // namespace backoff_actor
