#include "backoff_actor/caf/actor/internal/asker.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/retry/wait_for_message.hpp"

#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <utility>

namespace backoff_actor {

namespace {

class Asker final : public caf::event_based_actor {
public:
  Asker(caf::actor_config& config, caf::actor_addr whom, Ask what, compat::OpenRequest client)
    : caf::event_based_actor(config), whom_(std::move(whom)), what_(std::move(what)),
      client_(std::move(client)), until_(now() + std::exchange(what_.within, Duration::zero())) {}

  const char* name() const override { return "backoff_actor.asker"; }

  caf::behavior make_behavior() override {
    ask();
    return {[this](const GoOn&) { ask(); }};
  }

private:
  void ask() {
    const auto whom = caf::actor_cast<caf::actor>(whom_);
    if (!whom)
      return fail(make_error(SenderError::stopped));
    compat::request_without_limit(*this, whom, what_)
      .then([this](const AskAnswer& x) { take(x); },
            [this](const caf::error& error) {
              fail(compat::is_bounce(error) ? make_error(SenderError::stopped) : error);
            });
  }

  void take(const AskAnswer& answer) {
    const auto left = until_ - now();
    if (answer.state == MessageState::done || answer.state == MessageState::dead
        || left <= Duration::zero())
      return end(caf::make_message(answer));
    pause_ = detail::next_look_pause(pause_);
    compat::send_later(*this, std::min(pause_, left), GoOn{});
  }

  void fail(caf::error error) {
    if (client_.is_request()) // a bare error would end who has sent no request
      return end(caf::make_message(std::move(error)));
    quit();
  }

  void end(caf::message answer) {
    compat::respond(client_, std::move(answer));
    quit();
  }

  Instant now() { return Instant{clock().now().time_since_epoch()}; }

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
