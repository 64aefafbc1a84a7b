#include "sender_kind.hpp"

#include "workers.hpp"

#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/guard/parse_guard.hpp>

#include <chrono>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;

// Short, so that there are many failures and yet the load is full.
SenderOptions soon_again() {
  SenderOptions result;
  result.backoff = parse_policy("exponential(100us, x2, cap 5ms) | full_jitter");
  return result;
}

SenderKind kind(const char* name, const char* faults, const SenderOptions& options) {
  return {.name = name, .options = options, .children = echoing_children(), .faults = faults};
}

} // namespace

std::vector<SenderKind> faulty_senders(std::uint64_t seed) {
  std::vector<SenderKind> result;

  auto options = soon_again();
  result.push_back(kind("strict", "random(crash 0.2%, stop 0.1%, error 0.5%)", options));

  options.rare.works_on = WorksOn::many;
  result.push_back(kind("many at a time", "random(crash 0.2%, crash_like_error 0.1%)", options));

  options.ordering = Ordering::per_key;
  result.push_back(
    kind("per key", "random(crash 0.2%, error(503, retry_after 1ms) 0.2%, slow 1ms 1%)", options));
  result.back().submission = Submission::keyed_request;

  options.ordering = Ordering::unordered;
  options.ack_timeout = 20ms;
  options.kill_grace = 20ms;
  result.push_back(kind("hangs", "random(silence 0.05%, hang 0.05%, crash 0.1%)", options));

  options = soon_again();
  options.acknowledgement = Acknowledgement::by_sent;
  result.push_back(kind("explicit, strict",
                        "random(nack 0.5%, nack(retry_after 1ms) 0.2%, reject 0.2%, crash 0.2%)",
                        options));

  options.rare.works_on = WorksOn::many;
  options.ordering = Ordering::unordered;
  options.max_attempts = 2;
  options.charging = Charging::every_failure();
  result.push_back(kind("explicit, two attempts",
                        "random(nack 3%, crash 0.5%, slow(1ms, working 200us) 1%)", options));

  result.push_back(kind("own threads", "random(crash 0.5%, error 0.5%)", soon_again()));
  result.back().children = echoing_children_with_threads();

  options = soon_again();
  options.capacity = 40;
  result.push_back(kind("full", "random(crash 0.5%)", options));

  options.rare.overflow = Overflow::drop_oldest;
  result.push_back(kind("full, drops", "random(crash 0.5%)", options));

  options = soon_again();
  options.time_to_live = 5ms;
  options.rare.works_on = WorksOn::many;
  result.push_back(kind("deadlines", "random(slow 10ms 1%, crash 0.2%)", options));

  result.push_back(kind("plain sends", "random(crash 0.2%, stop 0.1%)", soon_again()));
  result.back().submission = Submission::plain_send;

  options = soon_again();
  options.restart_limit = RestartLimit{2, 10ms};
  options.rare.fallback = echoing_children();
  result.push_back(kind("fallback", "random(crash 3%)", options));
  result.back().births = "random(factory_throws 20%, dies_at_birth 20%)";

  options.rare.fallback = {};
  result.push_back(kind("gives up", "random(crash 2%)", options));

  options = soon_again();
  options.guard =
    SharedGuard{parse_guard("circuit_breaker(3 failures, open 5ms) + retry_budget"), seed};
  result.push_back(
    kind("guarded, one", "random(crash 0.5%, error(503, retry_after 1ms) 0.5%)", options));
  result.push_back(kind("guarded, another", "(ok*5000, crash*10)...", options));
  return result;
}

std::vector<SenderKind> calling_senders(std::uint16_t port, std::uint64_t seed) {
  auto options = soon_again();
  options.ack_timeout = 500ms;
  options.kill_grace = 50ms;
  std::vector<SenderKind> result;
  result.push_back(
    {.name = "calls", .options = options, .children = calling_children(port), .clients = 2});

  options.guard =
    SharedGuard{parse_guard("circuit_breaker(5 failures, open 10ms, spread 10ms)"), seed};
  for (const auto* const name : {"guarded calls, one", "guarded calls, another"})
    result.push_back(
      {.name = name, .options = options, .children = calling_children(port), .clients = 2});
  return result;
}

} // namespace backoff_actor::soak
