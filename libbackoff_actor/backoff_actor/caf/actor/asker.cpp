#include "backoff_actor/caf/actor/internal/asker.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/retry/wait_for_message.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace backoff_actor {

namespace {

class Asker final : public compat::RequestingActor {
public:
  Asker(caf::actor_config& config, caf::actor_addr whom, Ask what, compat::OpenRequest client)
    : RequestingActor(config), whom_(std::move(whom)), what_(std::move(what)),
      client_(std::move(client)), until_(now() + std::exchange(what_.within, Duration::zero())) {}

  const char* name() const override { return "backoff_actor.asker"; }

  caf::behavior make_behavior() override {
    watch_actor(client());
    ask();
    return complete([this](const GoOn&) { ask(); });
  }

  void on_exit() override {
    unwatch_actor(client());
    client_ = {};
    RequestingActor::on_exit();
  }

private:
  void ask() {
    if (const auto whom = caf::actor_cast<caf::actor>(whom_))
      make_request(0, whom, caf::make_message(what_), compat::Priority::normal);
    else
      fail(make_error(SenderError::stopped));
  }

  void on_response(std::uint64_t, caf::message&& content, const caf::strong_actor_ptr&) override {
    if (content.match_elements<AskAnswer>())
      return take(content.get_as<AskAnswer>(0));
    const auto& error = content.get_as<caf::error>(0);
    fail(compat::is_bounce(error) ? make_error(SenderError::stopped) : error);
  }

  // Nobody waits any more.
  void on_down(const caf::actor_addr&, const caf::error&) override { quit(); }

  void take(const AskAnswer& answer) {
    const auto left = until_ - now();
    if (answer.state == MessageState::done || answer.state == MessageState::dead
        || left <= Duration::zero())
      return end(caf::make_message(answer));
    pause_ = detail::next_look_pause(pause_);
    compat::send_later(*this, std::min(pause_, left), GoOn{});
  }

  void end(caf::message answer) {
    auto client = client_; // it is watched until the exit
    answer_request(client, std::move(answer));
    quit();
  }

  void fail(caf::error error) {
    auto client = client_;
    refuse(client, std::move(error));
    quit();
  }

  caf::actor client() const { return caf::actor_cast<caf::actor>(client_.client); }

  caf::actor_addr whom_;
  Ask what_;
  compat::OpenRequest client_;
  Instant until_;
  Duration pause_{}; // before the last look
};

} // namespace

void spawn_asker(caf::actor_system& system, const caf::actor_addr& sender, Ask what,
                 compat::OpenRequest client) {
  if (client.client)
    system.spawn<Asker, caf::hidden>(sender, std::move(what), std::move(client));
}

} // namespace backoff_actor
