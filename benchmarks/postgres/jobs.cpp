#include "common/machine.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

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
  std::uint64_t window = 0; // submissions not yet accepted, and jobs in work
  std::uint64_t jobs = 0;   // all that is measured, without those before it
};

// Counts the acknowledgements that are on the server.
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

// Keeps a window of submissions open. `done` gets what went wrong, or nothing.
struct Production {
  JobLoad load{};
  std::promise<std::string> done{};
  std::uint64_t submitted = 0;
  std::uint64_t accepted = 0;
};

void submit(caf::event_based_actor* self, const caf::actor& sender,
            const std::shared_ptr<Production>& it) {
  if (it->submitted++ >= it->load.jobs)
    return;
  self
    ->request(sender, caf::infinite,
              Submit{.message = caf::make_message(std::string(job_size, 'x')),
                     .answer_when_accepted = true})
    .then(
      [=](const Accepted&) {
        submit(self, sender, it);
        if (++it->accepted < it->load.jobs)
          return;
        it->done.set_value("");
        self->quit();
      },
      [=](const caf::error& error) {
        it->done.set_value(render(self->system(), error));
        self->quit(); // the first error counts
      });
}

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
  const auto worker = []() -> caf::behavior { return {[](const std::string&) {}}; };
  const auto sender = spawn_back_off_sender(system, child_of(worker), std::move(options));
  std::uint64_t all = 0;
  const auto run = [&](std::uint64_t jobs) {
    const auto production = std::make_shared<Production>();
    production->load = {load.window, jobs};
    system.spawn([=](caf::event_based_actor* self) {
      for (std::uint64_t i = 0; i < load.window; ++i)
        submit(self, sender, production);
    });
    if (const auto problem = production->done.get_future().get(); !problem.empty())
      throw std::runtime_error("a job was refused: " + problem);
    all += jobs;
    while (store->acknowledged() < all)
      std::this_thread::sleep_for(std::chrono::microseconds{200});
  };
  run(std::max<std::uint64_t>(load.jobs / 4, 1)); // is not counted: the server learns its plans
  return static_cast<double>(load.jobs) / benchmarks::seconds_of([&] { run(load.jobs); });
}

} // namespace

void measure_jobs(Rows& rows, const Server& server, const Extent& extent) {
  for (const std::uint64_t window : {1U, 100U, 1000U}) {
    const auto jobs = window == 1 ? std::max<std::uint64_t>(extent.jobs / 4, 1) : extent.jobs;
    const auto ours = window == 1 ? extent.jobs : extent.jobs * ours_by_peers;
    measure_beside(rows, server, extent,
                   {"jobs, window " + std::to_string(window),
                    "jobs/s",
                    [=](const std::string& connection) {
                      return own_jobs_per_second(connection, {window, ours});
                    },
                    {std::to_string(window), std::to_string(jobs)},
                    "jobs_per_second",
                    jobs_goal});
  }
}

} // namespace postgres_benchmarks
