#include "versus/instructions.hpp"

#include "versus/echo.hpp"
#include "versus/system.hpp"

#include <backoff_actor/caf/compat/virtual_system.hpp>

#include <caf/event_based_actor.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace versus {

namespace {

// -- counting --------------------------------------------------------------------------

/// What is counted, which calls `mark` at the begin and at the end of each part; then it ends.
using Traced = void (*)(const CountedSender& what);

void mark() { std::raise(SIGSTOP); }

[[noreturn]] void be_traced(Traced work, const CountedSender& what) {
  try {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      throw std::runtime_error("this system lets no process trace another");
    work(what);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    _exit(1);
  }
  _exit(0);
}

/// Returns how many instructions each part took, with those of the marks.
std::vector<std::uint64_t> instructions_of(Traced work, const CountedSender& what) {
  std::fflush(nullptr);
  const auto child = fork();
  if (child < 0)
    throw std::runtime_error("cannot create a process");
  if (child == 0)
    be_traced(work, what);
  std::vector<std::uint64_t> result;
  auto is_counting = false;
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, 0) != child)
      throw std::runtime_error("a process that was counted is gone");
    if (!WIFSTOPPED(status)) {
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        throw std::runtime_error("a process that was counted ended too early");
      return result;
    }
    auto signal = WSTOPSIG(status);
    if (signal == SIGSTOP) {
      is_counting = !is_counting;
      if (is_counting)
        result.push_back(0);
      signal = 0;
    } else if (signal == SIGTRAP) {
      ++result.back();
      signal = 0;
    }
    ptrace(is_counting ? PTRACE_SINGLESTEP : PTRACE_CONT, child, nullptr, signal);
  }
}

// -- what is counted -------------------------------------------------------------------

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
  mark();
  mark();                         // what the marks themselves take
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
  const auto counts = instructions_of(submit_and_acknowledge, what);
  if (counts.size() != 3)
    throw std::runtime_error("the parts that are counted are not as they should be");
  const auto each = [&](std::size_t part) {
    return static_cast<double>(counts[part] - counts[0]) / static_cast<double>(what.window);
  };
  return {each(1), each(2), each(1) + each(2)};
}

} // namespace versus
