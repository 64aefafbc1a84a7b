#include "client.hpp"

#include <backoff_actor/caf/messages.hpp>
#include <backoff_actor/caf/submission.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace backoff_actor::soak {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t keys = 8;

// Whoever was refused, or made another go, has nothing to gain by being faster.
constexpr auto pause_after_refusal = 1ms;

} // namespace

Client::Client(caf::actor_config& config, std::shared_ptr<SenderSlot> slot)
  : caf::event_based_actor(config), slot_(std::move(slot)) {}

caf::behavior Client::make_behavior() {
  for (std::uint32_t i = 0; i != slot_->kind().window; ++i)
    submit();
  return {
    [this](bool) { submit(); },
    [this](std::uint64_t answer) { // to a plain send
      slot_->shared().account.answered(answer);
      submit();
    },
  };
}

void Client::submit() {
  auto& shared = slot_->shared();
  const auto owner = slot_->sender();
  if (shared.is_over || !owner)
    return;
  const auto is_plain = slot_->kind().submission == Submission::plain_send;
  const auto number =
    shared.account.submit(is_plain ? Account::Way::plain_send : Account::Way::request);
  switch (slot_->kind().submission) {
  case Submission::request:
    ask(owner, number, number);
    break;
  case Submission::keyed_request:
    ask(owner, number,
        Submit{.message = caf::make_message(number), .key = std::to_string(number / 16 % keys)});
    break;
  case Submission::plain_send:
    send(owner, number);
    break;
  }
}

template <class Message>
void Client::ask(const caf::actor& owner, std::uint64_t number, Message message) {
  request(owner, caf::infinite, std::move(message))
    .then(
      [this](std::uint64_t answer) {
        slot_->shared().account.answered(answer);
        submit();
      },
      [this, owner, number](const caf::error& error) { on_error(owner, number, error); });
}

void Client::on_error(const caf::actor& owner, std::uint64_t number, const caf::error& error) {
  auto& account = slot_->shared().account;
  if (error == make_error(SenderError::outbox_full)) {
    account.refused(number);
    submit_later();
  } else if (seam::is_bounce(error)) {
    account.refused(number);
    slot_->succeed(owner);
    submit_later();
  } else {
    account.failed(number);
    if (error == make_error(SenderError::dropped))
      submit_later();
    else
      submit();
  }
}

void Client::submit_later() { seam::send_later(*this, pause_after_refusal, true); }

} // namespace backoff_actor::soak
