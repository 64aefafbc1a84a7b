#include "client.hpp"

#include <utility>

namespace remote_worker {

Client::Client(caf::actor_config& config, caf::actor guard, std::uint64_t count,
               std::uint64_t window, Desk* desk)
  : caf::event_based_actor(config), sender_(std::move(guard)), count_(count), window_(window),
    desk_(*desk) {}

// Without a behavior it lives as long as an answer is due.
caf::behavior Client::make_behavior() {
  for (std::uint64_t i = 0; i < window_; ++i)
    request_next();
  return {};
}

void Client::on_exit() {
  sender_ = nullptr;
  desk_.client_has_ended = true;
}

void Client::request_next() {
  if (last_ >= count_)
    return;
  const auto number = ++last_;
  request(sender_, caf::infinite, number)
    .then(
      [this, number](const std::string& worker) {
        if (desk_.acknowledged)
          desk_.acknowledged->write(std::to_string(number));
        desk_.tally.answered_by(worker);
        request_next();
      },
      [this](const caf::error&) { last_ = count_; });
}

} // namespace remote_worker
