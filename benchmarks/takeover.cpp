// takeover: how long an outbox in PostgreSQL is without an owner when the owner fails.

#include "common/machine.hpp"
#include "common/process.hpp"
#include "common/program.hpp"
#include "postgres/bench.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/core/time.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <net/if.h>
#include <optional>
#include <poll.h>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace takeover {

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;
using benchmarks::ours_at_most;
using postgres_benchmarks::SqlSession;

const benchmarks::Words words{
  "takeover",
  R"(Measures how fast a standby takes over an outbox on a private server of PostgreSQL.

In each round one process owns a new outbox, and commits every 5 ms. A second process stands by.
Then the owner is killed, or the server ends its session, or it is frozen, or its cable is cut. The
time is from the fault until the standby owns the outbox. For a frozen or cut-off owner, that is the
lease and no more. Last, the same with spawn_owned_sender: until the first delivery that was owed is
handed over again.

To cut a cable, the program runs in a network of its own, where that is permitted.
)",
  "  takeover\n  takeover --rounds 200 --lease 2s\n  takeover --quick --json\n",
  postgres_benchmarks::failures};

constexpr auto median_goal = ours_at_most(20); // ms
constexpr auto worst_goal = ours_at_most(200);
constexpr double above_lease_goal = 100;

struct Question {
  std::uint64_t rounds = 50;
  std::uint64_t freezes = 10;
  Duration lease = 1s;
};

// -- nodes --------------------------------------------------------------------------------

// What a node is given.
struct NodeOptions {
  std::string connection; // of libpq
  std::string outbox;
  std::string name{};
  Duration lease{};
  // The node is a `spawn_owned_sender`, whose child never answers, so what is owed is handed over
  // again by the next owner. Else it uses the store itself, and commits every 5 ms.
  bool with_sender = false;
  bool is_first = false; // the node is to own the outbox before any other
};

// What a node has told.
enum class News : char {
  waits = 'w', // it is about to ask for the outbox
  owns = 'o',  // it owns the outbox; with a sender: it has handed over a delivery
  works = 'k', // it has committed for a while
};

// Tells the program that started the node.
using Teller = std::function<void(News)>;

struct Line {
  News news;
  double at;
};

std::shared_ptr<SharedStore> store_of(const NodeOptions& options) {
  return postgres_store({options.connection, options.outbox},
                        {.lease = options.lease, .node = options.name});
}

// Owns the outbox by the store alone, and commits for ever.
void be_store_node(const NodeOptions& options, const Teller& tell) {
  constexpr int commits_until_works = 30;
  const auto shared = store_of(options);
  tell(News::waits);
  const auto store = shared->own(1h);
  tell(News::owns);
  if (store->message_format().empty())
    store->set_message_format("benchmark");
  std::vector<std::uint64_t> owed;
  store->for_each_owed([&owed](const StoredDelivery& delivery) { owed.push_back(delivery.id); });
  auto next = store->last_id();
  for (int commits = 1;; ++commits) {
    auto changes = postgres_benchmarks::insertions(++next, 1);
    for (const auto id : owed)
      changes.emplace_back(change::Acknowledge{id, {}});
    store->commit(changes);
    owed = {next};
    if (commits == commits_until_works)
      tell(News::works);
    std::this_thread::sleep_for(5ms);
  }
}

// Tells `owns` with each delivery, and does not answer.
caf::behavior silent_worker(const Teller& tell) {
  return {[tell](const TrackedMsg&) { tell(News::owns); }};
}

void be_owned_node(const NodeOptions& options, const Teller& tell) {
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  SharedOutbox outbox;
  outbox.store = store_of(options);
  outbox.types = durable<std::string>();
  SenderOptions sender_options;
  sender_options.acknowledgement = Acknowledgement::by_sent;
  sender_options.ack_timeout = 1h;
  tell(News::waits);
  const auto sender = spawn_owned_sender(system, child_of(silent_worker, tell),
                                         std::move(sender_options), std::move(outbox));
  // A node that does not own the outbox yet refuses. What is accepted is owed for ever.
  caf::scoped_actor self{system};
  for (auto is_accepted = !options.is_first; !is_accepted;) {
    self
      ->request(
        sender, caf::infinite,
        Submit{.message = caf::make_message(std::string{"owed"}), .answer_when_accepted = true})
      .receive([&is_accepted](const Accepted&) { is_accepted = true; }, [](const caf::error&) {});
    std::this_thread::sleep_for(20ms);
  }
  tell(News::works);
  for (;;)
    std::this_thread::sleep_for(1h);
}

