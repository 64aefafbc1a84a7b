#include "common/machine.hpp"
#include "postgres/bench.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/stores/store_in_front.hpp>

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <unordered_set>
#include <utility>
#include <variant>

namespace postgres_benchmarks {

namespace {

// -- jobs that a client submits -----------------------------------------------------------

using namespace backoff_actor;

constexpr std::size_t job_size = 256;
constexpr auto jobs_goal = benchmarks::at_least(2);
constexpr std::uint64_t ours_by_peers = 10; // it does this many times as many jobs

struct JobLoad {
  std::uint64_t window = 0; // submissions not yet accepted, and jobs in work
  std::uint64_t jobs = 0;   // all that is measured, without those before it
  bool is_tracked = false;  // the worker acknowledges by `Sent`
  bool has_notes = false;   // and leaves a note of 64 bytes at every second job
};

caf::behavior plain_worker() {
  return {[](const std::string&) {}};
}

caf::behavior tracked_worker(caf::event_based_actor* self, bool has_notes) {
  return {[=, is_odd = false](const TrackedMsg& job) mutable {
    if ((is_odd = !is_odd) && has_notes)
      compat::send(*self, caf::actor_cast<caf::actor>(self->current_sender()),
                   Working{job.id, std::string(64, '7')});
    return sent(job);
  }};
}

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
  if (load.is_tracked)
    options.acknowledgement = Acknowledgement::by_sent;
  const auto worker =
    load.is_tracked ? child_of(tracked_worker, load.has_notes) : child_of(plain_worker);
  const auto sender = spawn_back_off_sender(system, worker, std::move(options));
  std::uint64_t all = 0;
  const auto run = [&](std::uint64_t jobs) {
    const auto production = std::make_shared<Production>();
    production->load = load;
    production->load.jobs = jobs;
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

// -- jobs that others hand over -----------------------------------------------------------

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t inserting_sessions = 16;
constexpr std::uint64_t looks = 50;
constexpr std::uint64_t looks_before = 5;  // the floor comes up
constexpr std::uint64_t producers = 20;    // sessions; as many as the peers have
constexpr auto peer_window = "100";        // their jobs in work
constexpr std::uint64_t most_starts = 200; // one at a time
constexpr auto pause_between_jobs = 20ms;  // so long that the owner waits again

// -- an owner -----------------------------------------------------------------------------

struct Executed {
  std::atomic<std::uint64_t> count = 0;
  std::atomic<Clock::rep> last_begin = 0;
};

caf::behavior executor(caf::event_based_actor*, Executed* executed) {
  return {[executed](const std::string&) {
    executed->last_begin = Clock::now().time_since_epoch().count();
    ++executed->count;
    return true;
  }};
}

template <class Condition>
void wait_until(const Condition& condition) {
  while (!condition())
    std::this_thread::sleep_for(1ms);
}

// Owns the outbox `jobs`, and executes what is handed over to it.
class IncomingOwner {
public:
  // Returns when it owns the outbox and waits for rows.
  explicit IncomingOwner(const std::string& connection)
    : IncomingOwner(connection, child_of(executor, &executed), {}) {}
  IncomingOwner(const std::string& connection, const ChildFactory& child, SenderOptions options)
    : session_(connection) {
    init(config_);
    system_ = std::make_unique<caf::actor_system>(config_);
    SharedOutbox outbox;
    outbox.store = postgres_store({connection, "jobs"});
    outbox.foreign("job.v1", [](std::span<const std::byte> json) {
      return caf::make_message(
        std::string(reinterpret_cast<const char*>(json.data()), json.size()));
    });
    options.max_in_flight = 1000;
    sender_ = spawn_owned_sender(*system_, child, std::move(options), outbox);
    wait_until(
      [&] { return session_.query("SELECT count(*) FROM backoff.outbox WHERE is_asleep") == "1"; });
  }
  IncomingOwner(const IncomingOwner&) = delete;
  IncomingOwner& operator=(const IncomingOwner&) = delete;
  ~IncomingOwner() {
    caf::scoped_actor self{*system_};
    self->request(sender_, 1min, Stop{})
      .receive([](const SenderStatus&) {}, [](const caf::error&) {});
    sender_ = nullptr;
  }

  // Waits until so many jobs are executed, and the server knows of all.
  void wait_for(std::uint64_t jobs) {
    wait_until([&] { return executed.count >= jobs; });
    wait_until([&] {
      return session_.query("SELECT EXISTS(SELECT FROM backoff.delivery) OR "
                            "EXISTS(SELECT FROM backoff.incoming)")
             == "f";
    });
  }

  Executed executed;

private:
  SqlSession session_; // to look at the tables
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  caf::actor sender_;
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
  const auto statements = (load.jobs + load.rows - 1) / load.rows;
  std::vector<std::future<void>> sessions;
  for (std::uint64_t session = 0; session < load.sessions; ++session)
    sessions.push_back(std::async(std::launch::async, [&] {
      SqlSession sql{connection, load.rows == 1 ? hand_one_over : hand_over};
      for (auto number = begun++; number < statements; number = begun++) {
        const auto left = load.jobs - number * load.rows;
        sql.run({load.rows == 1 ? payload_of_a_job() : job_array(std::min(left, load.rows))});
      }
    }));
  for (auto& session : sessions)
    session.get();
}

// The median time from the begin of the INSERT to that of the execution, in milliseconds. The owner
// waits before each.
double time_to_start(const std::string& connection, std::uint64_t jobs) {
  const IncomingOwner owner{connection};
  SqlSession session{connection, hand_one_over};
  const auto payload = payload_of_a_job();
  std::vector<double> times;
  for (std::uint64_t job = 1; job <= jobs; ++job) {
    std::this_thread::sleep_for(pause_between_jobs);
    const auto begin = Clock::now();
    session.run({payload});
    wait_until([&] { return owner.executed.count >= job; });
    const Clock::time_point started{Clock::duration{owner.executed.last_begin}};
    times.push_back(std::chrono::duration<double, std::milli>(started - begin).count());
  }
  return benchmarks::median(times);
}

// A worker that ends its job when it is told that it is cancelled.
struct Told {
  std::atomic<std::uint64_t> begun = 0;
  std::atomic<std::uint64_t> cancelled = 0;
  std::atomic<Clock::rep> last = 0;
};

caf::behavior cancelled_worker(caf::event_based_actor* self, Told* told) {
  return {[told](const TrackedMsg&) { ++told->begun; },
          [self, told](const Cancelled& x) {
            told->last = Clock::now().time_since_epoch().count();
            compat::send(*self, caf::actor_cast<caf::actor>(self->current_sender()), Reject{x.id});
            ++told->cancelled;
          }};
}

// The time from the begin of the INSERT that cancels a job in work, until its worker is told, in
// milliseconds: that of one job in a hundred is longer.
double time_to_cancel(const std::string& connection, std::uint64_t jobs) {
  Told told;
  SenderOptions options;
  options.acknowledgement = Acknowledgement::by_sent;
  const IncomingOwner owner{connection, child_of(cancelled_worker, &told), std::move(options)};
  SqlSession begin{connection, "INSERT INTO backoff.incoming(outbox, type, idempotency_key, "
                               "payload) VALUES('jobs', 'job.v1', $1, '')"};
  SqlSession cancel{connection, "INSERT INTO backoff.incoming(outbox, type, idempotency_key, "
                                "payload) VALUES('jobs', 'backoff.cancel', $1, '')"};
  std::vector<double> times;
  for (std::uint64_t job = 1; job <= jobs; ++job) {
    begin.run({std::to_string(job)});
    wait_until([&] { return told.begun >= job; });
    std::this_thread::sleep_for(pause_between_jobs);
    const auto inserted = Clock::now();
    cancel.run({std::to_string(job)});
    wait_until([&] { return told.cancelled >= job; });
    const Clock::time_point heard{Clock::duration{told.last}};
    times.push_back(std::chrono::duration<double, std::milli>(heard - inserted).count());
  }
  return benchmarks::percentile(times, 0.99);
}

// -- the table ----------------------------------------------------------------------------

// Whether the table's trigger is there, and who takes the rows.
enum class Table { without_trigger, as_it_is, with_an_owner };

// Transactions of all sessions together, each with one row.
double insertions_per_second(const std::string& connection, Table table, std::uint64_t seconds) {
  std::unique_ptr<IncomingOwner> owner;
  if (table == Table::with_an_owner)
    owner = std::make_unique<IncomingOwner>(connection);
  else // the first owner makes the outbox
    open_postgres_store({connection, "jobs"});
  if (table == Table::without_trigger)
    SqlSession{connection}.query("ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
                                 "ALTER TABLE backoff.incoming "
                                 "ALTER id SET DEFAULT nextval('backoff.incoming_id_seq')");
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> committed = 0;
  std::vector<std::unique_ptr<SqlSession>> sessions;
  while (sessions.size() < inserting_sessions)
    sessions.push_back(std::make_unique<SqlSession>(connection, hand_one_over));
  const auto took = benchmarks::seconds_of([&] {
    std::vector<std::jthread> threads;
    for (const auto& session : sessions)
      threads.emplace_back([&] {
        for (const auto payload = payload_of_a_job(); !is_over.load(); ++committed)
          session->run({payload});
      });
    std::this_thread::sleep_for(std::chrono::seconds{seconds});
    is_over.store(true);
  });
  return static_cast<double>(committed.load()) / took;
}

// The median of looks that find nothing.
double milliseconds_of_a_look(const std::string& connection, std::uint64_t dead_rows) {
  const auto store = open_postgres_store({connection, "jobs"}, {.lease = std::chrono::minutes{5}});
  const auto intake = store->open_intake();
  SqlSession session{connection};
  session.query(
    "ALTER TABLE backoff.incoming DISABLE TRIGGER USER; "
    "INSERT INTO backoff.incoming(id, outbox, outbox_id, type, payload) SELECT i, 'jobs', o.id, "
    "'job.v1', 'x' FROM backoff.outbox o, generate_series(1, "
    + std::to_string(dead_rows) + ") AS i");
  SqlSession old_snapshot{connection};
  old_snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM backoff.outbox");
  std::unordered_set<std::uint64_t> held;
  for (auto taken = intake->take(dead_rows, held); !taken.empty();
       taken = intake->take(dead_rows, held))
    for (const auto& one : taken)
      held.insert(one.row);
  session.query("DELETE FROM backoff.incoming");
  held.clear();
  std::vector<double> times;
  for (std::uint64_t look = 0; look < looks_before + looks; ++look) {
    const auto seconds = benchmarks::seconds_of([&] {
      if (!intake->take(100, held).empty())
        throw std::runtime_error("a look found rows that are gone");
    });
    if (look >= looks_before)
      times.push_back(seconds * 1e3);
  }
  old_snapshot.query("COMMIT");
  return benchmarks::median(times);
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
                      return own_jobs_per_second(connection, {.window = window, .jobs = ours});
                    },
                    {std::to_string(window), std::to_string(jobs)},
                    "jobs_per_second",
                    jobs_goal});
  }
}

