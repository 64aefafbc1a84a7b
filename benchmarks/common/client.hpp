#pragma once

#include "common/time.hpp"

#include <backoff_actor/caf/compat/compat.hpp>

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <cstdint>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace benchmarks {

/// What a client does: it keeps a window of messages open until all are answered.
struct Load {
  std::uint64_t messages;
  std::uint64_t window;
  std::uint64_t bytes;     ///< of a message, a string, whose answer is a string
  bool by_request = false; ///< or by plain sends
};

class Client : public caf::event_based_actor {
public:
  Client(caf::actor_config& config, caf::actor receiver, const Load& load,
         std::shared_ptr<std::promise<bool>> when_done)
    : caf::event_based_actor(config), receiver_(std::move(receiver)), to_send_(load.messages),
      to_come_(load.messages), load_(load), text_(load.bytes, 'x'), done_(std::move(when_done)) {}

  caf::behavior make_behavior() override {
    for (std::uint64_t i = 0; i < std::min(load_.window, load_.messages); ++i)
      send_one();
    return {[this](const std::string&) { on_answer(); }};
  }

  void on_exit() override { receiver_ = nullptr; }

private:
  void send_one() {
    --to_send_;
    if (load_.by_request)
      request(receiver_, caf::infinite, text_)
        .then([this](const std::string&) { on_answer(); },
              [this](const caf::error&) {
                done_->set_value(false);
                quit();
              });
    else
      send(receiver_, text_);
  }

  void on_answer() {
    if (--to_come_ == 0) {
      done_->set_value(true);
      quit();
    } else if (to_send_ > 0) {
      send_one();
    }
  }

  caf::actor receiver_;
  std::uint64_t to_send_;
  std::uint64_t to_come_;
  Load load_;
  std::string text_;
  std::shared_ptr<std::promise<bool>> done_;
};

/// Returns each text: a worker that knows nothing of supervision.
inline caf::behavior echo(caf::event_based_actor*) {
  return {[](const std::string& text) { return text; }};
}

/// Returns how many messages a second are answered.
///
/// @errors throws `std::runtime_error` if a request is answered with an error.
inline double answers_per_second(caf::actor_system& system, const caf::actor& receiver,
                                 const Load& load) {
  const auto done = std::make_shared<std::promise<bool>>();
  auto is_good = false;
  const auto seconds = seconds_of([&] {
    system.spawn<Client>(receiver, load, done);
    is_good = done->get_future().get();
  });
  if (!is_good)
    throw std::runtime_error("a request was not answered");
  return static_cast<double>(load.messages) / seconds;
}

} // namespace benchmarks
