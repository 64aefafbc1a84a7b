#include "live.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/retry/shared_guard.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
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
#include <utility>
#include <variant>
#include <vector>

namespace backoffctl {

namespace {

// Names a call of an actor that asked for it.
using CallNumber = std::uint64_t;

// The way from actors to the event loop that makes their calls, and back. An actor that asks for a
// call is told the end by a message `(CallNumber, bool is_ok)`, as long as it lives.
//
// @thread `begin` may be called by any; the rest belongs to the loop's.
class CallsFromActors {
public:
  // @param call must outlive this
  CallsFromActors(EventLoop& loop, const CountedCall& call)
    : call_(call), wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_up_)
      throw std::runtime_error{"cannot create an eventfd: "
                               + std::generic_category().message(errno)};
    on_wake_up_ = LoopEvent::on_readable(loop, wake_up_.get(), [this] { make_calls(); });
  }

  // Asks for a call, and returns at once.
  void begin(caf::actor_addr asker, CallNumber number) {
    const std::lock_guard lock{mutex_};
    if (asked_for_.empty())
      eventfd_write(wake_up_.get(), 1);
    asked_for_.emplace_back(std::move(asker), number);
  }

private:
  void make_calls() {
    eventfd_t count = 0;
    eventfd_read(wake_up_.get(), &count);
    std::vector<std::pair<caf::actor_addr, CallNumber>> calls;
    {
      const std::lock_guard lock{mutex_};
      calls.swap(asked_for_);
    }
    for (const auto& [address, number] : calls)
      call_([address = address, number = number](bool is_ok) {
        if (const auto asker = caf::actor_cast<caf::actor>(address))
          caf::anon_send(asker, number, is_ok);
      });
  }

  const CountedCall& call_;
  const backoff_actor::net::Descriptor wake_up_; // an eventfd
  std::unique_ptr<LoopEvent> on_wake_up_;
  std::mutex mutex_;                                              // of what is below
  std::vector<std::pair<caf::actor_addr, CallNumber>> asked_for_; // and not yet begun
};

// The dangerous part of a sender: makes a call for each message, and has no line about trying
// again.
class CallingChild final : public caf::event_based_actor {
public:
  CallingChild(caf::actor_config& config, CallsFromActors* calls)
    : caf::event_based_actor(config), calls_(calls) {}

  caf::behavior make_behavior() override {
    return {
      [this](std::uint64_t) {
        auto promise = make_response_promise();
        open_.emplace(++last_, promise);
        calls_->begin(address(), last_);
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
  CallsFromActors* calls_; // outlives the actor system
  CallNumber last_ = 0;
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
class SenderClients {
public:
  SenderClients(EventLoop& loop, const backoff_actor::OutageOptions& options,
                const CountedCall& call)
    : calls_(loop, call) {
    backoff_actor::init(config_);
    system_.emplace(config_);
    backoff_actor::SharedGuard guard; // that all senders share
    if (!options.guard.empty())
      guard = backoff_actor::SharedGuard{options.guard, options.seed};
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      senders_.push_back(backoff_actor::spawn_back_off_sender(
        *system_, backoff_actor::child_of<CallingChild>(&calls_),
        sender_options(options, guard, i)));
      clients_.push_back(caf::actor_cast<caf::actor>(
        system_->spawn<ThinkingClient>(senders_.back(), std::cref(options), i)));
    }
  }
  SenderClients(const SenderClients&) = delete;
  SenderClients& operator=(const SenderClients&) = delete;

  // Ends all actors, and waits for that.
  ~SenderClients() {
    for (const auto* actors : {&clients_, &senders_})
      for (const auto& actor : *actors)
        caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    clients_.clear();
    senders_.clear();
    system_->await_all_actors_done();
  }

private:
  CallsFromActors calls_;
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  std::vector<caf::actor> senders_;
  std::vector<caf::actor> clients_;
};

} // namespace

std::shared_ptr<void> make_sender_clients(EventLoop& loop,
                                          const backoff_actor::OutageOptions& options,
                                          const CountedCall& call) {
  return std::make_shared<SenderClients>(loop, options, call);
}

} // namespace backoffctl
