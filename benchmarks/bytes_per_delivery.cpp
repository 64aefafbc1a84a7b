// bytes_per_delivery: what a delivery costs while its child is down, beside a queued message.

#include "common/memory.hpp"
#include "common/processes.hpp"
#include "common/program.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/compat/internal/virtual_system.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace bytes_per_delivery {

namespace {

using benchmarks::Figures;
using namespace std::chrono_literals;

const benchmarks::Words words{
  "bytes_per_delivery",
  R"(Measures the memory of waiting deliveries.

The program gives N small messages, a string of 12 bytes and a number, to a sender whose child
cannot start, and measures how much memory malloc has given out and how much of the process is
resident. Then the child starts and acknowledges all. For comparison, the program puts the same
messages into the mailbox of a plain CAF actor that does not run. It does not count what a client
keeps of a request. Each row runs in one thread of its own process.
)",
  "  bytes_per_delivery                  a million deliveries\n"
  "  bytes_per_delivery --count 1048576  as many as a vector that doubles has room for\n",
  "a message was lost, or a measurement failed"};

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

  std::uint64_t answers() const { return *answers_; }

private:
  World()
    : virtual_system_([](caf::actor_system_config& config) { backoff_actor::init(config); }) {}

  backoff_actor::compat::VirtualSystem virtual_system_;
  std::shared_ptr<std::uint64_t> answers_ = std::make_shared<std::uint64_t>(0);
  caf::actor client_;
};

void expect(const char* what, std::uint64_t is, std::uint64_t should_be) {
  if (is != should_be)
    throw std::runtime_error(std::string{what} + ": " + std::to_string(is) + " instead of "
                             + std::to_string(should_be));
}

Figures bytes_since(const benchmarks::Memory& before, std::uint64_t count) {
  const auto taken = benchmarks::memory_now() - before;
  const auto each = static_cast<double>(count);
  return {static_cast<double>(taken.heap) / each, static_cast<double>(taken.resident) / each};
}

Figures measure_mailbox(Send how, std::uint64_t count) {
  auto& world = World::for_this_process();
  const auto done = std::make_shared<std::uint64_t>(0);
  world.add_client(world.system().spawn<Worker>(done), how);
  const auto before = benchmarks::memory_now();
  world.send_only(count);
  auto result = bytes_since(before, count);
  world.settle();
  expect("messages in the mailbox", *done, count);
  return result;
}

Figures measure_sender(Send how, std::uint64_t count) {
  auto& world = World::for_this_process();
  const auto done = std::make_shared<std::uint64_t>(0);
  const auto is_up = std::make_shared<bool>(false);
  backoff_actor::SenderOptions options;
  options.capacity = count;
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
  const auto before = benchmarks::memory_now();
  world.submit(count);
  auto result = bytes_since(before, count);
  *is_up = true;
  backoff_actor::compat::enqueue(sender, backoff_actor::RetryNow{});
  world.settle();
  expect("deliveries worked on", *done, count);
  expect("answers to plain sends", world.answers(), how == Send::plain ? count : 0);
  return result;
}

benchmarks::Report measure(std::uint64_t count) {
  std::vector<benchmarks::Subject> subjects;
  for (const auto& [where, measured] :
       {std::pair{"CAF's mailbox", &measure_mailbox}, std::pair{"sender", &measure_sender}})
    for (const auto& [sends, how] :
         {std::pair{"plain sends", Send::plain}, std::pair{"requests", Send::request}})
      subjects.push_back({std::string{where} + ", " + sends, [=, measured = measured, how = how] {
                            return benchmarks::in_own_process([=] { return measured(how, count); });
                          }});
  return benchmarks::Grid{{"bytes per message that waits", "malloc", "RSS"}, 1, subjects}.report();
}

} // namespace

} // namespace bytes_per_delivery

int main(int argc, char** argv) {
  std::uint64_t count = 1'000'000;
  benchmarks::Program program{bytes_per_delivery::words};
  program.number("--count", count, 1000, 100'000'000, "number of messages, N");
  return program.run(argc, argv, [&] { return bytes_per_delivery::measure(count); });
}
