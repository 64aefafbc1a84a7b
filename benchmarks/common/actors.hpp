#pragma once

#include "common/machine.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace benchmarks {

#ifdef CAF_VERSION_MAJOR
inline constexpr bool is_caf_1 = true; ///< CAF 1.x, and not 0.17.6
#else
inline constexpr bool is_caf_1 = false;
#endif

/// Sets how many threads a new system has for its actors.
inline void set_threads(caf::actor_system_config& config, std::uint64_t threads) {
  config.set(is_caf_1 ? "caf.scheduler.max-threads" : "scheduler.max-threads",
             static_cast<std::int64_t>(threads));
}

/// Returns each text: a worker that knows nothing of supervision.
inline caf::behavior echo(caf::event_based_actor*) {
  return {[](const std::string& text) { return text; }};
}

/// What a client does: it keeps a window of messages open until all are answered.
struct Load {
  std::uint64_t messages;
  std::uint64_t window;
  std::uint64_t bytes;     ///< of a message, a string, whose answer is a string
  bool by_request = false; ///< or by plain sends
};

/// How far a client is.
struct Progress {
  std::atomic<std::uint64_t> answers{0};
  std::promise<bool> done{}; ///< false: a request was answered with an error
};

/// Gives each next message to the next of the receivers.
class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, std::vector<caf::actor> receivers, const Load& load,
         std::shared_ptr<Progress> progress)
    : caf::event_based_actor(config), receivers_(std::move(receivers)), load_(load),
      text_(load.bytes, 'x'), progress_(std::move(progress)) {}

  caf::behavior make_behavior() override {
    while (sent_ < std::min(load_.window, load_.messages))
      send_one();
    return {[this](const std::string&) { on_answer(); }};
  }

  void on_exit() override { receivers_.clear(); }

private:
  void send_one() {
    const auto& receiver = receivers_[sent_++ % receivers_.size()];
    if (load_.by_request)
      request(receiver, caf::infinite, text_)
        .then([this](const std::string&) { on_answer(); },
              [this](const caf::error&) { end(false); });
    else
      send(receiver, text_);
  }

  void on_answer() {
    if (progress_->answers.fetch_add(1, std::memory_order_relaxed) + 1 == load_.messages)
      end(true);
    else if (sent_ < load_.messages)
      send_one();
  }

  void end(bool is_good) {
    progress_->done.set_value(is_good);
    quit();
  }

  std::vector<caf::actor> receivers_;
  Load load_;
  std::string text_;
  std::shared_ptr<Progress> progress_;
  std::uint64_t sent_ = 0;
};

/// Returns how many messages a second are answered.
///
/// @errors throws `std::runtime_error` if a request is answered with an error.
inline double answers_per_second(caf::actor_system& system, const caf::actor& receiver,
                                 const Load& load) {
  const auto progress = std::make_shared<Progress>();
  auto is_good = false;
  const auto seconds = seconds_of([&] {
    system.spawn<Client>(std::vector{receiver}, load, progress);
    is_good = progress->done.get_future().get();
  });
  if (!is_good)
    throw std::runtime_error("a request was not answered");
  return static_cast<double>(load.messages) / seconds;
}

/// Senders of one name that an observatory sees, each with an echo as its child, and a client that
/// keeps messages open at them for ever.
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
    std::vector<caf::actor> senders(count);
    std::generate(senders.begin(), senders.end(), [&] { return blueprint.spawn(*system_); });
    const Load load{std::numeric_limits<std::uint64_t>::max(), window, 12};
    client_ = system_->spawn<Client>(std::move(senders), load, progress_);
  }
  ManySenders(const ManySenders&) = delete;
  ManySenders& operator=(const ManySenders&) = delete;
  ~ManySenders() {
    caf::anon_send_exit(client_, caf::exit_reason::user_shutdown);
    client_ = nullptr;
  }

  /// How many messages were answered.
  std::uint64_t answers() const { return progress_->answers; }

private:
  std::shared_ptr<Progress> progress_ = std::make_shared<Progress>();
  caf::actor_system_config config_;
  std::optional<caf::actor_system> system_; // whose end waits for all actors
  caf::actor client_;
};

} // namespace benchmarks
