// durable_producer: submits numbers to a sender with a durable outbox, and notes on stdout what it
// hears and what its worker does. Made to be killed, and started again with the same file.
//
// usage: durable_producer FILE FROM COUNT POISON MAX_IN_FLIGHT MAX_BATCH
//
// It submits COUNT numbers from FROM on, waits until nothing is owed, and ends. SIGTERM ends it in
// order, with what is owed left in FILE. Multiples of POISON crash the worker; 0: none does. With 0
// the last two are as by default.
//
// A note is a line, written at once, so that it is whole or not there, and outlives the process in
// the pipe:
//
//     opened OWED         the file was read
//     accepted N ID       the client has its Accepted
//     known N             the client was told that N was acknowledged before
//     failed N ERROR      the client got another error
//     executed N          the worker has N; written before it answers
//     draining            all have been accepted
//     suspended OWED      SIGTERM came, and this is left

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/sqlite_store.hpp>

#include <caf/scoped_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

constexpr int window = 16;

void note(std::string line) {
  line += '\n';
  if (write(STDOUT_FILENO, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::_Exit(1); // what comes now would be unaccounted for
}

class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, std::uint64_t poison)
    : caf::event_based_actor(config), poison_(poison) {}

  caf::behavior make_behavior() override {
    return {[this](std::uint64_t number) {
      note("executed " + std::to_string(number));
      if (poison_ != 0 && number % poison_ == 0)
        throw std::runtime_error("poison");
      return number;
    }};
  }

private:
  const std::uint64_t poison_;
};

/// What the main thread and the client tell each other.
struct Progress {
  std::atomic<bool> is_to_end{false}; ///< nothing more is to be submitted
  std::atomic<bool> is_done{false};   ///< nothing more is submitted, and all has been answered
};

// Keeps a window of submissions open.
class Client final : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, std::uint64_t from, std::uint64_t count,
         Progress* progress)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), next_(from),
      end_(from + count), progress_(*progress) {}

  caf::behavior make_behavior() override {
    for (auto i = 0; i != window; ++i)
      submit();
    end_if_done();
    return {};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void submit() {
    if (next_ == end_ || progress_.is_to_end)
      return;
    const auto number = next_++;
    ++open_;
    request(receiver_, caf::infinite,
            Submit{.message = caf::make_message(number),
                   .idempotency_key = std::to_string(number),
                   .answer_when_accepted = true})
      .then(
        [this, number](const Accepted& x) {
          note("accepted " + std::to_string(number) + ' ' + std::to_string(x.id));
          go_on();
        },
        [this, number](const caf::error& error) {
          note(error == make_error(SenderError::already_acknowledged)
                 ? "known " + std::to_string(number)
                 : "failed " + std::to_string(number) + ' ' + render(system(), error));
          go_on();
        });
  }

  void go_on() {
    --open_;
    submit();
    end_if_done();
  }

  void end_if_done() {
    if (open_ == 0)
      progress_.is_done = true;
  }

  caf::actor receiver_;
  std::uint64_t next_;
  const std::uint64_t end_;
  int open_ = 0;
  Progress& progress_;
};

SenderOptions sender_options(const std::string& file, bool has_poison, std::uint64_t max_in_flight,
                             std::uint64_t max_batch) {
  SenderOptions options;
  DurableOptions writing;
  if (max_in_flight != 0)
    options.max_in_flight = static_cast<std::uint32_t>(max_in_flight);
  if (max_batch != 0)
    writing.max_batch = max_batch;
  options.backoff = Fixed{.delay = 1ms};
  if (has_poison)
    options.max_attempts = 2;
  options.charging = Charging::every_failure();
  options.outbox = {open_sqlite_store(file), durable<std::uint64_t>(), writing};
  note("opened " + std::to_string(options.outbox.suspended()));
  return options;
}

// What is being stored, and what the worker has, is waited for, so that nothing is done twice.
void suspend(caf::scoped_actor& self, const caf::actor& sender, Progress& progress) {
  SenderStatus status;
  const auto ask = [&](const auto& what) {
    self->request(sender, caf::infinite, what)
      .receive([&](const SenderStatus& x) { status = x; },
               [&](const caf::error& error) {
                 note("failed 0 " + render(self->system(), error));
                 std::_Exit(1);
               });
  };
  ask(Pause{});
  progress.is_to_end = true;
  while (!progress.is_done || status.in_flight != 0)
    ask(Status{});
  const auto owed = status.owed;
  ask(Stop{});
  note("suspended " + std::to_string(owed));
}

void drain(caf::scoped_actor& self, const caf::actor& sender) {
  note("draining");
  self->request(sender, caf::infinite, Drain{})
    .receive([](const Drained&) {},
             [&](const caf::error& error) { note("failed 0 " + render(self->system(), error)); });
}

void produce(const std::string& file, std::uint64_t from, std::uint64_t count, std::uint64_t poison,
             std::uint64_t max_in_flight, std::uint64_t max_batch) {
  // Never destroyed: a signal that comes while the process ends changes nothing.
  static auto& signals = *new StopSignals;
  const auto options = sender_options(file, poison != 0, max_in_flight, max_batch);
  caf::actor_system_config config;
  init(config);
  Progress progress;
  caf::actor_system system{config};
  const auto sender = spawn_back_off_sender(system, child_of<Worker>(poison), options);
  system.spawn<Client>(sender, from, count, &progress);
  caf::scoped_actor self{system};
  while (!progress.is_done)
    if (signals.wait_for(1ms))
      return suspend(self, sender, progress);
  drain(self, sender);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7)
    return 2;
  try {
    produce(argv[1], std::stoull(argv[2]), std::stoull(argv[3]), std::stoull(argv[4]),
            std::stoull(argv[5]), std::stoull(argv[6]));
    return 0;
  } catch (const std::exception& exception) {
    std::cerr << "durable_producer: " << exception.what() << '\n';
    return 1;
  }
}
