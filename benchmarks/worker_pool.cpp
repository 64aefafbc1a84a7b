// worker_pool: how long messages wait for a pool's workers, and what its engine takes.

#include "common/processes.hpp"
#include "common/program.hpp"
#include "worker_pool/simulation.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <atomic>
#include <thread>

namespace worker_pool {

namespace {

const benchmarks::Words words{
  "worker_pool",
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

// -- in real time ------------------------------------------------------------------------

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
  backoff_actor::init(config);
  caf::actor_system system{config};
  const auto plan = plan_of(load);
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
    spans.push_back(Seconds{message.done - message.arrival} / Seconds{mean_service});
  caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  return times_of(std::move(spans));
}

// -- instructions ------------------------------------------------------------------------

constexpr std::uint64_t until_tables_have_grown = 400;
constexpr std::uint64_t backlog = 1000;

std::uint64_t crashes(std::uint64_t counted) { return std::max<std::uint64_t>(counted / 25, 1); }

void count(std::uint32_t workers, std::uint64_t counted) {
  using benchmarks::mark;
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
benchmarks::Figures costs_of(std::uint32_t workers, std::uint64_t counted) {
  auto counts = benchmarks::instructions_of([=] { count(workers, counted); });
  counts.at(0) /= static_cast<double>(counted);
  counts.at(1) /= static_cast<double>(counted);
  counts.at(2) /= static_cast<double>(crashes(counted));
  return counts;
}

// -- all -----------------------------------------------------------------------------------

bool is_near(double value, double wanted, double limit) {
  return std::abs(value / wanted - 1) <= limit;
}

benchmarks::Report measure_times(const Question& question) {
  benchmarks::Grid grid{{"", "mean", "planned", "p99", "planned p99", "idle, %"}};
  auto is_good = true;
  const auto add = [&](std::string name, const Load& load, const Times& times, const Times& plan,
                       double limit) {
    is_good =
      is_good && is_near(times.mean, plan.mean, limit) && is_near(times.p99, plan.p99, limit);
    grid.add(name.append(", load ").append(benchmarks::rounded(load.share)),
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

benchmarks::Report measure_costs(std::uint64_t counted) {
  benchmarks::Grid grid{{"instructions, workers", "one free", "backlog", "a crash"}};
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
