// How a sender carries out the effects that the engine decides on.

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/borrowed_effects.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor {

namespace {

// A batch may be long. Its numbers are published in between, too.
constexpr std::uint8_t steps_in_a_batch = 128;

SenderError error_of(Refusal refusal) {
  switch (refusal) {
  case Refusal::outbox_full:
    return SenderError::outbox_full;
  case Refusal::draining:
    return SenderError::draining;
  case Refusal::not_stored:
    return SenderError::not_stored;
  case Refusal::not_owner:
    return SenderError::not_owner;
  case Refusal::stopped:
  case Refusal::unusable: // its error comes with the input
    break;
  }
  return SenderError::stopped;
}

} // namespace

// -- parcels ------------------------------------------------------------------------

BackOffSender::Extra& BackOffSender::Parcel::more() {
  if (!extra)
    extra = std::make_unique<Extra>();
  return *extra;
}

caf::actor BackOffSender::Parcel::source() const {
  return caf::actor_cast<caf::actor>(extra && extra->client ? extra->client : client.client);
}

// -- effects ------------------------------------------------------------------------

// The data of an input that the engine does not need.
struct BackOffSender::Cargo {
  const News* news = nullptr;     // none: a submission, an acknowledgement, or a child's start
  caf::message* answer = nullptr; // of an acknowledgement
};

class BackOffSender::CarryOut {
public:
  CarryOut(BackOffSender& self, Instant at, Cargo cargo, FollowUps& follow_ups)
    : self_(self), at_(at), news_(cargo.news), answer_(cargo.answer), follow_ups_(follow_ups) {}

  void operator()(const effect::Accept& x) {
    if (self_.parcels_.size() <= x.slot)
      self_.parcels_.resize(x.slot + 1);
    newcomer_ = x.slot;
    self_.expect_to_pass_on(false);
    auto& parcel = self_.parcels_[x.slot]; // which is empty
    parcel.payload.swap(self_.incoming_.payload);
    std::swap(parcel.client, self_.incoming_.client);
    if (!self_.incoming_.extra)
      return;
    std::swap(parcel.extra, self_.incoming_.extra);
    auto& extra = *parcel.extra;
    extra.delivery = x.delivery;
    if (!extra.idempotency_key.empty())
      self_.keys().owe(extra.idempotency_key, x.slot);
    if (extra.is_answered_on_acceptance) {
      extra.client = parcel.client.client;
      extra.wait_for_acceptance.push_back(std::exchange(parcel.client, {}));
    }
    if (!self_.store_)
      self_.confirm({x.slot, x.delivery});
  }

  void operator()(const effect::Join& x) {
    auto client = std::exchange(self_.incoming_, {}).client;
    auto& first = self_.parcels_[x.slot].more();
    (x.until_stored ? first.wait_for_acceptance : first.joined).push_back(std::move(client));
  }

  void operator()(const effect::Refuse& x) {
    if (auto* const seat = self_.seat())
      seat->note_refused(static_cast<std::size_t>(x.reason));
    auto parcel = std::exchange(self_.incoming_, {});
    if (parcel.extra && parcel.extra->row != 0)
      return self_.store_->give_back(parcel.extra->row);
    self_.refuse(parcel.client,
                 x.reason == Refusal::unusable ? news_->error : make_error(error_of(x.reason)));
  }

  void operator()(const effect::Persist& x) { self_.store(x); }

  void operator()(const effect::Confirm& x) { self_.confirm(x); }

  void operator()(const effect::CountAttempts& x) {
    self_.store_->count_attempts(x.delivery, x.attempts);
  }

  void operator()(const effect::Suspend& x) { self_.suspend(x); }

  void operator()(const effect::StartChild& x) { self_.start_child(x, follow_ups_); }

  void operator()(const effect::AskToEnd& x) {
    if (!self_.children_.ask_to_end(self_, x.incarnation))
      note_let_go(x.incarnation);
  }

  void operator()(const effect::TellToEnd& x) {
    if (!self_.children_.tell_to_end(self_, x.incarnation))
      note_let_go(x.incarnation);
  }

  void operator()(const effect::Abandon& x) {
    self_.children_.abandon(x.incarnation);
    self_.free_place_of(x.incarnation);
    if (auto* const rare = self_.rare_if_any(); rare && rare->closing)
      ++rare->closing->abandoned;
  }

  void operator()(const effect::StopChild& x) {
    self_.call_off(x.incarnation);
    self_.children_.dismiss(self_, x.incarnation);
    self_.free_place_of(x.incarnation);
  }

  void operator()(const effect::HandOver& x) {
    if (x.slot == newcomer_)
      self_.expect_to_pass_on(true); // the next one probably is passed on at once, too
    if (self_.store_ && self_.options().rare.max_hand_overs)
      self_.store_->count_hand_over(x); // the child gets it once the count is stored
    else
      self_.give_to_child(x);
  }

  void operator()(const effect::GiveBack& x) {
    if (self_.store_)
      self_.store_->end_hand_over(x.delivery);
  }

  void operator()(const effect::Probe& x) { self_.send_probe(x); }

  void operator()(const effect::HoldAnswer& x) {
    auto& extra = self_.parcels_[x.slot].more();
    extra.held = news_->error;
    extra.held_is_bounce = std::get<input::ErrorAnswer>(news_->input).is_bounce;
  }

  void operator()(const effect::Acknowledge& x) {
    auto& parcel = self_.parcels_[x.slot];
    if (auto* const seat = self_.seat())
      seat->note_acknowledged(at_, x.submitted_at, x.handed_over_at);
    if (self_.store_)
      self_.store_->acknowledge(x.delivery, self_.now());
    if (parcel.extra) {
      self_.note_acknowledged(parcel, *answer_);
      for (auto& client : parcel.extra->joined)
        self_.answer_request(client, caf::message{*answer_});
      parcel.extra = nullptr;
    }
    parcel.payload.reset();
    self_.answer_request(parcel.client, std::move(*answer_));
  }

  void operator()(const effect::DeadLetter& x) {
    if (auto* const seat = self_.seat())
      seat->note_dead_letter(static_cast<std::size_t>(x.reason));
    self_.bury(x, news_);
  }

  void operator()(const effect::Cancelled& x) { self_.end_cancelled(x); }

  void operator()(const effect::TellCancelled& x) { self_.tell_cancelled(x, follow_ups_); }

  void operator()(const effect::Replace& x) { self_.set_payload(x); }
  void operator()(const effect::KeepNote& x) {
    self_.keep_note(x, std::get<input::Working>(news_->input).note);
  }

  void operator()(const effect::Drained& x) {
    auto drain = self_.rare().drains.extract(x.ticket);
    self_.answer_request(drain.mapped(), caf::make_message(Drained{x.left}));
  }

  void operator()(const effect::Finished&) {
    self_.respond({self_.rare().closing->supervisor, caf::make_message_id()},
                  caf::make_message(WorkFinished{}));
  }

  void operator()(const effect::WakeAt& x) { self_.wake_at(x.at); }

  void operator()(const effect::Quit& x) {
    // Computed now, because the dead letters that follow remove the held error.
    self_.rare().exit_reason = self_.exit_reason(x, news_);
  }

  void operator()(const effect::HookFailed& x) { self_.tell_failed_hook(x.text); }

private:
  // A shared child lives on, but this sender no longer uses it.
  void note_let_go(std::uint32_t incarnation) {
    follow_ups_.add({input::ChildDown{incarnation, {}, Verdict::retry}});
  }

  BackOffSender& self_;
  Instant at_;
  const News* news_;
  caf::message* answer_;
  FollowUps& follow_ups_;
  std::uint32_t newcomer_ = DeliverySlots::none; // the slot that was accepted in this step
};

// -- steps --------------------------------------------------------------------------

void BackOffSender::take(Input input, caf::error error) {
  take(News{std::move(input), std::move(error)});
}

void BackOffSender::take(const News& news) {
  if (publishes_)
    note_cause(news.input);
  take_at(now(), news.input, {&news});
}

void BackOffSender::take(Instant at, const input::Submit& x) { take_at(at, x, {}); }

void BackOffSender::take(const input::Acknowledged& x, caf::message&& answer) {
  take_at(time_of_message(), x, {nullptr, &answer});
}

template <class OneInput>
void BackOffSender::take_at(Instant at, const OneInput& input, Cargo cargo) {
  FollowUps follow_ups;
  step(at, input, cargo, follow_ups);
  if (!follow_ups.are_none())
    follow(follow_ups);
  if (store_ && store_->flush())
    tell_store_state();
  if (store_ && store_->waits_for_room() && engine_.has_room(0))
    store_->call_for_incoming();
  if (publishes_ && ++steps_ == steps_in_a_batch)
    publish();
  if (engine_.has_ended()) {
    tell_of_the_end();
    const auto* const rare = rare_if_any();
    quit(rare && rare->exit_reason ? *rare->exit_reason : caf::error{});
  } else
    rest_or_stay();
}

void BackOffSender::end_now() {
  const News news{input::Kill{}};
  FollowUps none;
  step(now(), news.input, {&news}, none);
  tell_of_the_end();
}

// Closes the store before it answers: a client with the answer may give the outbox to the next
// sender.
void BackOffSender::tell_of_the_end() {
  if (store_) {
    end_held();
    refuse_awaited();
    leave_entries();
    end_storing();
  }
  auto* const rare = rare_if_any();
  if (!rare)
    return;
  for (auto& client : std::exchange(rare->stops, {}))
    tell_status(std::move(client));
  const auto closing = std::exchange(rare->closing, nullptr);
  if (!closing)
    return;
  const auto counters = engine_.status(now()).counters;
  const Stopped numbers{counters.acknowledged - closing->before.acknowledged,
                        counters.suspended - closing->before.suspended,
                        counters.dead_lettered - closing->before.dead_lettered, closing->abandoned};
  for (auto& client : closing->clients)
    answer_request(client, caf::make_message(numbers));
}

void BackOffSender::follow(FollowUps& follow_ups) {
  while (const auto started = std::exchange(follow_ups.started, 0))
    step(now(), input::ChildStarted{started}, {}, follow_ups);
  for (std::size_t i = 0; i < follow_ups.others.size(); ++i) {
    const auto news = std::move(follow_ups.others[i]); // moved out: the vector may grow meanwhile
    if (publishes_)
      note_cause(news.input);
    step(now(), news.input, {&news}, follow_ups);
  }
}

void BackOffSender::FollowUps::add(News news) { others.push_back(std::move(news)); }

void BackOffSender::FollowUps::add_started(std::uint32_t incarnation) {
  if (started == 0 && others.empty())
    started = incarnation;
  else
    add({input::ChildStarted{incarnation}});
}

template <class OneInput>
void BackOffSender::step(Instant at, const OneInput& input, Cargo cargo, FollowUps& follow_ups) {
  BorrowedEffects effects;
  engine_.step(at, input, *effects, id());
  CarryOut carry_out{*this, at, cargo, follow_ups};
  for (const auto& effect : *effects) {
    // Every delivery has these three effects: tested first, they avoid the jump table of `visit`.
    if (const auto* const accept = std::get_if<effect::Accept>(&effect))
      carry_out(*accept);
    else if (const auto* const hand_over = std::get_if<effect::HandOver>(&effect))
      carry_out(*hand_over);
    else if (const auto* const acknowledge = std::get_if<effect::Acknowledge>(&effect))
      carry_out(*acknowledge);
    else
      std::visit(carry_out, effect);
  }
}

BackOffSender::Ties& BackOffSender::ties() {
  if (!ties_)
    ties_ = std::make_unique<Ties>();
  return *ties_;
}

BackOffSender::Rare& BackOffSender::rare() {
  auto& result = ties().rare;
  if (!result)
    result = std::make_unique<Rare>();
  return *result;
}

bool BackOffSender::Rare::is_empty() const {
  return !keys && (!calendar || calendar->is_empty()) && !offered && drains.empty()
         && starts.empty() && stops.empty() && awaited.empty() && !closing && !exit_reason;
}

void BackOffSender::rest_or_stay() {
  const auto owes = engine_.owed() > 0 || (store_ && store_->held() > 0);
  if (!owes && is_drained() && !engine_.is_ending())
    rest();
  else if (!keep_alive_)
    keep_alive_ = ctrl();
}

void BackOffSender::rest() {
  keep_alive_ = nullptr;
  if (engine_.is_idle() || parcels_.size() > DeliverySlots::kept_size)
    std::vector<Parcel>{}.swap(parcels_);
  if (ties_ && ties_->rare && ties_->rare->is_empty())
    ties_->rare = nullptr;
  if (ties_ && !ties_->rare && !ties_->guard_watch && !ties_->registration && !ties_->seat)
    ties_ = nullptr;
}

} // namespace backoff_actor
