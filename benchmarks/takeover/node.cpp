#include "takeover/node.hpp"

#include "common/machine.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace takeover {

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

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

} // namespace

Node::Node(const NodeOptions& options) {
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

Node::~Node() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Node::send(int signal) const { kill(process_, signal); }

std::optional<double> Node::wait_for(News news, double seconds) const {
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

} // namespace takeover
