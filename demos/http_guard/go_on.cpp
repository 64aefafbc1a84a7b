#include "go_on.hpp"

#include "http_worker.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/main/graceful_shutdown.hpp"
#include "backoff_actor/caf/main/scheduler_watch.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/guard/parse_guard.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace http_guard {

namespace {

using namespace std::chrono_literals;

constexpr auto between_requests = 50ms;
constexpr auto works_for = 11s;
constexpr auto is_down_for = 4s;
constexpr auto grace_of_end = 2s;

backoff_actor::SenderOptions sender_options(const backoff_actor::Observatory& observatory) {
  const backoff_actor::SharedGuard guard{
    backoff_actor::parse_guard("circuit_breaker(8 failures, open 2s)")};
  guard.observed_by(observatory, "service");
  backoff_actor::SenderOptions result;
  result.name = "after_the_run";
  result.backoff = backoff_actor::parse_policy("exponential(100ms, x2, cap 2s) | full_jitter");
  result.guard = guard;
  result.capacity = 1000;
  result.time_to_live = 1min; // older ones are dead letters
  result.ordering = backoff_actor::Ordering::unordered;
  result.pool.workers = {2, 2};
  result.observed_by = observatory;
  return result;
}

} // namespace

void go_on(const Options& options, ServiceProcess* service,
           const backoff_actor::Observatory& observatory) {
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{system, {.grace = grace_of_end}};
  const backoff_actor::SchedulerWatch scheduler_watch{system, observatory};
  const auto url = service != nullptr ? service->url() : options.url;
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::child_of<HttpWorker, caf::detached>(url), sender_options(observatory));
  shutdown.add(sender);

  auto is_up = service == nullptr;
  auto next_change = std::chrono::steady_clock::now();
  for (std::uint64_t i = 1; !shutdown.wait_for(between_requests); ++i) {
    backoff_actor::compat::enqueue(sender, "later-" + std::to_string(i));
    const auto now = std::chrono::steady_clock::now();
    if (service == nullptr || now < next_change)
      continue;
    if (is_up)
      service->kill();
    else
      service->start();
    is_up = !is_up;
    next_change = now + (is_up ? works_for : is_down_for);
  }
  shutdown.stop();
  if (service != nullptr)
    service->kill();
}

} // namespace http_guard
