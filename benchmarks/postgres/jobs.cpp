#include "common/time.hpp"
#include "postgres/peers.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

constexpr std::size_t job_size = 256;
constexpr auto jobs_goal = benchmarks::at_least(2);
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs

struct JobLoad {
  std::uint64_t window; // submissions not yet accepted, and jobs in work
  std::uint64_t jobs;   // all that is measured, without those before it
};

/// Counts the acknowledgements that are on the server.
class AcknowledgementCount final : public testing::OwnedStoreInFront {
public:
  using OwnedStoreInFront::OwnedStoreInFront;

  std::uint64_t acknowledged() const { return acknowledged_; }

  void commit(std::span<const StoreChange> changes) override {
    OwnedStoreInFront::commit(changes);
    acknowledged_ += static_cast<std::uint64_t>(
      std::count_if(changes.begin(), changes.end(), [](const StoreChange& change) {
        return std::holds_alternative<change::Acknowledge>(change);
      }));
  }

private:
  std::atomic<std::uint64_t> acknowledged_ = 0;
};

class JobWorker : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string&) {}};
  }
};

class JobProducer : public caf::event_based_actor {
public:
  JobProducer(caf::actor_config& config, caf::actor receiver, const JobLoad& load,
              std::shared_ptr<std::promise<std::string>> when_done)
    : caf::event_based_actor(config), sender_(std::move(receiver)), load_(load),
      job_(job_size, 'x'), done_(std::move(when_done)) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < load_.window; ++i)
      submit();
    return {[](int) {}};
  }

  void on_exit() override { sender_ = nullptr; }

private:
  void submit() {
    if (submitted_ == load_.jobs)
      return;
    ++submitted_;
    request(sender_, caf::infinite,
            Submit{.message = caf::make_message(job_), .answer_when_accepted = true})
      .then(
        [this](const Accepted&) {
          submit();
          if (++accepted_ == load_.jobs)
            end("");
        },
        [this](const caf::error& error) { end(render(system(), error)); });
  }

  // The first error counts, and no later end.
  void end(std::string problem) {
    if (std::exchange(is_over_, true))
      return;
    done_->set_value(std::move(problem));
    quit();
  }

  caf::actor sender_;
  JobLoad load_;
  std::string job_;
  std::shared_ptr<std::promise<std::string>> done_;
  std::uint64_t submitted_ = 0;
  std::uint64_t accepted_ = 0;
  bool is_over_ = false;
};

// Jobs that a sender executes in a second. Its client submits them by `Submit`, and hears when each
// is on the server. The time ends when the acknowledgements of all are there, too.
double own_jobs_per_second(const std::string& connection, const JobLoad& load) {
  const auto store = std::make_shared<AcknowledgementCount>(
    open_postgres_store({connection, "jobs"}, {.lease = std::chrono::minutes{5}}));
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  SenderOptions options;
  options.max_in_flight = static_cast<std::uint32_t>(load.window);
  options.outbox = DurableOutbox{store, durable<std::string>()};
  const auto sender = spawn_back_off_sender(system, child_of<JobWorker>(), std::move(options));
  std::uint64_t all = 0;
  const auto run = [&](std::uint64_t jobs) {
    const auto done = std::make_shared<std::promise<std::string>>();
    system.spawn<JobProducer>(sender, JobLoad{load.window, jobs}, done);
    if (const auto problem = done->get_future().get(); !problem.empty())
      throw std::runtime_error("a job was refused: " + problem);
    all += jobs;
    while (store->acknowledged() < all)
      std::this_thread::sleep_for(std::chrono::microseconds{200});
  };
  run(std::max<std::uint64_t>(load.jobs / 4, 1)); // is not counted: the server learns its plans
  return static_cast<double>(load.jobs) / benchmarks::seconds_of([&] { run(load.jobs); });
}

} // namespace

Rows measure_jobs(const Server& server, const Extent& extent) {
  Rows rows;
  for (const std::uint64_t window : {1U, 100U, 1000U}) {
    const auto jobs = window == 1 ? std::max<std::uint64_t>(extent.jobs / 4, 1) : extent.jobs;
    const auto ours = window == 1 ? extent.jobs : extent.jobs * ours_by_peers;
    for (auto& row : measure_beside(server, extent,
                                    {"jobs, window " + std::to_string(window),
                                     "jobs/s",
                                     [=](const std::string& connection) {
                                       return own_jobs_per_second(connection, {window, ours});
                                     },
                                     {std::to_string(window), std::to_string(jobs)},
                                     "jobs_per_second",
                                     jobs_goal}))
      rows.push_back(std::move(row));
  }
  return rows;
}

} // namespace postgres_benchmarks
