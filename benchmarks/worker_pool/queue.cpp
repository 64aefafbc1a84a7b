#include "worker_pool/queue.hpp"

#include "worker_pool/pool_engine.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <deque>
#include <optional>
#include <queue>
#include <random>
#include <utility>

namespace worker_pool {

namespace {

enum class What { arrival, delivery, end_of_service, acknowledgement };

struct Happening {
  double at;
  What what;
  std::uint32_t worker;
  std::uint64_t message;

  bool operator<(const Happening& other) const { return at > other.at; } // the earliest first
};

struct Worker {
  std::deque<std::uint64_t> queue;
  bool is_busy = false;
};

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
    while (!happenings_.empty()) {
      const auto next = happenings_.top();
      happenings_.pop();
      if (idle_ > 0 && waiting_ > 0)
        bad_ += next.at - now_;
      now_ = next.at;
      happen(next);
    }
    auto result = times_of(std::move(spans_));
    result.idle_share = bad_ / now_;
    return result;
  }

private:
  void happen(const Happening& x) {
    switch (x.what) {
    case What::arrival:
      arrive();
      break;
    case What::delivery:
      workers_[x.worker].queue.push_back(x.message);
      begin(x.worker);
      break;
    case What::end_of_service:
      workers_[x.worker].is_busy = false;
      ++idle_;
      spans_.push_back(now_ - arrivals_[x.message]);
      plan(0, What::acknowledgement, x.worker, x.message);
      begin(x.worker);
      break;
    case What::acknowledgement:
      if (engine_)
        hand_over(engine_->acknowledge(instant(), x.message));
      else if (load_.router == Router::queue)
        free_.push_back(x.worker);
      take_from_backlog();
    }
  }

  void arrive() {
    const auto message = arrivals_.size();
    arrivals_.push_back(now_);
    const auto draw = generator_();
    plan_arrival();
    ++waiting_;
    if (engine_)
      hand_over(engine_->submit(instant(), message));
    else if (load_.router == Router::queue)
      backlog_.push_back(message);
    else
      plan(0, What::delivery, static_cast<std::uint32_t>(draw % worker_count), message);
    take_from_backlog();
  }

  // Those who are free take the oldest messages.
  void take_from_backlog() {
    while (!free_.empty() && !backlog_.empty()) {
      plan(0, What::delivery, free_.back(), backlog_.front());
      free_.pop_back();
      backlog_.pop_front();
    }
  }

  void hand_over(const std::vector<HandedOver>& all) {
    for (const auto& x : all)
      plan(0, What::delivery, x.worker, x.message);
  }

  void begin(std::uint32_t worker) {
    auto& x = workers_[worker];
    if (x.is_busy || x.queue.empty())
      return;
    const auto message = x.queue.front();
    x.queue.pop_front();
    x.is_busy = true;
    --waiting_;
    --idle_;
    plan(service_time(), What::end_of_service, worker, message);
  }

  void plan_arrival() {
    if (arrivals_.size() < load_.messages)
      plan(exponential_(generator_) / (load_.share * worker_count), What::arrival, 0, 0);
  }

  void plan(double later, What what, std::uint32_t worker, std::uint64_t message) {
    happenings_.push({now_ + later, what, worker, message});
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
  std::priority_queue<Happening> happenings_;
  std::array<Worker, worker_count> workers_;
  std::vector<double> arrivals_; // by message
  std::vector<double> spans_;
  double now_ = 0;
  double bad_ = 0;
  std::uint32_t idle_ = worker_count;
  std::uint64_t waiting_ = 0; // messages that no worker works on
};

} // namespace

std::string_view to_string(Service service) {
  switch (service) {
  case Service::exponential:
    return "exponential";
  case Service::one_in_a_hundred_takes_long:
    return "1 in 100 takes 100x";
  case Service::log_normal:
    break;
  }
  return "log-normal, sigma 1.5";
}

Times times_of(std::vector<double> spans) {
  std::sort(spans.begin(), spans.end());
  double sum = 0;
  for (const auto span : spans)
    sum += span;
  return {sum / static_cast<double>(spans.size()), spans[spans.size() / 2],
          spans[spans.size() * 99 / 100], 0};
}

Times run_in_virtual_time(const Load& load) { return Simulation{load}.run(); }

} // namespace worker_pool
