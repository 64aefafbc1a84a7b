// shutdown_program: a program with one sender, made to be sent signals. It writes what happens, a
// line each, at once.
//
// usage: shutdown_program MAIN [KEY=VALUE ...]
//
// MAIN says what its `main` does:
//     waits      for a signal, or until all numbers are answered
//     late       the same, but it hears signals only when all threads exist and work
//     busy       is busy when the signal comes, and waits later
//     blocks     for ever, and so do all threads of the scheduler
//     gives_up   its root ends by itself, with an error
//     stuck      has a root beside the sender that hangs, and does not end
//     beside     has an actor that hangs, is no root and has a thread of its own
//     outlived   has a root that fails, and a sender that ends when the shutdown tells so
//     stops      stops as soon as the numbers are owed, without a signal
//     lingers    the same as `waits`, but does not end after the stop
//     reports    ends as soon as the numbers are owed, with nothing but an ExitReport
//
// Keys, with numbers: count: how many numbers are submitted at once; work: how many milliseconds
// each takes; hang: the number that never ends; hold: the number that ends when the sender
// finishes; in_flight, kill_grace, grace, force: options, in milliseconds. outbox=FILE: a durable
// outbox.
//
// Lines: `ready PROCESS`: main does what it does. `works N`, `done N`: the worker. `answered N`,
// `failed N ERROR`: the client. `owed N`: the outbox at the start. `finishing`: the sender finishes
// what is in flight.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include <unistd.h>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

void note(std::string line) {
  line += '\n';
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(99);
}

[[noreturn]] void block() {
  for (;;)
    pause();
}

struct Arguments {
  std::string main;
  std::map<std::string, std::string> given;

  std::uint64_t number(const std::string& key, std::uint64_t otherwise) const {
    const auto it = given.find(key);
    return it == given.end() ? otherwise : std::stoull(it->second);
  }

  std::chrono::milliseconds span(const std::string& key, std::uint64_t otherwise) const {
    return std::chrono::milliseconds{number(key, otherwise)};
  }
};

// Something for which threads wait.
class Mark {
public:
  void set() {
    is_set_ = true;
    is_set_.notify_all();
  }
  void wait() const { is_set_.wait(false); }

private:
  std::atomic<bool> is_set_ = false;
};

Mark is_finishing;     // the sender finishes what is in flight
Mark failure_was_told; // of a root
Mark has_ended;        // the sender

class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, std::chrono::milliseconds work, std::uint64_t hang,
         std::uint64_t hold)
    : caf::event_based_actor(config), work_(work), hang_(hang), hold_(hold) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) {
      note("works " + std::to_string(number));
      if (number == hang_)
        block();
      if (number == hold_)
        is_finishing.wait();
      std::this_thread::sleep_for(work_);
      note("done " + std::to_string(number));
      return number;
    }};
  }

private:
  const std::chrono::milliseconds work_;
  const std::uint64_t hang_;
  const std::uint64_t hold_;
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, std::uint64_t count)
    : caf::event_based_actor(config), sender_(std::move(receiver)), open_(count) {}

  caf::behavior make_behavior() override {
    const auto count = open_;
    for (std::uint64_t number = 1; number <= count; ++number)
      request(sender_, caf::infinite, number)
        .then([this](std::uint64_t n) { end("answered " + std::to_string(n)); },
              [this, number](const caf::error& error) {
                end("failed " + std::to_string(number) + ' ' + render(system(), error));
              });
    return {};
  }

  void on_exit() override { sender_ = nullptr; }

private:
  void end(const std::string& how) {
    note(how);
    if (--open_ == 0)
      GracefulShutdown::request();
  }

  caf::actor sender_;
  std::uint64_t open_;
};

// Blocks a thread of the scheduler.
class Blocker : public caf::event_based_actor {
public:
  Blocker(caf::actor_config& config, std::atomic<unsigned>* blocked)
    : caf::event_based_actor(config), blocked_(*blocked) {}

  caf::behavior make_behavior() override {
    ++blocked_;
    block();
  }

private:
  std::atomic<unsigned>& blocked_;
};

void block_all_threads(caf::actor_system& system) {
  static std::atomic<unsigned> blocked{0};
  const auto threads = std::max(4u, std::thread::hardware_concurrency()); // CAF's default
  for (auto i = 0u; i < threads; ++i)
    system.spawn<Blocker>(&blocked);
  while (blocked < threads)
    std::this_thread::sleep_for(1ms);
}

