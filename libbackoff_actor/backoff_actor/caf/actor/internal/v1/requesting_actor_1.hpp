#pragma once

// `RequestingActor` for CAF 1.x. Include requesting_actor.hpp instead.

#include "backoff_actor/caf/actor/internal/message_batch.hpp"
#include "backoff_actor/caf/actor/internal/requesting_actor_base.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/behavior.hpp>
#include <caf/disposable.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/message.hpp>
#include <caf/message_id.hpp>
#include <caf/result.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace backoff_actor::compat {

// -- the actor ----------------------------------------------------------------

/// A message of one value of a library type.
class BACKOFF_ACTOR_EXPORT Word {
public:
  /// Whether a message is one.
  static bool is_one(const caf::message& content);

  /// Refers to a message that is one; the message must outlive the word.
  explicit Word(const caf::message& content) : content_(content) {}

  /// Returns its value, if it is of this type; otherwise null.
  template <class T>
  const T* as() const {
    return content_.type_at(0) == caf::type_id_v<T> ? &content_.get_as<T>(0) : nullptr;
  }

private:
  const caf::message& content_;
};

/// An actor that takes messages of any type, makes requests of any type, and gets answers of any
/// type.
///
/// The caller names each request by a number of 59 bits, which becomes a part of CAF's request id.
/// So this class needs no table of open requests; CAF's own table costs linear time, and keeps the
/// handler of an answer that never comes. On the way into the mailbox, `enqueue` turns an answer
/// into an ordinary message: CAF takes a response only if its table has the request.
///
/// @thread all members but `enqueue` run in the actor's own thread.
class BACKOFF_ACTOR_EXPORT RequestingActor : public RequestingActorBase {
public:
  /// Is called by CAF.
  explicit RequestingActor(caf::actor_config& config);

  /// Makes an actor that takes library words by `on_word`, and anything else as a client's message.
  /// Its behavior is that of `complete_with_words`.
  RequestingActor(caf::actor_config& config, TakesWords);

  /// Is called by CAF when it has work for the actor.
  resume_result resume(caf::scheduler* context, std::size_t max_throughput) override;

  using RequestingActorBase::enqueue;
  /// Puts a message into the mailbox, or into the batch that waits beside it.
  /// Recognizes answers to `make_request` by their ids.
  ///
  /// @thread any, the sender's
  bool enqueue(caf::mailbox_element_ptr element, caf::scheduler* context) override;

  /// Is called by CAF when the actor has ended; answers the requests that wait beside the mailbox.
  ///
  /// @thread as `on_exit`
  void on_cleanup(const caf::error& reason) override;

  /// Is called when the actor ends. A class that overrides it must call it, too.
  ///
  /// @thread the actor's own, or the one that drops the last handle to the actor.
  void on_exit() override;

  void watch_actor(const caf::actor& whom) final;
  void unwatch_actor(const caf::actor& whom) final;

protected:
  void make_request(std::uint64_t name, const caf::actor& receiver, const caf::message& content,
                    Priority priority) final;
  /// Says whether the next message will probably be passed on before `on_message` returns. It makes
  /// no difference here: CAF 1.x keeps the content of a message apart from the rest.
  void expect_to_pass_on(bool) {}
  OpenRequest open_request() final;
  void pass_on(OpenRequest& client, caf::message payload, const caf::actor& receiver) final;
  void respond(const OpenRequest& request, caf::message&& answer) final;
  void wake_at(Instant at) final;
  bool is_unreachable() const final;

  /// Makes a behavior of a derived class's handlers, and of those that every such actor needs.
  template <class... Handlers>
  caf::behavior complete(Handlers... handlers) {
    return {std::move(handlers)...,
            [this](const caf::exit_msg& x) { end_or_ignore(x.source, x.reason); },
            [this](const caf::error& error) {
              on_system_message(caf::make_message(error));
              return caf::delegated<caf::message>{};
            },
            [this](caf::message& content) {
              if (!take_news(content))
                on_message(std::move(content));
              return caf::delegated<caf::message>{};
            }};
  }

  /// Returns the behavior of an actor that takes words. `on_response` gets a non-null `from` only
  /// for errors, and for answers that start with a value of a CAF type, such as those to `probe`.
  caf::behavior complete_with_words();

private:
  bool take_news(caf::message& content);
  void take_in_place_of_caf(caf::mailbox_element& element) const;
  void end_or_ignore(const caf::actor_addr& source, const caf::error& reason);
  void take(caf::message& content);
  void take_this(caf::mailbox_element_ptr& element);
  void take_batch(caf::mailbox_element& first);

  caf::disposable alarm_;
  MessageBatch batch_;
  bool takes_words_ = false; // set before other actors know this one
};

} // namespace backoff_actor::compat