[[noreturn]] void be_node(const NodeOptions& options, int to) {
  const Teller tell = [to](News news) {
    const Line line{news, benchmarks::wall_now()};
    if (write(to, &line, sizeof(line)) != sizeof(line))
      _exit(1);
  };
  try {
    (options.with_sender ? be_owned_node : be_store_node)(options, tell);
  } catch (const StoreError&) {
    // An owner whose session was ended, or that was cut off, hears so.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "takeover: %s: %s\n", options.name.c_str(), error.what());
    std::fflush(stderr);
  }
  _exit(1);
}

// A process that wants an outbox. It ends when the program that started it does, or when it is no
// longer the owner.
class Node {
public:
  // Starts the process. The caller's thread must be the only one.
  explicit Node(const NodeOptions& options) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
    const example::FileDescriptor to{ends[1]};
    news_ = example::FileDescriptor{ends[0]};
    std::fflush(nullptr);
    const auto parent = getpid();
    process_ = fork();
    if (process_ < 0)
      throw std::system_error(errno, std::generic_category(), "cannot start a node");
    if (process_ > 0)
      return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    be_node(options, to.get());
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    send(SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  void send(int signal) const { kill(process_, signal); }

  // Waits for news of this kind, and passes over others. Returns when the node told it, by the
  // clock `benchmarks::wall_now`, which all processes share; nothing if it has not within so many
  // seconds, or has ended.
  std::optional<double> wait_for(News news, double seconds) const {
    const auto end = benchmarks::wall_now() + seconds;
    for (;;) {
      pollfd one{news_.get(), POLLIN, 0};
      const auto left = end - benchmarks::wall_now();
      if (left <= 0 || poll(&one, 1, static_cast<int>(left * 1e3 + 1)) <= 0)
        return std::nullopt;
      Line line{};
      if (read(news_.get(), &line, sizeof(line)) != sizeof(line))
        return std::nullopt;
      if (line.news == news)
        return line.at;
    }
  }

private:
  pid_t process_ = -1;
  example::FileDescriptor news_;
};

// -- faults -------------------------------------------------------------------------------

// Cuts the connections by 127.0.0.1, or mends them. In a network of its own only.
void set_cable(bool is_whole) {
  const example::FileDescriptor socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  auto result = ioctl(socket.get(), SIOCGIFFLAGS, &request);
  const auto up = static_cast<short>(IFF_UP);
  request.ifr_flags =
    static_cast<short>(is_whole ? request.ifr_flags | up : request.ifr_flags & ~up);
  if (result == 0)
    result = ioctl(socket.get(), SIOCSIFFLAGS, &request);
  if (result != 0)
    throw std::system_error(errno, std::generic_category(), "cannot change the network's state");
}

// Gives this program a network of its own, which has nothing but 127.0.0.1. Returns whether that is
// permitted: to root, usually.
bool enter_own_network() {
  if (unshare(CLONE_NEWNET) != 0)
    return false;
  set_cable(true);
  return true;
}

enum class Fault {
  kill,      // the owner's process is killed, by signal 9
  terminate, // the server ends its session
  freeze,    // its process is stopped
  cut,       // its cable is cut
};

constexpr double start_limit = 60;     // s, for a node to come to work
constexpr double take_over_limit = 30; // s, beyond the lease
constexpr auto settle_time = 100ms;    // for the standby and the owner, before a fault

// Waits until the answer to a query is yes.
bool wait_for(SqlSession& control, const char* query) {
  const auto end = benchmarks::wall_now() + start_limit;
  while (control.query(query) != "t") {
    if (benchmarks::wall_now() > end)
      return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

// Locks of sessions that wait for an outbox, of owners, and the end of an owner's session.
constexpr auto is_waited_for =
  "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
constexpr auto has_no_lock = "SELECT count(*) = 0 FROM pg_locks WHERE locktype = 'advisory'";
constexpr auto end_owner = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks "
                           "WHERE locktype = 'advisory' AND granted";

void strike(Fault fault, const Node& owner, SqlSession& control) {
  switch (fault) {
  case Fault::kill:
    owner.send(SIGKILL);
    break;
  case Fault::terminate:
    if (control.query(end_owner) != "1")
      throw std::runtime_error("the owner has no lock, or not one");
    break;
  case Fault::freeze:
    owner.send(SIGSTOP);
    break;
  case Fault::cut:
    set_cable(false);
    break;
  }
}

// Returns the time from the fault until the standby owned the outbox, in ms.
double play(Fault fault, SqlSession& control, NodeOptions options, const std::string& socket) {
  if (!wait_for(control, has_no_lock))
    throw std::runtime_error("a session of the round before still has a lock");
  options.name = "owner";
  options.is_first = true;
  const Node owner{options};
  if (!owner.wait_for(News::works, start_limit))
    throw std::runtime_error("the owner does not come to work");
  options.name = "standby";
  options.is_first = false;
  options.connection = socket; // a cable does not matter there
  const Node standby{options};
  if (!standby.wait_for(News::waits, start_limit) || !wait_for(control, is_waited_for))
    throw std::runtime_error("the standby does not wait for the outbox");
  std::this_thread::sleep_for(settle_time);
  const auto begin = benchmarks::wall_now();
  strike(fault, owner, control);
  const auto end = standby.wait_for(
    News::owns, take_over_limit + std::chrono::duration<double>(options.lease).count());
  if (fault == Fault::cut)
    set_cable(true);
  if (!end)
    throw std::runtime_error("no standby takes over");
  return (*end - begin) * 1e3;
}

// -- all ----------------------------------------------------------------------------------

// A fault that is played several times, and its goals.
struct Scenario {
  std::string what;
  Fault fault;
  bool with_sender; // as `NodeOptions::with_sender`
  std::uint64_t rounds;
  std::optional<benchmarks::Goal> median{};
  std::optional<benchmarks::Goal> worst{};
};

std::vector<Scenario> scenarios(const Question& question, bool can_cut) {
  const auto [rounds, freezes, lease] = question;
  const auto lease_goal =
    ours_at_most(std::chrono::duration<double, std::milli>{lease}.count() + above_lease_goal);
  std::vector<Scenario> result{
    {"killed", Fault::kill, false, rounds, median_goal, worst_goal},
    {"session ended by the server", Fault::terminate, false, rounds, median_goal, worst_goal},
    {"frozen", Fault::freeze, false, freezes, {}, lease_goal}};
  if (can_cut)
    result.push_back({"cable cut", Fault::cut, false, freezes, {}, lease_goal});
  result.push_back({"killed, until the first hand-over", Fault::kill, true, rounds});
  result.push_back({"frozen, until the first hand-over", Fault::freeze, true, freezes});
  return result;
}

benchmarks::Report measure(const Question& question) {
  postgres_benchmarks::need_postgres();
  const auto can_cut = enter_own_network();
  if (!can_cut)
    std::cerr << "takeover: a network of its own is not permitted here: no cable is cut\n";
  constexpr auto database = "takeover";
  example::PrivatePostgres server{postgres_benchmarks::server_options()};
  postgres_benchmarks::make_database(server, database);
  const auto socket = server.socket_connection(database);
  SqlSession control{socket};
  std::vector<benchmarks::Row> rows;
  for (const auto& [what, fault, with_sender, rounds, median, worst] :
       scenarios(question, can_cut)) {
    benchmarks::Figures times;
    for (std::uint64_t round = 0; round < rounds; ++round)
      times.push_back(
        play(fault, control,
             {.connection = server.connection(database),
              .outbox = "outbox-" + std::to_string(rows.size()) + "-" + std::to_string(round),
              .lease = question.lease,
              .with_sender = with_sender},
             socket));
    rows.push_back({what + ", " + std::to_string(rounds) + " rounds", "ms", median, times});
    rows.push_back({what + ", the worst", "ms", worst, {std::ranges::max(times)}});
  }
  return compared(rows);
}

} // namespace

} // namespace takeover

int main(int argc, char** argv) {
  takeover::Question question;
  bool is_quick = false;
  benchmarks::Program program{takeover::words};
  program.number("--rounds", question.rounds, 1, 100'000, "owners killed, and sessions ended");
  program.number("--freezes", question.freezes, 1, 100'000, "owners frozen, and cut off");
  program.time("--lease", question.lease, std::chrono::seconds{1}, std::chrono::minutes{5},
               "lease of an owner");
  program.flag("--quick", is_quick, "3 rounds, one freeze, a lease of 1s");
  return program.run(argc, argv, [&] {
    return takeover::measure(is_quick ? takeover::Question{3, 1} : question);
  });
}
