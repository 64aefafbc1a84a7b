#include "takeover/node.hpp"

#include "takeover/owned_node.hpp"

#include <backoff_actor/delivery/delivery_store.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace takeover {

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

constexpr int commits_until_works = 30;

struct Line {
  News news;
  long long at;
};

// Owns the outbox by the store alone, and commits for ever.
void be_store_node(const NodeOptions& options, const Teller& tell) {
  const auto shared = postgres_store({options.connection, options.outbox},
                                     {.lease = options.lease, .node = options.name});
  tell(News::waits);
  const auto store = shared->own(1h);
  tell(News::owns);
  if (store->message_format().empty())
    store->set_message_format("benchmark");
  std::vector<std::uint64_t> owed;
  store->for_each_owed([&owed](const StoredDelivery& delivery) { owed.push_back(delivery.id); });
  auto next = store->last_id() + 1;
  for (int commits = 1;; ++commits) {
    change::Insert insert{};
    insert.delivery.id = next++;
    insert.delivery.message = {"std::string", std::vector<std::byte>(100)};
    std::vector<StoreChange> changes;
    changes.emplace_back(insert);
    for (const auto id : owed)
      changes.emplace_back(change::Acknowledge{id, {}});
    store->commit(changes);
    owed = {insert.delivery.id};
    if (commits == commits_until_works)
      tell(News::works);
    std::this_thread::sleep_for(5ms);
  }
}

[[noreturn]] void be_node(const NodeOptions& options, int to) {
  const Teller tell = [to](News news) {
    const Line line{news, steady_now()};
    if (write(to, &line, sizeof(line)) != sizeof(line))
      _exit(1);
  };
  try {
    if (options.with_sender)
      be_owned_node(options, tell);
    else
      be_store_node(options, tell);
  } catch (const StoreError&) {
    // An owner whose session was ended, or that was cut off, hears so.
  } catch (const std::exception& error) {
    std::fprintf(stderr, "takeover: %s: %s\n", options.name.c_str(), error.what());
    std::fflush(stderr);
  }
  _exit(1);
}

} // namespace

long long steady_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::steady_clock::now().time_since_epoch())
    .count();
}

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

std::optional<long long> Node::wait_for(News news, int seconds) const {
  const auto end = steady_now() + seconds * 1'000'000'000LL;
  for (;;) {
    pollfd one{news_.get(), POLLIN, 0};
    const auto left = end - steady_now();
    if (left <= 0 || poll(&one, 1, static_cast<int>(left / 1'000'000 + 1)) <= 0)
      return std::nullopt;
    Line line{};
    if (read(news_.get(), &line, sizeof(line)) != sizeof(line))
      return std::nullopt;
    if (line.news == news)
      return line.at;
  }
}

} // namespace takeover
