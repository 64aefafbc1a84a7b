#pragma once

// `RequestingActor` for CAF 0.17.6. Include requesting_actor.hpp instead.

#include "backoff_actor/caf/actor/internal/message_batch.hpp"
#include "backoff_actor/caf/actor/internal/requesting_actor_base.hpp"
#include "backoff_actor/caf/actor/internal/v0_17/job_0_17.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/type_erased_tuple.hpp>

#include <cstddef>
#include <cstdint>
#include <typeinfo>
#include <utility>

namespace backoff_actor::compat {

// -- the actor ----------------------------------------------------------------

/// A message of one value of a library type.
class BACKOFF_ACTOR_EXPORT Word {
public:
  /// Whether a message is one. The content must outlive the word.
  static bool is_one(const caf::type_erased_tuple& content);

  /// Looks at a message that is one.
  explicit Word(const caf::type_erased_tuple& content) : content_(content) {}

  /// Returns its value, if it is of this type; otherwise null.
  template <class T>
  const T* as() const {
    return *content_.type(0).second == typeid(T) ? static_cast<const T*>(content_.get(0)) : nullptr;
  }

private:
  const caf::type_erased_tuple& content_;
};

class BatchAtWork;

/// An actor that takes messages of any type, makes requests of any type, and gets answers of any
/// type.
///
/// The caller names each request by a number of 59 bits, which becomes a part of CAF's request id.
/// So this class needs no table of open requests; CAF's own table costs linear time. Answers are
/// taken in `consume`, because a response handler of CAF 0.17.6 cannot take a message of any type.
///
/// @thread all members run in the actor's own thread.
class BACKOFF_ACTOR_EXPORT RequestingActor : public RequestingActorBase {
public:
  /// Is called by CAF.
  explicit RequestingActor(caf::actor_config& config);

  /// Makes an actor that takes library words by `on_word`, and anything else as a client's message.
  /// Its behavior is that of `complete_with_words`.
  RequestingActor(caf::actor_config& config, TakesWords);

  /// Is called by CAF when it has work for the actor.
  resume_result resume(caf::execution_unit* context, std::size_t max_throughput) override;

  using RequestingActorBase::enqueue;
  /// Puts a message into the mailbox, or into the batch that waits beside it.
  ///
  /// @thread any, the sender's
  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* context) override;

  /// Takes the answers to `make_request`, which it recognizes by their ids. Leaves the rest to CAF.
  caf::invoke_message_result consume(caf::mailbox_element& element) override;

  /// Is called by CAF when the actor has ended; answers the requests that wait beside the mailbox.
  ///
  /// @thread as `on_exit`
  bool cleanup(caf::error&& reason, caf::execution_unit* context) override;

  /// Is called when the actor ends. A class that overrides it must call it, too.
  ///
  /// @thread the actor's own, or the one that drops the last handle to the actor.
  void on_exit() override;

  void watch_actor(const caf::actor& whom) final;
  void unwatch_actor(const caf::actor& whom) final;

protected:
  void make_request(std::uint64_t name, const caf::actor& receiver, const caf::message& content,
                    Priority priority) final;
  /// Says whether the next message will probably be passed on before `on_message` returns. Then its
  /// content stays in the memory that it came in. Otherwise the content moves into a message of its
  /// own, which takes less memory.
  void expect_to_pass_on(bool passes_on) { passes_on_ = passes_on; }
  OpenRequest open_request() final;
  void pass_on(OpenRequest& client, caf::message payload, const caf::actor& receiver) final;
  void respond(const OpenRequest& request, caf::message&& answer) final;
  void wake_at(Instant at) final;
  bool is_unreachable() const final;

  /// Makes a behavior of a derived class's handlers, and of those that every such actor needs.
  template <class... Handlers>
  caf::behavior complete(Handlers... handlers) {
    complete_handlers();
    return {std::move(handlers)...};
  }

  /// Returns the behavior of an actor that takes words. A client's message goes to `on_message`
  /// without a search for a handler: CAF would try each handler before its default one, at about
  /// 150 instructions each.
  caf::behavior complete_with_words();

private:
  void complete_handlers();
  void cancel_wake();
  bool is_for_this(const caf::mailbox_element& element) const;
  bool may_wait(const caf::mailbox_element& element) const;
  caf::invoke_message_result take_this(caf::mailbox_element& element);
  bool take_in_place_of_caf(caf::mailbox_element& element);
  void take_own(caf::mailbox_element& element);
  void take(caf::mailbox_element& element);
  void take_response(caf::mailbox_element& element);
  void take_message(caf::message_view& view);
  void take_batch(caf::mailbox_element& first);
  caf::strong_actor_ptr own_reference();

  caf::strong_actor_ptr alarm_;
  Job job_{*this};
  MessageBatch batch_;
  BatchAtWork* at_work_ = nullptr; // null: the current message came from the mailbox itself
  const bool takes_words_;         // set before other actors know this one
  const bool is_job_taken_;        // the scheduler runs `job_` in place of this actor
  bool passes_on_ = false;         // see `expect_to_pass_on`
};

} // namespace backoff_actor::compat
