// bytes_per_delivery: what a delivery costs while its child is down, and what stays of it.

#include "common/command_line.hpp"
#include "common/memory.hpp"
#include "common/own_process.hpp"
#include "common/table.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/internal/virtual_system.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bytes_per_delivery {

namespace {

using backoff_actor::Overflow;
using benchmarks::Memory;
using namespace std::chrono_literals;

constexpr auto description =
  R"(Measures the memory of waiting deliveries.

The program gives N small messages, a string of 12 bytes and a number, to a sender whose child
cannot start. Then it sends N more, for which the sender has no capacity. Then the child starts and
acknowledges all deliveries. The program measures how much memory malloc has given out and how much
of the process is resident, at the end also after malloc has returned what it can. For comparison,
it puts the same messages into the mailbox of a plain CAF actor that does not run. It does not
count what a client keeps of a request. Each row runs in one thread of its own process.
)";

constexpr auto footer = R"(
Examples:
  bytes_per_delivery                  a million deliveries
  bytes_per_delivery --count 1048576  as many as a vector that doubles has room for

Exit codes:
  0    done
  1    a message was lost, or a measurement failed
  2    bad input; nothing was run
)";

/// How messages are sent.
enum class Send { plain, request };

/// Sends as many small messages as it is told to, and counts the answers to plain sends. Those to
/// requests are dropped: without a handler CAF keeps nothing of an open request.
class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, Send how,
         std::shared_ptr<std::uint64_t> answers)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), how_(how),
      answers_(std::move(answers)) {}

  caf::behavior make_behavior() override {
    return {
      [this](std::uint64_t count) {
        for (; count > 0; --count)
          send_one();
      },
      [this](const std::string&) { ++*answers_; },
    };
  }

private:
  void send_one() {
    std::string text{"twelve bytes"};
    if (how_ == Send::plain)
      send(receiver_, std::move(text), next_++);
    else
      static_cast<void>(request(receiver_, caf::infinite, std::move(text), next_++));
  }

  caf::actor receiver_;
  Send how_;
  std::shared_ptr<std::uint64_t> answers_;
  std::uint64_t next_ = 1;
};

/// Answers each message, and checks that it is the next one.
class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, std::shared_ptr<std::uint64_t> worked_on)
    : caf::event_based_actor(config), worked_on_(std::move(worked_on)) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& text, std::uint64_t number) {
      if (last_ != 0 && number != last_ + 1)
        throw std::runtime_error("the worker was given another message than the next");
      last_ = number;
      ++*worked_on_;
      return text;
    }};
  }

private:
  std::shared_ptr<std::uint64_t> worked_on_;
  std::uint64_t last_ = 0;
};

/// Asks a sender for its status.
class Asker : public caf::event_based_actor {
public:
  Asker(caf::actor_config& config, caf::actor whom,
        std::shared_ptr<backoff_actor::SenderStatus> status)
    : caf::event_based_actor(config), whom_(std::move(whom)), status_(std::move(status)) {}

  caf::behavior make_behavior() override {
    request(whom_, caf::infinite, backoff_actor::Status{})
      .then([this](const backoff_actor::SenderStatus& status) { *status_ = status; });
    return {};
  }

private:
  caf::actor whom_;
  std::shared_ptr<backoff_actor::SenderStatus> status_;
};

/// An actor system in this thread, with one client.
class World {
public:
  /// Is never taken down, for which all its actors would have to end first.
  static World& for_this_process() {
    static auto* const world = new World;
    return *world;
  }

  caf::actor_system& system() { return virtual_system_.system(); }

  void add_client(const caf::actor& receiver, Send how) {
    client_ = system().spawn<Client>(receiver, how, answers_);
    settle();
  }

  /// Lets the actors work until no message is left.
  void settle() {
    while (virtual_system_.step())
      continue;
  }

  /// Lets the client send, and nobody work.
  void send_only(std::uint64_t count) {
    backoff_actor::compat::enqueue(client_, count);
    virtual_system_.step();
  }

  /// Lets the client send, and the receiver take it in.
  void submit(std::uint64_t count) {
    constexpr std::uint64_t batch = 1000;
    for (; count > 0; count -= std::min(count, batch)) {
      send_only(std::min(count, batch));
      settle();
    }
  }

  backoff_actor::SenderStatus status_of(const caf::actor& sender) {
    const auto status = std::make_shared<backoff_actor::SenderStatus>();
    system().spawn<Asker>(sender, status);
    settle();
    return *status;
  }

  std::uint64_t answers() const { return *answers_; }

private:
  World()
    : virtual_system_([](caf::actor_system_config& config) { backoff_actor::init(config); }) {}

  backoff_actor::compat::VirtualSystem virtual_system_;
  std::shared_ptr<std::uint64_t> answers_ = std::make_shared<std::uint64_t>(0);
  caf::actor client_;
};

/// What one row is about.
struct Case {
  std::string name;
  Send how;
  Overflow overflow;
  bool is_mailbox; ///< of a plain actor, instead of a sender
};

/// What memory a case took, each time beside what it was before the first message.
struct Measured {
  Memory waiting;      ///< N deliveries wait
  Memory waiting_more; ///< N more were submitted
  Memory done;         ///< all are acknowledged
  Memory trimmed;      ///< and malloc has given back what it could
};

void expect(const char* what, std::uint64_t is, std::uint64_t should_be) {
  if (is != should_be)
    throw std::runtime_error(std::string{what} + ": " + std::to_string(is) + " instead of "
                             + std::to_string(should_be));
}

