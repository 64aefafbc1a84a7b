#include "postgres/incoming_owner.hpp"

#include "common/report.hpp"
#include "common/time.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace postgres_benchmarks {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t most_in_flight = 1000;
constexpr auto pause_between_jobs = 20ms; // so long that the owner waits again

struct Executed {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<Clock::rep> last_begin = 0;
};

std::string job_array(std::uint64_t rows) {
  std::string result = "[";
  for (std::uint64_t row = 0; row < rows; ++row)
    result.append(row == 0 ? "" : ",").append(payload_of_a_job());
  return result.append("]");
}

// Each session is a thread, and takes the next statement when the one before is committed.
void hand_jobs_over(const std::string& connection, const IncomingLoad& load) {
  std::atomic<std::uint64_t> begun = 0;
  std::mutex mutex;
  std::exception_ptr problem;
  const auto statements = (load.jobs + load.rows - 1) / load.rows;
  std::vector<std::thread> threads;
  for (std::uint64_t session = 0; session < load.sessions; ++session)
    threads.emplace_back([&] {
      try {
        SqlSession sql{connection, load.rows == 1 ? hand_one_over : hand_over};
        for (auto number = begun++; number < statements; number = begun++) {
          const auto left = load.jobs - number * load.rows;
          sql.run({load.rows == 1 ? payload_of_a_job() : job_array(std::min(left, load.rows))});
        }
      } catch (...) {
        const std::lock_guard lock{mutex};
        problem = std::current_exception();
      }
    });
  for (auto& thread : threads)
    thread.join();
  if (problem)
    std::rethrow_exception(problem);
}

template <class Condition>
void wait_until(const Condition& condition) {
  while (!condition())
    std::this_thread::sleep_for(1ms);
}

} // namespace

struct IncomingOwner::System {
  explicit System(const std::string& connection) : session(connection) {
    backoff_actor::init(config);
  }

  SqlSession session; // to look at the tables
  caf::actor_system_config config;
  std::shared_ptr<Executed> done = std::make_shared<Executed>();
  std::unique_ptr<caf::actor_system> system;
  caf::actor sender;
};

IncomingOwner::IncomingOwner(const std::string& connection)
  : system_(std::make_unique<System>(connection)) {
  system_->system = std::make_unique<caf::actor_system>(system_->config);
  backoff_actor::SharedOutbox outbox;
  outbox.store = backoff_actor::postgres_store({connection, "jobs"});
  outbox.foreign("job.v1", [](std::span<const std::byte> json) {
    return caf::make_message(std::string(reinterpret_cast<const char*>(json.data()), json.size()));
  });
  backoff_actor::SenderOptions options;
  options.max_in_flight = most_in_flight;
  const auto done = system_->done;
  system_->sender = backoff_actor::spawn_owned_sender(
    *system_->system,
    [done](caf::event_based_actor* self) {
      return self->spawn([done]() -> caf::behavior {
        return {[done](const std::string&) {
          done->last_begin = Clock::now().time_since_epoch().count();
          ++done->count;
          return true;
        }};
      });
    },
    options, outbox);
  wait_until([&] {
    return system_->session.query("SELECT count(*) FROM backoff.outbox WHERE is_asleep") == "1";
  });
}

IncomingOwner::~IncomingOwner() {
  {
    caf::scoped_actor self{*system_->system};
    self->request(system_->sender, 1min, backoff_actor::Stop{})
      .receive([](const backoff_actor::SenderStatus&) {}, [](const caf::error&) {});
  }
  system_->sender = nullptr;
}

std::uint64_t IncomingOwner::executed() const { return system_->done->count; }

Clock::time_point IncomingOwner::last_begin() const {
  return Clock::time_point{Clock::duration{system_->done->last_begin}};
}

void IncomingOwner::wait_for(std::uint64_t jobs) {
  wait_until([&] { return executed() >= jobs; });
  wait_until([&] {
    return system_->session.query("SELECT EXISTS(SELECT FROM backoff.delivery) OR "
                                  "EXISTS(SELECT FROM backoff.incoming)")
           == "f";
  });
}

double handed_over_per_second(const std::string& connection, const IncomingLoad& load) {
  IncomingOwner owner{connection};
  const auto before = std::max<std::uint64_t>(load.jobs / 4, 1); // the server learns its plans
  hand_jobs_over(connection, {load.sessions, load.rows, before});
  owner.wait_for(before);
  const auto seconds = benchmarks::seconds_of([&] {
    hand_jobs_over(connection, load);
    owner.wait_for(before + load.jobs);
  });
  return static_cast<double>(load.jobs) / seconds;
}

double time_to_start(const std::string& connection, std::uint64_t jobs) {
  const IncomingOwner owner{connection};
  SqlSession session{connection, hand_one_over};
  const auto payload = payload_of_a_job();
  std::vector<double> times;
  for (std::uint64_t job = 1; job <= jobs; ++job) {
    std::this_thread::sleep_for(pause_between_jobs);
    const auto begin = Clock::now();
    session.run({payload});
    wait_until([&] { return owner.executed() >= job; });
    times.push_back(std::chrono::duration<double, std::milli>(owner.last_begin() - begin).count());
  }
  return benchmarks::median(times);
}

} // namespace postgres_benchmarks