void measure_notes(Rows& rows, const Server& server, const Extent& extent) {
  Row notes{"jobs, window 100: a note at every second one / none", "jobs/s",
            benchmarks::at_least(0.8)};
  for (std::uint64_t round = 0; round < extent.rounds; ++round)
    for (const auto has_notes : {false, true})
      in_new_database(server, [&](const std::string& connection) {
        (has_notes ? notes.ours : notes.beside)
          .push_back(own_jobs_per_second(
            connection, {100, extent.jobs * ours_by_peers, /*is_tracked=*/true, has_notes}));
      });
  rows.push_back(notes);
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

void measure_incoming(Rows& rows, const Server& server, const Extent& extent) {
  Row trigger{"sixteen producers: incoming / without the trigger", "rows/s",
              benchmarks::at_least(0.8)};
  Row owner{"sixteen producers: incoming with an owner / without the trigger", "rows/s"};
  Row look{"a look behind " + benchmarks::grouped(extent.dead_rows) + " dead rows", "ms",
           benchmarks::ours_at_most(5)};
  Row cancel{"a job in work is cancelled by a row: until its worker is told, p99", "ms",
             benchmarks::ours_at_most(10)};
  const auto starts = std::min(extent.jobs, most_starts);
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    const auto measure = [&](benchmarks::Figures& figures, const auto& work) {
      in_new_database(server, [&](const std::string& it) { figures.push_back(work(it)); });
    };
    const auto insert_into = [&](Table table) {
      return [=, seconds = extent.seconds](const std::string& connection) {
        return insertions_per_second(connection, table, seconds);
      };
    };
    measure(trigger.beside, insert_into(Table::without_trigger));
    measure(trigger.ours, insert_into(Table::as_it_is));
    measure(owner.ours, insert_into(Table::with_an_owner));
    owner.beside.push_back(trigger.beside.back());
    measure(look.ours, [&](const std::string& connection) {
      return milliseconds_of_a_look(connection, extent.dead_rows);
    });
    measure(cancel.ours, [&](const std::string& it) { return time_to_cancel(it, starts); });
  }
  rows.insert(rows.end(), {trigger, owner, look, cancel});

  const auto rate = [&](std::uint64_t sessions, std::uint64_t rows_at_once) {
    return [load = IncomingLoad{sessions, rows_at_once, extent.jobs * ours_by_peers}](
             const std::string& connection) { return handed_over_per_second(connection, load); };
  };
  const auto jobs = std::to_string(extent.jobs);
  measure_beside(rows, server, extent,
                 {"handed over, one row a transaction",
                  "jobs/s",
                  rate(producers, 1),
                  {peer_window, jobs},
                  "jobs_per_second",
                  benchmarks::at_least(1)});
  measure_beside(rows, server, extent,
                 {"handed over, 1,000 rows a statement",
                  "jobs/s",
                  rate(1, 1000),
                  {peer_window, jobs, "1000"},
                  "jobs_per_second",
                  benchmarks::at_least(2)});
  measure_beside(rows, server, extent,
                 {"insert to start, one at a time",
                  "ms",
                  [=](const std::string& connection) { return time_to_start(connection, starts); },
                  {"1", std::to_string(starts), "one_at_a_time"},
                  "median_ms",
                  benchmarks::at_most(1),
                  1});
}

} // namespace postgres_benchmarks
