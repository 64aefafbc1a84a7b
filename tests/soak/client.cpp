#include "client.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>
#include <backoff_actor/caf/messages/errors.hpp>
#include <backoff_actor/caf/messages/submit.hpp>

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

Client::Client(caf::actor_config& config, std::shared_ptr<Place> place)
  : caf::event_based_actor(config), place_(std::move(place)) {}

caf::behavior Client::make_behavior() {
  for (std::uint32_t i = 0; i != place_->kind().window; ++i)
    submit();
  return {
    [this](bool) { submit(); },
    [this](bool, std::uint64_t number) { submit(number); },
    [this](std::uint64_t answer) { // to a plain send
      place_->shared().account.answered(answer);
      submit();
    },
  };
}

void Client::submit() {
  auto& shared = place_->shared();
  if (shared.is_over || !place_->sender())
    return;
  const auto is_plain = place_->kind().submission == Submission::plain_send;
  submit(shared.account.submit(is_plain ? Account::Way::plain_send : Account::Way::request));
}

void Client::submit(std::uint64_t number) {
  const auto owner = place_->sender();
  switch (place_->kind().submission) {
  case Submission::request:
    ask(owner, number, number);
    break;
  case Submission::keyed_request:
    ask(owner, number,
        Submit{.message = caf::make_message(number), .key = std::to_string(number / 16 % keys)});
    break;
  case Submission::until_acknowledged:
    ask(owner, number,
        Submit{.message = caf::make_message(number), .idempotency_key = std::to_string(number)});
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
        place_->shared().account.answered(answer);
        submit();
      },
      [this, owner, number](const caf::error& error) { on_error(owner, number, error); });
}

void Client::on_error(const caf::actor& owner, std::uint64_t number, const caf::error& error) {
  auto& account = place_->shared().account;
  if (place_->kind().submission == Submission::until_acknowledged)
    return on_durable_error(owner, number, error);
  if (error == make_error(SenderError::outbox_full)
      || error == make_error(SupervisorError::no_child)) {
    account.refused(number);
    submit_later();
  } else if (compat::is_bounce(error) || error == make_error(SenderError::draining)) {
    account.refused(number);
    place_->succeed(owner);
    submit_later();
  } else {
    account.failed(number);
    if (error == make_error(SenderError::dropped))
      submit_later();
    else
      submit();
  }
}

// Whatever the sender that has ended knew of it, its successor knows too.
void Client::on_durable_error(const caf::actor& owner, std::uint64_t number,
                              const caf::error& error) {
  auto& account = place_->shared().account;
  if (error == make_error(SenderError::suspended) || error == make_error(SenderError::draining)
      || compat::is_bounce(error)) {
    place_->succeed(owner);
    submit_later(number);
  } else if (error == make_error(SenderError::already_acknowledged)) {
    account.answered(number);
    submit();
  } else {
    account.failed(number);
    submit_later();
  }
}

void Client::submit_later(std::uint64_t number) {
  compat::send_later(*this, pause_after_refusal, true, number);
}

void Client::submit_later() { compat::send_later(*this, pause_after_refusal, true); }

} // namespace backoff_actor::soak
