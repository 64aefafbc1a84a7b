#pragma once

#include "worker_pool/pool_engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <queue>
#include <random>

namespace worker_pool {

/// How long a service takes. The mean is 1 in all.
enum class Service {
  exponential,
  one_in_a_hundred_takes_long, ///< 99 times as long as the others
  log_normal,                  ///< with sigma 1.5
};

/// Who decides which worker gets a message.
enum class Router {
  pool,   ///< the engine of a sender with a pool, whose workers hold one message each
  queue,  ///< the plan of such a pool, without an engine: who is free takes the oldest message
  random, ///< a router that gives each message at once to any worker, which keeps a queue
};

/// Messages that come at random times, eight workers, and a router before them.
struct Load {
  Service service = Service::exponential;
  Router router = Router::pool;
  double share = 0.7; ///< of what the workers can do; above 0, below 1
  std::uint64_t messages = 300'000;
  std::uint64_t seed = 7;
};

/// How many workers there are.
inline constexpr std::uint32_t worker_count = 8;

/// How long messages were in the system, in means of the service.
struct Times {
  double mean = 0;
  double p99 = 0;
  double idle_share = 0; ///< of the time, in which a worker idled while a message waited
};

/// The times of messages that were in the system for so long.
///
/// @range not empty
inline Times times_of(std::vector<double> spans) {
  std::sort(spans.begin(), spans.end());
  double sum = 0;
  for (const auto span : spans)
    sum += span;
  return {sum / static_cast<double>(spans.size()), spans[spans.size() * 99 / 100]};
}

/// All messages come and are done, in virtual time. The same load gives the same times.
class Simulation {
public:
  explicit Simulation(const Load& load) : load_(load), generator_(load.seed) {
    if (load.router == Router::pool)
      engine_.emplace(worker_count);
    if (load.router == Router::queue)
      for (std::uint32_t worker = 0; worker != worker_count; ++worker)
        free_.push_back(worker);
  }

  Times run() {
    plan_arrival();
    while (!events_.empty()) {
      const auto next = events_.top();
      events_.pop();
      if (idle_ > 0 && waiting_ > 0)
        bad_ += next.at - now_;
      now_ = next.at;
      if (next.worker == no_worker)
        arrive();
      else
        finish(next.worker, next.message);
    }
    auto result = times_of(std::move(spans_));
    result.idle_share = bad_ / now_;
    return result;
  }

private:
  static constexpr std::uint32_t no_worker = worker_count;

  // The end of a service, or, without a worker, an arrival.
  struct Event {
    double at;
    std::uint32_t worker;
    std::uint64_t message;

    bool operator<(const Event& other) const { return at > other.at; } // the earliest first
  };

  struct Worker {
    std::deque<std::uint64_t> queue;
    bool is_busy = false;
  };

  void arrive() {
    const auto message = arrivals_.size();
    arrivals_.push_back(now_);
    const auto draw = generator_();
    plan_arrival();
    ++waiting_;
    if (engine_)
      hand_over(engine_->submit(instant(), message));
    else if (load_.router == Router::random)
      deliver(message, static_cast<std::uint32_t>(draw % worker_count));
    else
      backlog_.push_back(message);
    take_from_backlog();
  }

  void finish(std::uint32_t worker, std::uint64_t message) {
    workers_[worker].is_busy = false;
    ++idle_;
    spans_.push_back(now_ - arrivals_[message]);
    begin(worker);
    if (engine_)
      hand_over(engine_->acknowledge(instant(), message));
    else if (load_.router == Router::queue)
      free_.push_back(worker);
    take_from_backlog();
  }

  // Those who are free take the oldest messages.
  void take_from_backlog() {
    while (!free_.empty() && !backlog_.empty()) {
      deliver(backlog_.front(), free_.back());
      free_.pop_back();
      backlog_.pop_front();
    }
  }

  void hand_over(const std::vector<HandedOver>& all) {
    for (const auto& [message, worker] : all)
      deliver(message, worker);
  }

  void deliver(std::uint64_t message, std::uint32_t worker) {
    workers_[worker].queue.push_back(message);
    begin(worker);
  }

  void begin(std::uint32_t worker) {
    auto& [queue, is_busy] = workers_[worker];
    if (is_busy || queue.empty())
      return;
    events_.push({now_ + service_time(), worker, queue.front()});
    queue.pop_front();
    is_busy = true;
    --waiting_;
    --idle_;
  }

  void plan_arrival() {
    if (arrivals_.size() < load_.messages)
      events_.push({now_ + exponential_(generator_) / (load_.share * worker_count), no_worker, 0});
  }

  double service_time() {
    switch (load_.service) {
    case Service::exponential:
      break;
    case Service::one_in_a_hundred_takes_long:
      return uniform_(generator_) < 0.01 ? 50.0 : 50.0 / 99;
    case Service::log_normal:
      return std::exp(1.5 * std::normal_distribution<double>{}(generator_)-1.125);
    }
    return exponential_(generator_);
  }

  backoff_actor::Instant instant() const {
    return backoff_actor::Instant{
      std::chrono::duration_cast<backoff_actor::Duration>(std::chrono::duration<double>{now_})};
  }

  Load load_;
  std::mt19937_64 generator_;
  std::exponential_distribution<double> exponential_;
  std::uniform_real_distribution<double> uniform_;
  std::optional<PoolEngine> engine_;
  std::vector<std::uint32_t> free_;   // workers of Router::queue
  std::deque<std::uint64_t> backlog_; // messages of Router::queue
  std::priority_queue<Event> events_;
  std::array<Worker, worker_count> workers_;
  std::vector<double> arrivals_; // by message
  std::vector<double> spans_;
  double now_ = 0;
  double bad_ = 0;
  std::uint32_t idle_ = worker_count;
  std::uint64_t waiting_ = 0; // messages that no worker works on
};

} // namespace worker_pool
