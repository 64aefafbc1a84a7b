#pragma once

// Inside of the kit; not for its users.

#include "backoff_actor/caf/actor/internal/relay.hpp"
#include "backoff_actor/caf/actor/work_in_hand.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/core/export.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <functional>
#include <map>
#include <utility>

namespace backoff_actor::testing::detail {

struct Nothing {};

// An actor that stands before a worker and acts as the worker. When the worker ends, the front ends
// with the same reason. When the front ends for any reason, it kills the worker.
class BACKOFF_ACTOR_HIDDEN Front : public backoff_actor::detail::Relay<Nothing> {
public:
  using Relay::Relay;

  caf::behavior make_behavior() override {
    watch_actor(target_);
    return complete([this](const WakeUp&) { look_at_clock(); });
  }

  void on_exit() override {
    if (target_)
      compat::send_exit_now(target_, address(), caf::exit_reason::kill);
    for (const auto& [at, work] : due_)
      refuse(work.client, caf::make_error(caf::sec::request_receiver_down), nullptr);
    due_.clear();
    Relay::on_exit();
  }

protected:
  // Takes a message from any actor but the worker.
  virtual void on_call(compat::OpenRequest client, caf::message payload) = 0;
  // Takes a message that the worker sends on its own, and not as an answer. `client` is the client
  // of the latest message.
  virtual void on_own_word(compat::OpenRequest client, caf::message payload) {
    compat::respond(client, std::move(payload), ctrl());
  }

  // Calls `work` after `span`. If this actor ends before that, it refuses `client` instead, if
  // there is one.
  void later(Duration span, compat::OpenRequest client, std::function<void()> work) {
    due_.emplace(now() + span, Later{std::move(client), std::move(work)});
    wake_at(due_.begin()->first);
  }

  void ask(compat::OpenRequest client, caf::message payload) {
    last_client_ = caf::actor_cast<caf::weak_actor_ptr>(client.client);
    relay(std::move(client), {}, std::move(payload));
  }

private:
  struct Later {
    compat::OpenRequest client;
    std::function<void()> work;
  };

  void on_message(caf::message&& payload) final {
    auto client = open_request();
    if (!client.client || caf::actor_cast<caf::actor>(client.client) != target_)
      return on_call(std::move(client), std::move(payload));
    payload = with_clients_name<backoff_actor::detail::WorkingOn>(std::move(payload));
    payload = with_clients_name<backoff_actor::detail::AskNote>(std::move(payload));
    auto last = caf::actor_cast<caf::strong_actor_ptr>(last_client_);
    if (!last)
      refuse(client, caf::make_error(caf::sec::request_receiver_down), nullptr);
    else if (client.is_request())
      relay_to(caf::actor_cast<caf::actor>(last), std::move(client), {}, std::move(payload));
    else
      on_own_word({std::move(last), {}}, std::move(payload));
  }

  // A word through `WorkInHand` names the request of the front. The client's has another name.
  template <class Word>
  caf::message with_clients_name(caf::message payload) const {
    if (!payload.match_elements<Word>())
      return payload;
    auto word = payload.get_as<Word>(0);
    if (const auto call = calls_.find(word.request); call != calls_.end())
      word.request = compat::name_of_request(call->second.client.id);
    return caf::make_message(std::move(word));
  }

  void on_down(const caf::actor_addr&, const caf::error& reason) final {
    target_ = nullptr;
    for (auto& [name, call] : calls_)
      fail(call, compat::receiver_down(system(), reason), ctrl());
    calls_.clear();
    quit(reason);
  }

  void look_at_clock() {
    while (!due_.empty() && due_.begin()->first <= now()) {
      const auto next = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      next.work();
    }
    if (!due_.empty())
      wake_at(due_.begin()->first);
  }

  caf::weak_actor_ptr last_client_;
  std::multimap<Instant, Later> due_;
};

} // namespace backoff_actor::testing::detail
