#include "backoff_actor/caf/main/scheduler_watch.hpp"

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <caf/actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>

#include <chrono>
#include <utility>

namespace backoff_actor {

namespace {

constexpr std::chrono::seconds between_beats{1};

class Beating final : public caf::event_based_actor {
public:
  Beating(caf::actor_config& config, std::shared_ptr<detail::Heartbeat> heartbeat)
    : caf::event_based_actor(config), heartbeat_(std::move(heartbeat)) {}

  const char* name() const override { return "backoff_actor.scheduler_watch"; }

  caf::behavior make_behavior() override {
    beat();
    return {[this](const WakeUp&) { beat(); }};
  }

private:
  void beat() {
    heartbeat_->beat({clock().now().time_since_epoch()});
    compat::send_later(*this, between_beats, WakeUp{});
  }

  std::shared_ptr<detail::Heartbeat> heartbeat_;
};

} // namespace

// The actor is hidden: the end of the actor system does not wait for it.
SchedulerWatch::SchedulerWatch(caf::actor_system& system, const Observatory& observatory)
  : heartbeat_(observatory.state()->add_heartbeat({system.clock().now().time_since_epoch()})),
    actor_(system.spawn<Beating, caf::hidden>(heartbeat_)) {
  observatory.state()->set_caf_version(compat::caf_version());
}

SchedulerWatch::~SchedulerWatch() {
  compat::send_exit_now(actor_, {}, caf::exit_reason::user_shutdown);
}

} // namespace backoff_actor
