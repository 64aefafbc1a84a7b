#include "sender_clients.hpp"

#include "calls_from_actors.hpp"
#include "think_time.hpp"

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>
#include <caf/response_promise.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace backoffctl {

namespace {

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
  ThinkingClient(caf::actor_config& config, caf::actor calls_by, ThinkTime think_time)
    : caf::event_based_actor(config), sender_(std::move(calls_by)), think_time_(think_time) {}

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
  void think() { delayed_send(this, think_time_.next(), true); }

  caf::actor sender_;
  ThinkTime think_time_;
  std::uint64_t requests_ = 0;
};

backoff_actor::SenderOptions sender_options(const LoadOptions& options,
                                            const backoff_actor::SharedGuard& guard,
                                            std::uint32_t number) {
  backoff_actor::SenderOptions result;
  result.backoff = std::get<backoff_actor::Policy>(options.pace);
  result.seed = options.seed;
  result.stream = backoff_actor::delay_stream(number);
  result.guard = guard;
  result.decider = [](backoff_actor::FailureKind, const caf::error&) {
    return backoff_actor::Decision{backoff_actor::Verdict::retry};
  };
  return result;
}

} // namespace

// The actor system, and all that is in it.
class SenderClients::System {
public:
  System(const LoadOptions& options, const backoff_actor::SharedGuard& guard,
         const std::shared_ptr<CallsFromActors>& calls) {
    backoff_actor::init(config_);
    system_.emplace(config_);
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      senders_.push_back(backoff_actor::spawn_back_off_sender(
        *system_, backoff_actor::child_of<CallingChild>(calls), sender_options(options, guard, i)));
      clients_.push_back(caf::actor_cast<caf::actor>(system_->spawn<ThinkingClient>(
        senders_.back(), ThinkTime{options.mean_think, options.seed, i})));
    }
  }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  ~System() {
    for (const auto* actors : {&clients_, &senders_})
      for (const auto& actor : *actors)
        caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    clients_.clear();
    senders_.clear();
    system_->await_all_actors_done();
  }

private:
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_;
  std::vector<caf::actor> senders_;
  std::vector<caf::actor> clients_;
};

SenderClients::SenderClients(EventLoop& loop, const LoadOptions& options,
                             backoff_actor::SharedGuard guard, const CountedCall& call)
  : calls_(std::make_shared<CallsFromActors>(loop, call)),
    system_(std::make_unique<System>(options, guard, calls_)) {}

SenderClients::~SenderClients() {
  calls_->close();
  system_ = nullptr;
}

} // namespace backoffctl
