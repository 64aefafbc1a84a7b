#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/engine/sender/sender_effects.hpp"

#include <utility>

namespace backoff_actor {

// A buffer for the effects of one step. Each thread keeps one for the next step of any sender, so
// that idle senders need none. If an effect ends another actor, that actor may take a step within
// this step. The inner step then has a buffer of its own.
class BACKOFF_ACTOR_HIDDEN BorrowedEffects {
public:
  BorrowedEffects() {
    if (spare_ != nullptr)
      effects_.swap(*spare_);
    else
      begin_to_keep();
  }

  BorrowedEffects(const BorrowedEffects&) = delete;
  BorrowedEffects& operator=(const BorrowedEffects&) = delete;

  ~BorrowedEffects() {
    effects_.clear();
    if (spare_ != nullptr && effects_.capacity() <= DeliverySlots::kept_size)
      effects_.swap(*spare_);
  }

  Effects& operator*() { return effects_; }

private:
  // The buffer of a thread, until the thread ends.
  struct Spare {
    Spare() { spare_ = &effects; }
    ~Spare() { spare_ = nullptr; }

    void use() {} // forces the construction

    Effects effects{};
  };

  static void begin_to_keep() {
    thread_local Spare spare; // not constructed again while the thread ends
    spare.use();
  }

  // A pointer has no destructor: access to it needs no check whether it is constructed.
  static constinit inline thread_local Effects* spare_ = nullptr;

  Effects effects_;
};

} // namespace backoff_actor
