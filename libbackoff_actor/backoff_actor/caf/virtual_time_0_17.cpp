#include "backoff_actor/caf/virtual_time.hpp"

#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <algorithm>
#include <stdexcept>

namespace backoff_actor::testing {

class VirtualTime::Impl {
public:
  explicit Impl(const std::function<void(caf::actor_system_config&)>& configure)
    : system_(configured(config_, configure)) {}

  caf::actor_system& system() { return system_; }

  caf::scheduler::test_coordinator& scheduler() {
    return dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  }

private:
  static caf::actor_system_config&
  configured(caf::actor_system_config& config,
             const std::function<void(caf::actor_system_config&)>& configure) {
    init(config);
    if (configure)
      configure(config);
    config.set("scheduler.policy", caf::atom("testing"));
    return config;
  }

  caf::actor_system_config config_;
  caf::actor_system system_;
};

VirtualTime::VirtualTime(const std::function<void(caf::actor_system_config&)>& configure)
  : impl_(std::make_unique<Impl>(configure)) {}

VirtualTime::~VirtualTime() {
  for (const auto& actor : kept_)
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  kept_.clear();
  while (impl_->scheduler().try_run_once())
    continue;
  impl_->scheduler().clock().cancel_all();
  while (impl_->scheduler().try_run_once())
    continue;
}

caf::actor_system& VirtualTime::system() { return impl_->system(); }

caf::actor VirtualTime::keep(caf::actor actor) {
  kept_.push_back(actor);
  return actor;
}

std::size_t VirtualTime::run() {
  constexpr std::size_t limit = 1'000'000;
  std::size_t count = 0;
  while (impl_->scheduler().try_run_once())
    if (++count == limit)
      throw std::runtime_error("VirtualTime::run: a million steps at one instant; actors keep each other busy");
  return count;
}

std::size_t VirtualTime::advance(Duration span) {
  run();
  auto& clock = impl_->scheduler().clock();
  const auto end = clock.now() + span;
  std::size_t fired = 0;
  while (!clock.schedule().empty() && clock.schedule().begin()->first <= end) {
    fired += clock.advance_time(std::max(clock.schedule().begin()->first - clock.now(), Duration::zero()));
    run();
  }
  clock.advance_time(end - clock.now());
  return fired;
}

Instant VirtualTime::now() { return {impl_->scheduler().clock().now().time_since_epoch()}; }

std::size_t VirtualTime::timers() { return impl_->scheduler().clock().schedule().size(); }

std::optional<Duration> VirtualTime::next_timer() {
  const auto& clock = impl_->scheduler().clock();
  if (clock.schedule().empty())
    return std::nullopt;
  return clock.schedule().begin()->first - clock.now();
}

void VirtualTime::stop(const caf::actor& actor) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

} // namespace backoff_actor::testing