Measured measure_mailbox(Send how, std::uint64_t count) {
  auto& world = World::for_this_process();
  const auto done = std::make_shared<std::uint64_t>(0);
  world.add_client(world.system().spawn<Worker>(done), how);
  const auto before = benchmarks::memory_now();
  world.send_only(count);
  const auto waiting = benchmarks::memory_now() - before;
  world.settle();
  expect("messages in the mailbox", *done, count);
  return {waiting, {}, {}, {}};
}

Measured measure_sender(Send how, Overflow overflow, std::uint64_t count) {
  auto& world = World::for_this_process();
  const auto done = std::make_shared<std::uint64_t>(0);
  const auto is_up = std::make_shared<bool>(false);
  backoff_actor::SenderOptions options;
  options.capacity = count;
  options.rare.overflow = overflow;
  options.backoff =
    backoff_actor::RandomSlots{.slot_time = 1h, .ceiling = 1, .stay_at_ceiling = true};
  const auto sender = backoff_actor::spawn_back_off_sender(
    world.system(),
    [=](caf::event_based_actor* self) -> caf::actor {
      if (!*is_up)
        throw std::runtime_error("the service is down");
      return self->spawn<Worker>(done);
    },
    options);
  world.add_client(sender, how);
  Measured measured;
  const auto before = benchmarks::memory_now();
  const auto since = [&] { return benchmarks::memory_now() - before; };
  world.submit(count);
  measured.waiting = since();
  world.submit(count);
  measured.waiting_more = since();
  *is_up = true;
  backoff_actor::compat::enqueue(sender, backoff_actor::RetryNow{});
  world.settle();
  measured.done = since();
  benchmarks::trim_memory();
  measured.trimmed = since();

  const auto counters = world.status_of(sender).counters;
  expect("deliveries worked on", *done, count);
  expect("deliveries acknowledged", counters.acknowledged, count);
  expect("answers to plain sends", world.answers(), how == Send::plain ? count : 0);
  expect("refused or dropped",
         overflow == Overflow::refuse ? counters.refused : counters.dead_lettered, count);
  return measured;
}

std::vector<Case> cases() {
  return {
    {"CAF's mailbox, plain sends", Send::plain, Overflow::refuse, true},
    {"CAF's mailbox, requests", Send::request, Overflow::refuse, true},
    {"sender, refuse, plain sends", Send::plain, Overflow::refuse, false},
    {"sender, refuse, requests", Send::request, Overflow::refuse, false},
    {"sender, drop_oldest, plain sends", Send::plain, Overflow::drop_oldest, false},
    {"sender, drop_oldest, requests", Send::request, Overflow::drop_oldest, false},
  };
}

struct Row {
  Case about;
  Measured measured;
};

std::string table(const std::vector<Row>& rows, std::uint64_t count) {
  const auto each = [&](std::int64_t bytes) {
    return benchmarks::grouped((bytes + static_cast<std::int64_t>(count / 2))
                               / static_cast<std::int64_t>(count));
  };
  const auto kib = [](std::int64_t bytes) { return benchmarks::grouped(bytes / 1024) + " KiB"; };
  benchmarks::Table result{{"bytes per message that waits", "malloc", "RSS", "N more: malloc",
                            "RSS", "none left: malloc", "RSS", "RSS, trimmed"}};
  for (const auto& [about, measured] : rows) {
    const auto more = measured.waiting_more - measured.waiting;
    std::vector<std::string> cells{about.name, each(measured.waiting.heap),
                                   each(measured.waiting.resident)};
    for (const auto bytes : {more.heap, more.resident, measured.done.heap, measured.done.resident,
                             measured.trimmed.resident})
      cells.push_back(about.is_mailbox ? "-" : kib(bytes));
    result.add(std::move(cells));
  }
  return "N = " + benchmarks::grouped(static_cast<std::int64_t>(count)) + "\n" + result.text();
}

std::string json(const std::vector<Row>& rows, std::uint64_t count) {
  std::ostringstream out;
  const auto memory = [&](const char* name, const Memory& bytes) {
    out << ", \"" << name << R"(": {"heap": )" << bytes.heap << R"(, "resident": )"
        << bytes.resident << '}';
  };
  out << R"({"benchmark": "bytes_per_delivery", "count": )" << count << R"(, "rows": [)";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [about, measured] = rows[i];
    out << (i == 0 ? "\n" : ",\n") << R"(  {"name": ")" << about.name << '"';
    memory("waiting", measured.waiting);
    if (!about.is_mailbox) {
      memory("waiting_after_as_many_more", measured.waiting_more);
      memory("all_acknowledged", measured.done);
      memory("trimmed", measured.trimmed);
    }
    out << '}';
  }
  out << "\n]}\n";
  return out.str();
}

} // namespace

} // namespace bytes_per_delivery

int main(int argc, char** argv) {
  using namespace bytes_per_delivery;
  std::uint64_t count = 1'000'000;
  bool as_json = false;
  benchmarks::CommandLine command_line{"bytes_per_delivery", description, footer};
  command_line.number("--count", count, 1000, 100'000'000, "number of messages, N");
  command_line.flag("--json", as_json, "print JSON with all values in bytes");
  if (const auto code = command_line.parse(argc, argv))
    return *code;
  try {
    std::vector<Row> rows;
    for (const auto& about : cases())
      rows.push_back({about, benchmarks::in_own_process([&] {
                        return about.is_mailbox ? measure_mailbox(about.how, count)
                                                : measure_sender(about.how, about.overflow, count);
                      })});
    std::cout << (as_json ? json(rows, count) : table(rows, count));
    return benchmarks::exit_done;
  } catch (const std::exception& exception) {
    std::cerr << "bytes_per_delivery: " << exception.what() << '\n';
    return benchmarks::exit_failed;
  }
}
