#include "worker_pool/real_time.hpp"

#include <backoff_actor/caf/init.hpp>
#include <backoff_actor/caf/sender/sender.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace worker_pool {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// What is planned for a message, and what becomes of it.
struct Message {
  Clock::time_point arrival;
  Clock::duration service;
  Clock::time_point done{};
};

struct Plan {
  std::vector<Message> messages;
  std::atomic<std::uint64_t> left;
};

caf::behavior worker(caf::event_based_actor*, std::shared_ptr<Plan> plan) {
  return {[plan](std::uint64_t number) {
    auto& message = plan->messages[number];
    std::this_thread::sleep_for(message.service);
    message.done = Clock::now();
    if (plan->left.fetch_sub(1) == 1)
      plan->left.notify_one();
  }};
}

std::shared_ptr<Plan> plan_of(const Load& load, std::chrono::microseconds service) {
  std::mt19937_64 generator{load.seed};
  std::exponential_distribution<double> exponential;
  const auto span = [&](double services) {
    return std::chrono::duration_cast<Clock::duration>(Seconds{service} * services);
  };
  const auto plan = std::make_shared<Plan>();
  plan->left = load.messages;
  plan->messages.resize(load.messages);
  auto at = Clock::now() + std::chrono::milliseconds{100}; // until all workers are up
  for (auto& message : plan->messages) {
    at += span(exponential(generator) / (load.share * worker_count));
    message = {at, span(exponential(generator))};
  }
  return plan;
}

} // namespace

Times run_in_real_time(const Load& load, std::chrono::microseconds service) {
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  const auto plan = plan_of(load, service);
  backoff_actor::SenderOptions options;
  options.ordering = backoff_actor::Ordering::unordered;
  options.pool.workers = {worker_count, worker_count};
  const auto sender = backoff_actor::spawn_back_off_sender(
    system, backoff_actor::child_of<caf::detached>(worker, plan), options);
  for (std::uint64_t i = 0; i < load.messages; ++i) {
    std::this_thread::sleep_until(plan->messages[i].arrival);
    caf::anon_send(sender, i);
  }
  for (auto left = plan->left.load(); left > 0; left = plan->left.load())
    plan->left.wait(left);
  std::vector<double> spans;
  for (const auto& message : plan->messages)
    spans.push_back(Seconds{message.done - message.arrival} / Seconds{service});
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  return times_of(std::move(spans));
}

} // namespace worker_pool
