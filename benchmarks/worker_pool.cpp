// worker_pool: how long messages wait for a pool's workers, and what its engine takes.

#include "common/processes.hpp"
#include "common/program.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/engine/sender/sender_engine.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace worker_pool {

namespace {

using namespace backoff_actor;
using namespace benchmarks;

const Words words{"worker_pool",
                  R"(Measures a sender with a pool of workers.

1. How long messages are in the system if they come at random times to eight workers: with the
   engine of a pool, in virtual time, and with a random router, which gives each message at once to
   any worker. All times are in means of the service. The limits are the times that a simulation of
   the plan takes with the same messages (mean and 99th percentile, 5 %).
2. The same in real time with actors, whose service takes 4 ms on average. The limit is 20 %.
3. What the engine takes in instructions with 8, 64 and 1000 workers. The limit is 1.2 times the
   fewest.
)",
                  R"(  worker_pool
  worker_pool --messages 30000 --real-messages 0    in virtual time only, and less exact
  worker_pool --messages 1000 --real-messages 0 --counted 3    the least work
)",
                  "a figure is beyond its limit, or this system lets no process trace another"};

constexpr double times_limit = 0.05;
constexpr double real_limit = 0.2;
constexpr double cost_limit = 1.2;
constexpr std::chrono::microseconds mean_service{4000};

struct Question {
  std::uint64_t messages = 300'000;
  std::uint64_t real_messages = 10'000;
  std::uint64_t counted = 200;
};

// -- the engine of a pool -----------------------------------------------------------------

// A message that a worker was given.
struct Handed {
  std::uint64_t message;
  std::uint32_t worker; // from 0
};

// The engine of a sender with a pool, without actors. Each worker holds one message, and all are
// alive at first.
class PoolEngine {
public:
  // @range `1 <= workers <= 1000`
  explicit PoolEngine(std::uint32_t workers) : incarnation_of_(workers) {
    EngineOptions options;
    options.ordering = Ordering::unordered;
    options.capacity = std::numeric_limits<std::uint32_t>::max() / 2;
    options.pool.kinds = {{{workers, workers}, 1}};
    engine_ =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
    step({}, input::Start{});
    for (const auto incarnation : incarnation_of_)
      step({}, input::ChildStarted{incarnation});
  }

  // Submits a message. Returns what the workers get for it.
  const std::vector<Handed>& submit(Instant now, std::uint64_t message) {
    if (hand_over_of_.size() <= message)
      hand_over_of_.resize(2 * message + 1);
    submitted_ = message;
    return step(now, input::Submit{});
  }

  // A worker has done a message. Returns what the workers get next.
  const std::vector<Handed>& acknowledge(Instant now, std::uint64_t message) {
    return step(now, input::Acknowledged{hand_over_of_[message]});
  }

  // A worker crashes, and is made again when its delay is over. Returns when.
  Instant crash(Instant now, std::uint32_t worker) {
    step(now, input::ChildDown{incarnation_of_[worker], {7, "crash"}});
    step(now, input::ChildStarted{incarnation_of_[worker]});
    now = std::exchange(wake_at_, Instant::never());
    step(now, input::Wake{});
    return now;
  }

private:
  template <class Input>
  const std::vector<Handed>& step(Instant now, const Input& input) {
    engine_->step(now, input, effects_);
    handed_over_.clear();
    for (const auto& effect : effects_) {
      if (const auto* accept = std::get_if<effect::Accept>(&effect)) {
        if (message_in_.size() <= accept->slot)
          message_in_.resize(2 * std::size_t{accept->slot} + 1);
        message_in_[accept->slot] = submitted_;
      } else if (const auto* start = std::get_if<effect::StartChild>(&effect)) {
        if (worker_of_.size() <= start->incarnation)
          worker_of_.resize(2 * std::size_t{start->incarnation} + 1);
        worker_of_[start->incarnation] = start->worker - 1U;
        incarnation_of_[start->worker - 1U] = start->incarnation;
      } else if (const auto* hand_over = std::get_if<effect::HandOver>(&effect)) {
        const auto message = message_in_[hand_over->slot];
        hand_over_of_[message] = hand_over->hand_over;
        handed_over_.push_back({message, worker_of_[hand_over->incarnation]});
      } else if (const auto* wake = std::get_if<effect::WakeAt>(&effect)) {
        wake_at_ = wake->at;
      }
    }
    effects_.clear();
    return handed_over_;
  }

