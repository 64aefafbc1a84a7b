#include "backoff_actor/caf/compat/internal/virtual_system.hpp"

#include <caf/action.hpp>
#include <caf/actor_clock.hpp>
#include <caf/detail/actor_system_access.hpp>
#include <caf/disposable.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace backoff_actor::compat {

namespace {

class ManualClock final : public caf::actor_clock {
public:
  using caf::actor_clock::schedule;

  time_point now() const noexcept override { return now_; }

  caf::disposable schedule(time_point at, caf::action action) override {
    timers_.emplace(at, action);
    return std::move(action).as_disposable();
  }

  std::size_t size() {
    drop_cancelled();
    return timers_.size();
  }

  std::optional<time_point> next() {
    drop_cancelled();
    return timers_.empty() ? std::nullopt : std::optional{timers_.begin()->first};
  }

  std::size_t move_to(time_point at) {
    now_ = at;
    std::size_t count = 0;
    for (auto due = next(); due && *due <= now_; due = next()) {
      auto action = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      action.run();
      ++count;
    }
    return count;
  }

  void clear() {
    for (auto& [at, action] : timers_)
      action.dispose();
    timers_.clear();
  }

private:
  void drop_cancelled() {
    std::erase_if(timers_, [](auto& timer) { return timer.second.disposed(); });
  }

  time_point now_{duration_type{1}}; // CAF takes 0 for "not set"
  std::multimap<time_point, caf::action> timers_;
};

class ManualScheduler final : public caf::scheduler {
public:
  void schedule(caf::resumable* job) override { jobs_.push_back(job); } // holds a reference
  void delay(caf::resumable* job) override { jobs_.push_back(job); }
  void start() override {}

  void stop() override {
    for (auto* job : std::exchange(jobs_, {}))
      job->deref_resumable();
  }

  template <class Predicate>
  bool step(Predicate may_run) {
    const auto next = std::find_if(jobs_.begin(), jobs_.end(), may_run);
    if (next == jobs_.end())
      return false;
    auto* job = *next;
    jobs_.erase(next);
    if (job->resume(this, 100) == caf::resumable::resume_later)
      jobs_.push_back(job);
    else
      job->deref_resumable();
    return true;
  }

private:
  std::deque<caf::resumable*> jobs_;
};

} // namespace

class VirtualSystem::Impl {
public:
  explicit Impl(const std::function<void(caf::actor_system_config&)>& configure)
    : system(configured(config, configure), this) {}

  static caf::actor_system_config&
  configured(caf::actor_system_config& config,
             const std::function<void(caf::actor_system_config&)>& configure) {
    configure(config);
    return config;
  }

  // The constructor that lets us set a clock and a scheduler is protected.
  struct System final : caf::actor_system {
    System(caf::actor_system_config& config, Impl* owner)
      : caf::actor_system(config, setup, owner) {}

    static void setup(caf::actor_system& system, caf::actor_system_config&, void* pointer) {
      auto& owner = *static_cast<Impl*>(pointer);
      auto clock = std::make_unique<ManualClock>();
      auto scheduler = std::make_unique<ManualScheduler>();
      owner.clock = clock.get();
      owner.scheduler = scheduler.get();
      caf::detail::actor_system_access access{system};
      access.clock(std::move(clock));
      access.scheduler(std::move(scheduler));
    }
  };

  ManualClock* clock = nullptr;
  ManualScheduler* scheduler = nullptr;
  caf::actor_system_config config;
  System system;
};

VirtualSystem::VirtualSystem(const std::function<void(caf::actor_system_config&)>& configure)
  : impl_(std::make_unique<Impl>(configure)) {}

VirtualSystem::~VirtualSystem() = default;

caf::actor_system& VirtualSystem::system() { return impl_->system; }

bool VirtualSystem::step() {
  return impl_->scheduler->step([this](auto* job) { return !is_frozen(job); });
}

Instant VirtualSystem::now() { return {impl_->clock->now().time_since_epoch()}; }

std::size_t VirtualSystem::move_to(Instant at) {
  return impl_->clock->move_to(caf::actor_clock::time_point{at.since_origin});
}

std::size_t VirtualSystem::timers() { return impl_->clock->size(); }

std::optional<Instant> VirtualSystem::next_timer() {
  const auto next = impl_->clock->next();
  return next ? std::optional{Instant{next->time_since_epoch()}} : std::nullopt;
}

void VirtualSystem::drop_timers() { impl_->clock->clear(); }

} // namespace backoff_actor::compat
