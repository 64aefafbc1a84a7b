#include "article/back_off_sender.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>
#include <caf/system_messages.hpp>

#include <utility>

namespace transcription {

BackOffSender::BackOffSender(caf::actor_config& config, backoff_actor::ChildFactory dangerous_props,
                             const backoff_actor::ExponentialBackOffSpec& backoff,
                             std::shared_ptr<Counts> counts)
  : caf::event_based_actor(config), dangerous_props_(std::move(dangerous_props)), backoff_(backoff),
    counts_(counts ? std::move(counts) : std::make_shared<Counts>()) {}

caf::behavior BackOffSender::make_behavior() {
  set_down_handler([this](caf::down_msg&) { on_terminated(); });
  // CAF 1.x sends an exception to whoever sent the message, too, and that would end this actor.
  set_error_handler([](caf::error&) {});
  create_dangerous_actor();
  return {
    [this](const Msg& msg) { on_msg(msg); },
    [this](const Tick&) { on_tick(); },
    [this](const Sent& sent) { on_sent(sent); },
  };
}

void BackOffSender::on_exit() {
  caf::anon_send_exit(std::exchange(dangerous_actor_, nullptr), caf::exit_reason::user_shutdown);
  dangerous_props_ = nullptr; // may hold handles that lead back here
}

void BackOffSender::create_dangerous_actor() {
  dangerous_actor_ = dangerous_props_(this);
  monitor(dangerous_actor_);
}

void BackOffSender::forward(const TrackedMsg& tracked) {
  ++counts_->hand_overs;
  send(dangerous_actor_, tracked);
}

void BackOffSender::schedule_tick() {
  backoff_actor::compat::send_later(*this, backoff_.wait_time(), Tick{});
  has_schedule_result_ = true;
}

void BackOffSender::on_msg(const Msg& msg) {
  possibly_failed_.push_back({msg, caf::actor_cast<caf::actor>(current_sender())});
  if (!backoff_.is_started())
    forward(possibly_failed_.back());
  if (backoff_.is_started() && !has_schedule_result_)
    schedule_tick();
}

void BackOffSender::on_tick() {
  for (const auto& tracked : possibly_failed_)
    forward(tracked);
  has_schedule_result_ = false;
}

void BackOffSender::on_terminated() {
  ++counts_->crashes;
  create_dangerous_actor();
  backoff_ = backoff_.next();
  counts_->backoff = backoff_;
  schedule_tick();
}

void BackOffSender::on_sent(const Sent& sent) {
  std::erase_if(possibly_failed_,
                [&](const TrackedMsg& tracked) { return tracked.msg.id == sent.id; });
  backoff_ = backoff_.reset();
  counts_->backoff = backoff_;
}

} // namespace transcription
