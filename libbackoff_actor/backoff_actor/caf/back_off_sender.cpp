#include "backoff_actor/caf/back_off_sender.hpp"

#include "backoff_actor/delivery/outbox.hpp"

#include <exception>
#include <random>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

// Senders of two processes must not march in step either.
std::uint64_t seed_of_this_process() {
  static const auto seed = [] {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }();
  return seed;
}

std::shared_ptr<const EngineOptions> engine_options(const SenderOptions& options,
                                                    caf::actor_id id) {
  auto backoff = options.backoff;
  backoff.seed = backoff.seed.value_or(seed_of_this_process());
  backoff.stream = backoff.stream.value_or(id);
  EngineOptions result;
  result.backoff = ExponentialBackOff{backoff};
  result.restart = options.restart;
  result.on_event = options.on_event;
  return std::make_shared<const EngineOptions>(std::move(result));
}

} // namespace

// -- carrying out what the engine decided ---------------------------------------

class BackOffSender::CarryOut {
public:
  explicit CarryOut(BackOffSender& self) : self_(self) {}

  void operator()(const effect::Accept& x) {
    if (self_.parcels_.size() <= x.slot)
      self_.parcels_.resize(x.slot + 1);
    self_.parcels_[x.slot] = std::move(self_.incoming_);
  }

  void operator()(const effect::Refuse& x) {
    seam::refuse(
      self_.incoming_.client,
      make_error(x.reason == Refusal::stopped ? SenderError::stopped : SenderError::outbox_full));
  }

  void operator()(const effect::Persist&) {} // never asked for: what is in memory needs no storing

  void operator()(const effect::StartChild& x) {
    self_.follow_up_ = self_.start_child(x.incarnation);
  }

  void operator()(const effect::StopChild&) { self_.end_child(); }

  void operator()(const effect::HandOver& x) {
    auto& parcel = self_.parcels_[x.slot];
    if (self_.acknowledgement_ == Acknowledgement::by_reply)
      self_.hand_over(x.hand_over, parcel.payload);
    else
      self_.hand_over(x.hand_over, caf::make_message(TrackedMsg{
                                     x.hand_over.value, parcel.payload,
                                     caf::actor_cast<caf::actor>(parcel.client.source())}));
  }

  void operator()(const effect::Probe& x) { self_.send_probe(x.probe); }

  void operator()(const effect::HoldAnswer& x) {
    self_.parcels_[x.slot].held = std::move(self_.error_);
  }

  void operator()(const effect::Acknowledge& x) {
    auto parcel = std::exchange(self_.parcels_[x.slot], {});
    seam::answer(parcel.client, std::move(self_.answer_));
  }

  void operator()(const effect::DeadLetter& x) {
    auto parcel = std::exchange(self_.parcels_[x.slot], {});
    seam::refuse(parcel.client, x.reason == DeadLetterReason::rejected
                                  ? std::move(parcel.held)
                                  : make_error(SenderError::stopped));
  }

  void operator()(const effect::WakeAt& x) { self_.wake_at(x.at); }

private:
  BackOffSender& self_;
};

void BackOffSender::take(Input input) {
  follow_up_ = std::move(input);
  while (follow_up_) {
    effects_.clear();
    engine_.step(now(), *std::exchange(follow_up_, std::nullopt), effects_);
    for (const auto& effect : effects_)
      std::visit(CarryOut{*this}, effect);
  }
  if (engine_.owed() == 0)
    rest();
  else if (!keep_alive_)
    keep_alive_ = ctrl();
}

void BackOffSender::rest() {
  keep_alive_ = nullptr;
  // What a backlog has left behind is not kept for the next one.
  if (parcels_.size() > Outbox::kept_size)
    parcels_ = {};
  if (effects_.capacity() > Outbox::kept_size)
    effects_ = {};
}

Input BackOffSender::start_child(std::uint32_t incarnation) {
  const auto failed = [&](std::string text) {
    return input::StartFailed{incarnation, Cause{1, std::move(text)}};
  };
  try {
    const auto child = make_child_(this);
    if (!child)
      return failed("the factory returned no actor");
    adopt(child);
    return input::ChildStarted{incarnation};
  } catch (const std::exception& exception) {
    return failed(exception.what());
  } catch (...) {
    return failed("the factory threw an exception of unknown type");
  }
}

// -- what the actor is told -----------------------------------------------------

BackOffSender::BackOffSender(caf::actor_config& config, ChildFactory make_child,
                             const SenderOptions& options)
  : SupervisingActor(config), make_child_(std::move(make_child)),
    engine_(engine_options(options, id())), acknowledgement_(options.acknowledgement),
    is_observed_(static_cast<bool>(options.on_event)) {
  seam::keep_cause(*this);
}

caf::behavior BackOffSender::make_behavior() {
  const auto wake_up = [this](const WakeUp&) { take(input::Wake{}); };
  // A child that acknowledges by reply has no use for `Sent`, which is then a message like any other.
  auto result = acknowledgement_ == Acknowledgement::by_sent
                  ? complete(wake_up, [this](const Sent& sent) { on_sent(sent); })
                  : complete(wake_up);
  take(input::Start{});
  return result;
}

void BackOffSender::on_exit() {
  take(input::Stop{});
  make_child_ = nullptr; // may hold handles that lead back here
  SupervisingActor::on_exit();
}

void BackOffSender::on_submission(caf::message payload, caf::response_promise client) {
  incoming_ = {std::move(payload), std::move(client), {}};
  take(input::Submit{});
}

void BackOffSender::on_answer(HandOverId id, caf::message answer) {
  if (acknowledgement_ == Acknowledgement::by_reply) {
    answer_ = std::move(answer);
    take(input::Acknowledged{id});
    answer_ = {};
  } else if (answer.match_elements<Sent>()) {
    on_sent(answer.get_as<Sent>(0));
  }
  // Anything else that an explicitly acknowledging child returns, above all nothing, confirms
  // nothing.
}

void BackOffSender::on_sent(const Sent& sent) {
  answer_ = sent.answer;
  take(input::Acknowledged{HandOverId{sent.id}});
  answer_ = {};
}

void BackOffSender::on_error_answer(HandOverId id, ErrorInfo info) {
  error_ = std::move(info.error);
  take(input::ErrorAnswer{id, cause_of(error_), info.is_bounce, info.is_settled});
  error_ = {};
}

void BackOffSender::on_probe_answer(std::uint32_t probe) {
  take(input::ChildAlive{engine_.incarnation(), probe});
}

void BackOffSender::on_child_down(const caf::error& reason) {
  forget_child();
  take(input::ChildDown{engine_.incarnation(), cause_of(reason)});
}

Cause BackOffSender::cause_of(const caf::error& error) const {
  return seam::cause_of(home_system(), error, is_observed_);
}

// -- making one -----------------------------------------------------------------

Problems check(const SenderOptions& options) {
  Problems problems;
  problems.add_nested("backoff", check(options.backoff));
  return problems;
}

caf::actor spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                                 SenderOptions options) {
  auto problems = check(options);
  if (!make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  problems.raise_if_any();
  return system.spawn<BackOffSender>(std::move(make_child), options);
}

} // namespace backoff_actor
