#include "versus/measures.hpp"

#include "common/processes.hpp"
#include "versus/echo.hpp"
#include "versus/system.hpp"

#include <backoff_actor/caf/compat/internal/virtual_system.hpp>

#include <caf/event_based_actor.hpp>

#include <stdexcept>
#include <utility>

namespace versus {

namespace {

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver)
    : caf::event_based_actor(config), receiver_(std::move(receiver)) {}

  caf::behavior make_behavior() override {
    return {
      [this](std::uint64_t count) {
        for (; count > 0; --count)
          send(receiver_, Msg{count, "twelve bytes"});
      },
      [](const Msg&) {},
    };
  }

private:
  caf::actor receiver_;
};

/// A client, a sender and a worker, in this thread.
class Three {
public:
  explicit Three(const CountedSender& what)
    : world_([](caf::actor_system_config& config) {
        backoff_actor::init<caf::id_block::transcription>(config);
      }) {
    backoff_actor::SenderOptions options;
    options.max_in_flight = what.window; // the same whether the outbox is small or large
    options.capacity = 2'000'000;
    if (what.is_observed)
      options.observed_by.emplace();
    sender_ = backoff_actor::spawn_back_off_sender(
      world_.system(),
      [this](caf::event_based_actor* parent) { return worker_ = parent->spawn<Echo>(); },
      std::move(options));
    client_ = world_.system().spawn<Client>(sender_);
    rest();
  }

  /// Lets the client send, and nobody else work.
  void send(std::uint64_t count) {
    only(client_);
    backoff_actor::compat::enqueue(client_, count);
    rest();
  }

  /// Lets the worker answer all that it has, and nobody else work.
  void answer() {
    only(worker_);
    rest();
  }

  /// Lets the sender alone work, from now on.
  void choose_sender() { only(sender_); }

  /// Lets those who may work do all that there is.
  void rest() {
    while (world_.step())
      continue;
  }

private:
  void only(const caf::actor& whom) {
    world_.thaw_all();
    for (const auto* actor : {&client_, &sender_, &worker_})
      if (*actor != whom)
        world_.freeze(*actor);
  }

  backoff_actor::compat::VirtualSystem world_;
  caf::actor worker_;
  caf::actor sender_;
  caf::actor client_;
};

void submit_and_acknowledge(const CountedSender& what) {
  using benchmarks::mark;
  auto& three = *new Three{what}; // is not taken down
  three.send(what.outbox);
  three.choose_sender();
  three.rest();

  three.send(what.window);
  three.choose_sender();
  mark();
  three.rest();
  mark();

  three.answer();
  three.choose_sender();
  mark();
  three.rest();
  mark();
}

} // namespace

Figures sender_instructions(const CountedSender& what) {
  const auto counts = benchmarks::instructions_of([&] { submit_and_acknowledge(what); });
  if (counts.size() != 2)
    throw std::runtime_error("the parts that are counted are not as they should be");
  const auto each = [&](std::size_t part) {
    return counts[part] / static_cast<double>(what.window);
  };
  return {each(0), each(1), each(0) + each(1)};
}

} // namespace versus
