#include "backoff_actor/caf/compat/internal/virtual_system.hpp"

#include <caf/atom.hpp>
#include <caf/scheduler/test_coordinator.hpp>

#include <algorithm>

namespace backoff_actor::compat {

class VirtualSystem::Impl {
public:
  explicit Impl(const std::function<void(caf::actor_system_config&)>& configure)
    : system(configured(config, configure)),
      scheduler(dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler())) {}

  static caf::actor_system_config&
  configured(caf::actor_system_config& config,
             const std::function<void(caf::actor_system_config&)>& configure) {
    configure(config);
    config.set("scheduler.policy", caf::atom("testing"));
    return config;
  }

  caf::actor_system_config config;
  caf::actor_system system;
  caf::scheduler::test_coordinator& scheduler;
};

VirtualSystem::VirtualSystem(const std::function<void(caf::actor_system_config&)>& configure)
  : impl_(std::make_unique<Impl>(configure)) {}

VirtualSystem::~VirtualSystem() = default;

caf::actor_system& VirtualSystem::system() { return impl_->system; }

bool VirtualSystem::step() {
  auto& jobs = impl_->scheduler.jobs;
  const auto next =
    std::find_if(jobs.begin(), jobs.end(), [this](auto* job) { return !is_frozen(job); });
  if (next == jobs.end())
    return false;
  std::rotate(jobs.begin(), next, next + 1);
  return impl_->scheduler.try_run_once();
}

Instant VirtualSystem::now() { return {impl_->scheduler.clock().now().time_since_epoch()}; }

std::size_t VirtualSystem::move_to(Instant at) {
  return impl_->scheduler.clock().advance_time(at - now());
}

std::size_t VirtualSystem::timers() { return impl_->scheduler.clock().schedule().size(); }

std::optional<Instant> VirtualSystem::next_timer() {
  const auto& schedule = impl_->scheduler.clock().schedule();
  if (schedule.empty())
    return std::nullopt;
  return Instant{schedule.begin()->first.time_since_epoch()};
}

void VirtualSystem::drop_timers() { impl_->scheduler.clock().cancel_all(); }

} // namespace backoff_actor::compat
