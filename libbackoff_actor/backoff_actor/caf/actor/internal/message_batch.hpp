#pragma once

// Inside of `RequestingActor`; not for its users.

#include "backoff_actor/core/export.hpp"

#include <caf/mailbox_element.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace backoff_actor::compat {

// A queue beside an actor's mailbox. The first message of a batch goes into the mailbox, and the
// next messages wait here. When the actor comes to the first message, it takes all that wait. So
// each message except the first costs only an exchange of a pointer. CAF's work for putting a
// message into a mailbox and taking it out is saved. A waiting message never overtakes the first
// one.
//
//     none --put--> one in the mailbox --put--> ... and others here --take--> none
//
// While messages wait here, the mailbox holds exactly one first message. Call `take` only when the
// actor comes to that message: otherwise the waiting messages overtake it.
//
// Any threads may call `put`, also at the same time. Only the actor's thread calls the rest.
class BACKOFF_ACTOR_HIDDEN MessageBatch {
  using Node = caf::intrusive::singly_linked<caf::mailbox_element>;

public:
  // Messages, the oldest first.
  class List {
  public:
    explicit List(Node* first) : first_(first) {}
    List(List&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
    List& operator=(List&&) = delete;

    ~List() {
      while (pop() != nullptr) {
        // It is dropped.
      }
    }

    // Null, if there is none left.
    caf::mailbox_element_ptr pop() {
      auto* const node = first_;
      if (node != nullptr)
        first_ = node->next;
      return caf::mailbox_element_ptr{static_cast<caf::mailbox_element*>(node)};
    }

  private:
    Node* first_;
  };

  MessageBatch() = default;
  MessageBatch(const MessageBatch&) = delete;
  MessageBatch& operator=(const MessageBatch&) = delete;
  ~MessageBatch() { end(); }

  // Returns true if the message waits here now. If it returns false, the caller must put the
  // message into the mailbox. Without a batch, a message that may be the first begins one, and
  // later messages wait for it. After `end`, no message waits here.
  bool put(caf::mailbox_element_ptr& message, bool may_be_first) {
    auto* newest = newest_.load(std::memory_order_relaxed);
    for (;;) {
      const auto is_first = newest == nullptr;
      if (newest == over() || (is_first && !may_be_first))
        return false;
      message->next = newest;
      if (newest_.compare_exchange_weak(newest, is_first ? in_mailbox() : message.get(),
                                        std::memory_order_release, std::memory_order_relaxed)) {
        if (is_first)
          return false;
        static_cast<void>(message.release());
        return true;
      }
    }
  }

  // Returns the messages that wait for the one in the mailbox. The actor calls this when it comes
  // to that one.
  List take() { return in_order(newest_.exchange(nullptr, std::memory_order_acquire)); }

  // The same when the actor ends.
  List end() { return in_order(newest_.exchange(over(), std::memory_order_acquire)); }

private:
  static List in_order(Node* newest) {
    Node* first = nullptr;
    while (newest != nullptr && newest != in_mailbox() && newest != over()) {
      auto* const older = std::exchange(newest->next, first);
      first = std::exchange(newest, older);
    }
    return List{first};
  }

  // Marks in place of nodes. They are numbers and not objects: each shared library would have its
  // own objects, and would not know those of the others.
  static Node* mark(std::uintptr_t number) { return reinterpret_cast<Node*>(number); }
  static Node* in_mailbox() { return mark(1); } // the newest message is in the mailbox
  static Node* over() { return mark(2); }       // no message will wait here again

  std::atomic<Node*> newest_{nullptr};
};

} // namespace backoff_actor::compat
