#include "live.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/response_promise.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <sys/eventfd.h>
#include <system_error>
#include <unordered_map>
#include <variant>
#include <vector>

namespace backoffctl {

namespace {

// Names a call that an actor asked for.
using CallNumber = std::uint64_t;

// The way from actors to the event loop that makes their calls, and back. An actor that asks for a
// call is told the end by a message `(CallNumber, bool is_ok)`.
//
// @thread `begin` may be called by any; the rest belongs to the loop's.
class CallsFromActors : public std::enable_shared_from_this<CallsFromActors> {
public:
  // @param call must outlive this
  CallsFromActors(EventLoop& loop, const CountedCall& call);
  CallsFromActors(const CallsFromActors&) = delete;
  CallsFromActors& operator=(const CallsFromActors&) = delete;

  // Asks for a call, and returns at once.
  CallNumber begin(caf::actor asker);

  // Lets go of all actors. Nobody is told any more.
  void close();

private:
  void make_calls();
  void end(CallNumber number, bool is_ok);

  const CountedCall& call_;
  const backoff_actor::net::Descriptor wake_up_; // an eventfd
  std::unique_ptr<LoopEvent> on_wake_up_;
  std::mutex mutex_; // of all below
  bool is_closed_ = false;
  CallNumber last_ = 0;
  std::vector<CallNumber> asked_for_; // and not yet begun
  std::unordered_map<CallNumber, caf::actor> askers_;
};

CallsFromActors::CallsFromActors(EventLoop& loop, const CountedCall& call)
  : call_(call), wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_up_)
    throw std::runtime_error{"cannot create an eventfd: " + std::generic_category().message(errno)};
  on_wake_up_ = LoopEvent::on_readable(loop, wake_up_.get(), [this] { make_calls(); });
}

CallNumber CallsFromActors::begin(caf::actor asker) {
  const std::lock_guard lock{mutex_};
  const auto number = ++last_;
  if (is_closed_)
    return number;
  askers_.emplace(number, std::move(asker));
  asked_for_.push_back(number);
  if (asked_for_.size() == 1)
    eventfd_write(wake_up_.get(), 1);
  return number;
}

void CallsFromActors::make_calls() {
  eventfd_t count = 0;
  eventfd_read(wake_up_.get(), &count);
  std::vector<CallNumber> numbers;
  {
    const std::lock_guard lock{mutex_};
    numbers.swap(asked_for_);
  }
  for (const auto number : numbers)
    call_([self = weak_from_this(), number](bool is_ok) {
      if (const auto calls = self.lock())
        calls->end(number, is_ok);
    });
}

void CallsFromActors::end(CallNumber number, bool is_ok) {
  caf::actor asker;
  {
    const std::lock_guard lock{mutex_};
    const auto found = askers_.extract(number);
    if (found.empty())
      return;
    asker = std::move(found.mapped());
  }
  caf::anon_send(asker, number, is_ok);
}

void CallsFromActors::close() {
  std::unordered_map<CallNumber, caf::actor> askers; // let go of after the lock
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  asked_for_.clear();
  askers.swap(askers_);
}

// The dangerous part of a sender: makes a call for each message, and has no line about trying
// again.
class CallingChild final : public caf::event_based_actor {
public:
  CallingChild(caf::actor_config& config, std::shared_ptr<CallsFromActors> calls)
    : caf::event_based_actor(config), calls_(std::move(calls)) {}

  caf::behavior make_behavior() override {
    return {
      [this](std::uint64_t) {
        auto promise = make_response_promise();
        open_.emplace(calls_->begin(caf::actor_cast<caf::actor>(this)), promise);
        return promise;
      },
      [this](CallNumber number, bool is_ok) {
        auto open = open_.extract(number);
        if (open.empty())
          return;
        if (is_ok)
          open.mapped().deliver(number);
        else
          open.mapped().deliver(caf::make_error(caf::sec::runtime_error, "the call failed"));
      },
    };
  }

  // In CAF 0.17 a promise holds its actor, which holds the promise.
  void on_exit() override { open_.clear(); }

private:
  std::shared_ptr<CallsFromActors> calls_;
  std::unordered_map<CallNumber, caf::response_promise> open_;
};

// Thinks, makes a request of its sender, and thinks again when it is answered.
class ThinkingClient final : public caf::event_based_actor {
public:
  ThinkingClient(caf::actor_config& config, caf::actor calls_by,
                 const backoff_actor::OutageOptions& options, std::uint32_t number)
    : caf::event_based_actor(config), sender_(std::move(calls_by)), options_(options),
      number_(number) {}

  caf::behavior make_behavior() override {
    think();
    return {
      [this](bool) {
        request(sender_, caf::infinite, ++requests_)
          .then([this](std::uint64_t) { think(); }, [this](const caf::error&) { quit(); });
      },
    };
  }

  void on_exit() override { sender_ = nullptr; }

private:
  void think() { delayed_send(this, think_time(options_, number_, thoughts_++), true); }

  caf::actor sender_;
  const backoff_actor::OutageOptions& options_;
  std::uint32_t number_;
  std::uint64_t thoughts_ = 0;
  std::uint64_t requests_ = 0;
};

backoff_actor::SenderOptions sender_options(const backoff_actor::OutageOptions& options,
                                            const backoff_actor::SharedGuard& guard,
                                            std::uint32_t number) {
  backoff_actor::SenderOptions result;
  result.backoff = std::get<backoff_actor::Policy>(options.policy);
  result.seed = options.seed;
  result.stream = backoff_actor::delay_stream(number);
  result.guard = guard;
  result.decider = [](backoff_actor::FailureKind, const caf::error&) {
    return backoff_actor::Decision{backoff_actor::Verdict::retry};
  };
  return result;
}

// The actor system, and all that is in it.
class SenderClients final : public LiveClients {
public:
  SenderClients(EventLoop& loop, const backoff_actor::OutageOptions& options,
                const CountedCall& call)
    : calls_(std::make_shared<CallsFromActors>(loop, call)) {
    backoff_actor::init(config_);
    system_.emplace(config_);
    backoff_actor::SharedGuard guard; // that all senders share
    if (!options.guard.empty())
      guard = backoff_actor::SharedGuard{options.guard, options.seed};
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      senders_.push_back(backoff_actor::spawn_back_off_sender(
        *system_, backoff_actor::child_of<CallingChild>(calls_),
        sender_options(options, guard, i)));
      clients_.push_back(caf::actor_cast<caf::actor>(
        system_->spawn<ThinkingClient>(senders_.back(), std::cref(options), i)));
    }
  }
  SenderClients(const SenderClients&) = delete;
  SenderClients& operator=(const SenderClients&) = delete;

  // Ends all actors, and waits for that.
  ~SenderClients() override {
    calls_->close();
    for (const auto* actors : {&clients_, &senders_})
      for (const auto& actor : *actors)
        caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    clients_.clear();
    senders_.clear();
    system_->await_all_actors_done();
  }

private:
  std::shared_ptr<CallsFromActors> calls_;
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  std::vector<caf::actor> senders_;
  std::vector<caf::actor> clients_;
};

} // namespace

std::unique_ptr<LiveClients> make_sender_clients(EventLoop& loop,
                                                 const backoff_actor::OutageOptions& options,
                                                 const CountedCall& call) {
  return std::make_unique<SenderClients>(loop, options, call);
}

} // namespace backoffctl