  std::unique_ptr<SenderEngine> engine_;
  Effects effects_;
  std::vector<Handed> handed_over_;
  std::uint64_t submitted_ = 0;               // the last message
  std::vector<std::uint64_t> message_in_;     // by slot
  std::vector<HandOverId> hand_over_of_;      // by message
  std::vector<std::uint32_t> worker_of_;      // by incarnation
  std::vector<std::uint32_t> incarnation_of_; // by worker
  Instant wake_at_ = Instant::never();
};

// -- in virtual time ----------------------------------------------------------------------

// How long a service takes. The mean is 1 in all.
enum class Service {
  exponential,
  one_in_a_hundred_takes_long, // 99 times as long as the others
  log_normal,                  // with sigma 1.5
};

// Who decides which worker gets a message.
enum class Router {
  pool,   // the engine of a sender with a pool, whose workers hold one message each
  queue,  // the plan of such a pool, without an engine: who is free takes the oldest message
  random, // a router that gives each message at once to any worker, which keeps a queue
};

// Messages that come at random times, eight workers, and a router before them.
struct Load {
  Service service = Service::exponential;
  Router router = Router::pool;
  double share = 0.7; // of what the workers can do; above 0, below 1
  std::uint64_t messages = 300'000;
  std::uint64_t seed = 7;
};

// How many workers there are.
constexpr std::uint32_t worker_count = 8;

// How long messages were in the system, in means of the service.
struct Times {
  double mean = 0;
  double p99 = 0;
  double idle_share = 0; // of the time, in which a worker idled while a message waited
};

// The times of messages that were in the system for so long.
//
// @range not empty
Times times_of(std::vector<double> spans) {
  std::sort(spans.begin(), spans.end());
  double sum = 0;
  for (const auto span : spans)
    sum += span;
  return {sum / static_cast<double>(spans.size()), spans[spans.size() * 99 / 100]};
}

