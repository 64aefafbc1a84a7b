#pragma once

#include "common/system.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace benchmarks {

/// Senders of one name that an observatory sees, each with an echo as its child, and a client that
/// keeps messages open at them, each next one at another sender.
class ManySenders {
public:
  /// @param threads of the actor system; 0: CAF's default
  ManySenders(const backoff_actor::Observatory& observatory, std::uint64_t count,
              std::uint64_t window, std::uint64_t threads = 0) {
    backoff_actor::init(config_);
    if (threads > 0)
      set_threads(config_, threads);
    system_.emplace(config_);
    backoff_actor::SenderOptions options;
    options.name = "echo";
    options.observed_by = observatory;
    const backoff_actor::SenderBlueprint blueprint{backoff_actor::child_of(echo), options};
    for (std::uint64_t i = 0; i < count; ++i)
      senders_.push_back(blueprint.spawn(*system_));
    client_ = system_->spawn<Client>(*this, window);
  }
  ManySenders(const ManySenders&) = delete;
  ManySenders& operator=(const ManySenders&) = delete;
  ~ManySenders() {
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    client_ = nullptr;
    senders_.clear();
  }

  /// How many messages were answered.
  std::uint64_t answers() const { return answers_; }

private:
  static caf::behavior echo(caf::event_based_actor*) {
    return {[](std::uint64_t number) { return number; }};
  }

  class Client : public caf::event_based_actor {
  public:
    Client(caf::actor_config& config, ManySenders& all, std::uint64_t window)
      : caf::event_based_actor(config), senders_(all.senders_), answers_(all.answers_),
        window_(window) {}

    caf::behavior make_behavior() override {
      for (std::uint64_t i = 0; i < window_; ++i)
        ask(i);
      return {[this](std::uint64_t number) {
        answers_.fetch_add(1, std::memory_order_relaxed);
        ask(number + window_);
      }};
    }

  private:
    void ask(std::uint64_t number) { send(senders_[number % senders_.size()], number); }

    std::vector<caf::actor> senders_;
    std::atomic<std::uint64_t>& answers_;
    std::uint64_t window_;
  };

  caf::actor_system_config config_;
  std::atomic<std::uint64_t> answers_{0};
  std::vector<caf::actor> senders_;
  std::optional<caf::actor_system> system_; // whose end waits for all actors
  caf::actor client_;
};

} // namespace benchmarks
