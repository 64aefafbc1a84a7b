#pragma once

// Inside of the sender; not for its users.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/outbox.hpp"
#include "backoff_actor/engine/sender/sender_effects.hpp"

#include <utility>

namespace backoff_actor {

// Room for the effects of one step, which each thread keeps for the next step of any sender: a sender
// that waits needs none. Effects that end another actor may lead to a step of that one within the
// step of this, which then has room of its own.
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
    if (spare_ != nullptr && effects_.capacity() <= Outbox::kept_size)
      effects_.swap(*spare_);
  }

  Effects& operator*() { return effects_; }

private:
  // Of a thread, until that ends.
  struct Spare {
    Spare() { spare_ = &effects; }
    ~Spare() { spare_ = nullptr; }

    void use() {} // so that there is one

    Effects effects{};
  };

  static void begin_to_keep() {
    thread_local Spare spare; // is not made again when the thread ends
    spare.use();
  }

  // Without a destructor, which every access would have to look for.
  static constinit inline thread_local Effects* spare_ = nullptr;

  Effects effects_;
};

} // namespace backoff_actor