// All messages come and are done, in virtual time. The same load gives the same times.
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
  struct Happening {
    double at;
    std::uint32_t worker;
    std::uint64_t message;

    bool operator<(const Happening& other) const { return at > other.at; } // the earliest first
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

  void hand_over(const std::vector<Handed>& all) {
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

  Instant instant() const {
    return Instant{std::chrono::duration_cast<Duration>(std::chrono::duration<double>{now_})};
  }

  Load load_;
  std::mt19937_64 generator_;
  std::exponential_distribution<double> exponential_;
  std::uniform_real_distribution<double> uniform_;
  std::optional<PoolEngine> engine_;
  std::vector<std::uint32_t> free_;   // workers of Router::queue
  std::deque<std::uint64_t> backlog_; // messages of Router::queue
  std::priority_queue<Happening> events_;
  std::array<Worker, worker_count> workers_;
  std::vector<double> arrivals_; // by message
  std::vector<double> spans_;
  double now_ = 0;
  double bad_ = 0;
  std::uint32_t idle_ = worker_count;
  std::uint64_t waiting_ = 0; // messages that no worker works on
};

// -- in real time -------------------------------------------------------------------------

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

std::shared_ptr<Plan> plan_of(const Load& load) {
  std::mt19937_64 generator{load.seed};
  std::exponential_distribution<double> exponential;
  const auto span = [&](double services) {
    return std::chrono::duration_cast<Clock::duration>(Seconds{mean_service} * services);
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

Times run_in_real_time(const Load& load) {
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  const auto plan = plan_of(load);
  SenderOptions options;
  options.ordering = Ordering::unordered;
  options.pool.workers = {worker_count, worker_count};
  const auto sender = spawn_back_off_sender(system, child_of<caf::detached>(worker, plan), options);
  for (std::uint64_t i = 0; i < load.messages; ++i) {
    std::this_thread::sleep_until(plan->messages[i].arrival);
    caf::anon_send(sender, i);
  }
  for (auto left = plan->left.load(); left > 0; left = plan->left.load())
    plan->left.wait(left);
  std::vector<double> spans;
  for (const auto& message : plan->messages)
    spans.push_back(Seconds{message.done - message.arrival} / Seconds{mean_service});
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  return times_of(std::move(spans));
}

// -- instructions -------------------------------------------------------------------------

constexpr std::uint64_t until_tables_have_grown = 400;
constexpr std::uint64_t backlog = 1000;

std::uint64_t crashes(std::uint64_t counted) { return std::max<std::uint64_t>(counted / 25, 1); }

void count(std::uint32_t workers, std::uint64_t counted) {
  PoolEngine engine{workers};
  std::uint64_t next = 0;
  std::uint64_t oldest = 0;
  const auto submit = [&](std::uint64_t count) {
    for (; count > 0; --count)
      engine.submit({}, next++);
  };
  const auto submit_and_acknowledge = [&](std::uint64_t count) {
    for (; count > 0; --count) {
      engine.submit({}, next++);
      engine.acknowledge({}, oldest++);
    }
  };
  submit(workers / 2);
  submit_and_acknowledge(until_tables_have_grown);
  mark();
  submit_and_acknowledge(counted);
  mark();

  submit(workers - workers / 2 + backlog);
  submit_and_acknowledge(until_tables_have_grown);
  mark();
  submit_and_acknowledge(counted);
  mark();

  PoolEngine crashing{workers};
  auto now = crashing.crash({}, 0);
  mark();
  for (std::uint32_t i = 0; i < crashes(counted); ++i)
    now = crashing.crash(now, i % workers);
  mark();
}

// Those of a submission and its acknowledgement, when half of the workers are free; the same when
// none is free and a thousand messages wait; those of a crash, the new child, and the end of its
// delay. A twenty-fifth as many crashes are counted, but at least one.
Figures costs_of(std::uint32_t workers, std::uint64_t counted) {
  auto counts = instructions_of([=] { count(workers, counted); });
  counts.at(0) /= static_cast<double>(counted);
  counts.at(1) /= static_cast<double>(counted);
  counts.at(2) /= static_cast<double>(crashes(counted));
  return counts;
}

// -- all ----------------------------------------------------------------------------------

bool is_near(double value, double wanted, double limit) {
  return std::abs(value / wanted - 1) <= limit;
}

Report measure_times(const Question& question) {
  Grid grid{{"", "mean", "planned", "p99", "planned p99", "idle, %"}};
  auto is_good = true;
  const auto add = [&](std::string name, const Load& load, const Times& times, const Times& plan,
                       double limit) {
    is_good =
      is_good && is_near(times.mean, plan.mean, limit) && is_near(times.p99, plan.p99, limit);
    grid.add(name.append(", load ").append(rounded(load.share)),
             {times.mean, plan.mean, times.p99, plan.p99, 100 * times.idle_share});
  };
  const auto run = [&](Load load, Router router) {
    load.router = router;
    return Simulation{load}.run();
  };
  for (const auto& [name, service] :
       {std::pair{std::string{"exponential"}, Service::exponential},
        std::pair{std::string{"1 in 100 takes 100x"}, Service::one_in_a_hundred_takes_long},
        std::pair{std::string{"log-normal, sigma 1.5"}, Service::log_normal}})
    for (const auto share : {0.7, 0.9}) {
      const Load load{service, Router::pool, share, question.messages, 7};
      const auto plan = run(load, Router::queue);
      add(name, load, run(load, Router::pool), plan, times_limit);
      const auto unlimited = run(load, Router::random);
      add(name + ", random router", load, unlimited, unlimited, 0);
    }
  if (question.real_messages > 0) {
    Load load{Service::exponential, Router::pool, 0.7, question.messages, 7};
    const auto plan = run(load, Router::queue);
    load.messages = question.real_messages;
    add("exponential, real time", load, run_in_real_time(load), plan, real_limit);
  }
  auto result = grid.report();
  result.is_good = is_good;
  return result;
}

Report measure_costs(std::uint64_t counted) {
  Grid grid{{"instructions, workers", "one free", "backlog", "a crash"}};
  for (const auto workers : {8U, 64U, 1000U})
    grid.add(std::to_string(workers), costs_of(workers, counted));
  auto result = grid.report();
  for (const auto* column : {"one free", "backlog", "a crash"}) {
    const auto [least, most] = std::minmax(
      {grid.median_of("8", column), grid.median_of("64", column), grid.median_of("1000", column)});
    result.is_good = result.is_good && most <= cost_limit * least;
  }
  return result;
}

} // namespace

} // namespace worker_pool

int main(int argc, char** argv) {
  using namespace worker_pool;
  Question question;
  benchmarks::Program program{words};
  program.number("--messages", question.messages, 1000, 10'000'000,
                 "messages of each row in virtual time");
  program.number("--real-messages", question.real_messages, 0, 1'000'000,
                 "messages in real time; 0 leaves it out");
  program.number("--counted", question.counted, 1, 10'000,
                 "submissions whose instructions are counted");
  return program.run(
    argc, argv, [&] { return both(measure_times(question), measure_costs(question.counted)); });
}
