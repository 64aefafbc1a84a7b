#pragma once

// Inside of `RequestingActor`, for CAF 0.17.6; not for its users.

#include "backoff_actor/core/export.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/detail/message_data.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <typeinfo>
#include <utility>

namespace backoff_actor::compat {

// Memory of freed objects of one class, which a thread keeps for its next objects. An actor's
// messages come in batches, which are larger than the cache that an allocator keeps for a thread.
// Without this, malloc and free took a tenth of the instructions of a supervised request and reply.
template <class T>
class BACKOFF_ACTOR_HIDDEN SpareMemory {
public:
  static void* take() {
    if (first_ == nullptr)
      return ::operator new(sizeof(T));
    --count_;
    return std::exchange(first_, first_->next);
  }

  static void give(void* memory) {
    if (count_ >= limit_)
      return ::operator delete(memory);
    if (first_ == nullptr)
      see_to_the_end();
    first_ = new (memory) Spare{first_};
    ++count_;
  }

private:
  struct Spare {
    Spare* next;
  };

  struct Owner {
    ~Owner() {
      limit_ = 0;
      while (first_)
        ::operator delete(std::exchange(first_, first_->next));
    }

    // Forces the construction.
    void use() {}
  };

  // Makes sure that the kept memory is freed when the thread ends. A thread that only frees
  // objects, such as a client's, needs this, too.
  static void see_to_the_end() {
    thread_local Owner owner;
    owner.use();
  }

#ifdef __SANITIZE_ADDRESS__ // else it would miss uses of freed memory
  static constexpr std::size_t most = 0;
#else
  static constexpr std::size_t most = 1024; // 100 KiB a thread
#endif

  // None of these has a destructor: with one, every access would first check whether it is
  // registered.
  static constinit inline thread_local Spare* first_ = nullptr;
  static constinit inline thread_local std::size_t count_ = 0;
  static constinit inline thread_local std::size_t limit_ = most;
};

// A message in a mailbox. It differs from CAF's own (`mailbox_element_wrapper`) only in its memory.
class BACKOFF_ACTOR_HIDDEN Element final : public caf::mailbox_element {
public:
  // The message is not empty.
  Element(caf::strong_actor_ptr&& from, caf::message_id id, caf::message&& content)
    : caf::mailbox_element(std::move(from), id, {}), content_(std::move(content)) {}

  static void* operator new(std::size_t) { return SpareMemory<Element>::take(); }
  static void operator delete(void* memory) { SpareMemory<Element>::give(memory); }

  caf::type_erased_tuple& content() override { return content_; }
  const caf::type_erased_tuple& content() const override { return content_.content(); }
  caf::message move_content_to_message() override { return std::move(content_); }
  caf::message copy_content_to_message() const override { return content_; }
  void request_deletion(bool) const noexcept override { delete this; }

private:
  caf::message content_;
};

inline caf::mailbox_element_ptr make_element(caf::strong_actor_ptr from, caf::message_id id,
                                             caf::message&& content) {
  if (content.vals() == nullptr)
    return caf::make_mailbox_element(std::move(from), id, {}, std::move(content));
  return caf::mailbox_element_ptr{new Element{std::move(from), id, std::move(content)}};
}

// The content of a message that stays in the mailbox element in which it came. Several messages may
// share it: before CAF changes a shared content, it makes a `copy`.
class BACKOFF_ACTOR_HIDDEN KeptContent final : public caf::detail::message_data {
public:
  explicit KeptContent(caf::mailbox_element_ptr&& element)
    : element_(std::move(element)), size_(content().size()), type_token_(content().type_token()) {}

  // Whether the content is a part of the element. It is not if it is a `caf::message` already.
  static bool can_be_kept(const caf::mailbox_element& element) {
    return dynamic_cast<const void*>(&element.content()) == dynamic_cast<const void*>(&element);
  }

  static caf::message keep(caf::mailbox_element_ptr& element) {
    return caf::message{caf::message::data_ptr{new KeptContent{std::move(element)}, false}};
  }

  static void* operator new(std::size_t) { return SpareMemory<KeptContent>::take(); }
  static void operator delete(void* memory) { SpareMemory<KeptContent>::give(memory); }

  void* get_mutable(std::size_t position) override {
    return element_->content().get_mutable(position);
  }
  caf::error load(std::size_t position, caf::deserializer& source) override {
    return element_->content().load(position, source);
  }
  caf::error load(caf::deserializer& source) override { return element_->content().load(source); }
  std::size_t size() const noexcept override { return size_; }
  std::uint32_t type_token() const noexcept override { return type_token_; }
  caf::rtti_pair type(std::size_t position) const noexcept override {
    return content().type(position);
  }
  const void* get(std::size_t position) const noexcept override { return content().get(position); }
  std::string stringify(std::size_t position) const override {
    return content().stringify(position);
  }
  caf::type_erased_value_ptr copy(std::size_t position) const override {
    return content().copy(position);
  }
  caf::error save(std::size_t position, caf::serializer& sink) const override {
    return content().save(position, sink);
  }
  caf::error save(caf::serializer& sink) const override { return content().save(sink); }
  caf::detail::message_data* copy() const override {
    return std::as_const(*element_).copy_content_to_message().vals().detach();
  }

private:
  const caf::type_erased_tuple& content() const { return std::as_const(*element_).content(); }

  caf::mailbox_element_ptr element_;
  std::size_t size_; // CAF asks for both often
  std::uint32_t type_token_;
};

// The content of an element, if that is a message already; otherwise null.
inline caf::message* message_in(caf::mailbox_element& element) {
  auto& content = element.content();
  return typeid(content) == typeid(caf::message) ? static_cast<caf::message*>(&content) : nullptr;
}

// Moving a user's values into a message may throw. That must cost one message and not the actor.
inline caf::message content_of(caf::message_view& view, std::exception_ptr& failure) {
  try {
    return view.move_content_to_message();
  } catch (...) {
    failure = std::current_exception();
    return {};
  }
}

// A batch of messages that an actor is taking.
//
// Each message that the actor sends holds a reference to the actor. This takes many references at a
// time: one atomic operation for each would cost 2 % of the time of a supervised request and reply.
// When the batch is done, this gives the unused ones back. Otherwise the actor would never be
// freed.
class BACKOFF_ACTOR_HIDDEN BatchAtWork {
public:
  // Sets `place` to this object for as long as it lives. The batch waited for `message_in_mailbox`.
  BatchAtWork(caf::actor_control_block* actor, BatchAtWork*& place,
              caf::mailbox_element& message_in_mailbox)
    : first(message_in_mailbox), actor_(actor), place_(place) {
    place_ = this;
  }

  BatchAtWork(const BatchAtWork&) = delete;
  BatchAtWork& operator=(const BatchAtWork&) = delete;

  ~BatchAtWork() {
    place_ = nullptr;
    if (references_ > 0)
      actor_->strong_refs.fetch_sub(references_); // the thread that runs the actor holds one more
  }

  caf::strong_actor_ptr reference() {
    constexpr std::size_t at_a_time = 64;
    if (references_ == 0) {
      actor_->strong_refs.fetch_add(at_a_time, std::memory_order_relaxed);
      references_ = at_a_time;
    }
    --references_;
    return {actor_, false};
  }

  caf::mailbox_element& first;
  caf::mailbox_element_ptr element{}; // the current one; null if it was kept or passed on

private:
  caf::actor_control_block* actor_;
  BatchAtWork*& place_;
  std::size_t references_ = 0; // taken, and not yet given to a message
};

} // namespace backoff_actor::compat