caf::actor start_root_that_gives_up(caf::actor_system& system) {
  SupervisorOptions options;
  options.restart_limit = RestartLimit{.max_restarts = 0, .within = 1min};
  const ChildFactory crasher = [](caf::event_based_actor* self) -> caf::actor {
    const auto child = self->spawn<Worker>(0ms, 0, 0);
    caf::anon_send_exit(child, caf::exit_reason::kill);
    return child;
  };
  return spawn_supervisor(system, {{"crasher", crasher}}, options);
}

// Submits the numbers, and waits until the sender owes them.
void submit(caf::actor_system& system, const caf::actor& sender, std::uint64_t count) {
  caf::scoped_actor self{system};
  for (std::uint64_t number = 1; number <= count; ++number)
    compat::request(*self, sender,
                    Submit{.message = caf::make_message(number), .answer_when_accepted = true})
      .receive([](const Accepted&) {}, [](const caf::error&) { std::_Exit(98); });
}

int run(const Arguments& arguments) {
  SenderOptions options;
  options.kill_grace = arguments.span("kill_grace", 5000);
  options.max_in_flight = static_cast<std::uint32_t>(arguments.number("in_flight", 4));
  if (const auto it = arguments.given.find("outbox"); it != arguments.given.end()) {
    options.outbox = {open_sqlite_store(it->second), durable<std::uint64_t>()};
    note("owed " + std::to_string(options.outbox.suspended()));
  }
  const auto is_outlived = arguments.main == "outlived";
  options.on_event = [is_outlived](const Event& event) {
    if (std::holds_alternative<event::Finishing>(event)) {
      note("finishing");
      is_finishing.set();
    }
    if (is_outlived && std::holds_alternative<event::ChildOverdue>(event))
      failure_was_told.wait();
  };
  const auto ready = "ready " + std::to_string(getpid());
  ShutdownOptions how;
  how.grace = arguments.span("grace", 15'000);
  how.force_end_after = arguments.span("force", 10'000);
  if (is_outlived)
    how.report.on_line = [](const std::string& line) {
      note("backoff_actor: " + line);
      if (line.starts_with("a root has ended")) {
        failure_was_told.set();
        has_ended.wait();
      }
    };

  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  std::optional<ExitReport> report;
  std::optional<GracefulShutdown> shutdown;
  if (arguments.main == "reports")
    report.emplace(system);
  else if (arguments.main != "late")
    shutdown.emplace(system, how);
  const auto sender = spawn_back_off_sender(
    system,
    child_of<Worker, caf::detached>(arguments.span("work", 0), arguments.number("hang", 0),
                                    arguments.number("hold", 0)),
    options);
  const auto count = arguments.number("count", 0);
  if (arguments.main == "reports" || arguments.main == "stops")
    submit(system, sender, count);
  else if (count > 0)
    system.spawn<Client>(sender, count);
  if (arguments.main == "blocks") {
    std::this_thread::sleep_for(100ms); // the worker is at work
    block_all_threads(system);
    note(ready);
    block();
  }
  if (arguments.main == "reports") {
    note(ready);
    return 0;
  }
  if (arguments.main == "late") {
    std::this_thread::sleep_for(100ms);
    shutdown.emplace(system, how);
  }
  if (is_outlived) {
    shutdown->add(system.spawn([](caf::event_based_actor* self) -> caf::behavior {
      self->set_exit_handler([self](const caf::exit_msg&) { self->quit(caf::sec::runtime_error); });
      return {[](int) {}};
    }));
    sender->attach_functor([](const caf::error&) { has_ended.set(); });
  }
  shutdown->add(arguments.main == "gives_up" ? start_root_that_gives_up(system) : sender);
  if (arguments.main == "stuck") {
    const auto stuck = system.spawn<Worker, caf::detached>(0ms, 1, 0);
    caf::anon_send(stuck, std::uint64_t{1});
    shutdown->add(stuck);
  }
  if (arguments.main == "beside")
    caf::anon_send(system.spawn<Worker, caf::detached>(0ms, 1, 0), std::uint64_t{1});
  note(ready);
  if (arguments.main == "busy")
    std::this_thread::sleep_for(300ms);
  if (arguments.main == "stops")
    return shutdown->stop();
  const auto code = shutdown->wait_and_stop();
  if (arguments.main == "lingers")
    block();
  return code;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return 2;
  Arguments arguments{argv[1], {}};
  for (auto i = 2; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto equals = argument.find('=');
    if (equals == std::string::npos)
      return 2;
    arguments.given[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return run(arguments);
}
