#pragma once

#include "glance.hpp"
#include "ledger.hpp"
#include "reference_parts.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor::model_test {

/// What a driver may count on, whatever the reference says: knows only what went in and out of the
/// engine, and what that means to the children and the clients.
class Contract : public Ledger {
public:
  using Ledger::Ledger;

  // -- one step: what goes in, the events, the effects -----------------------------------

  void before(Instant now, const Input& input) {
    now_ = now;
    came_too_late_ = 0;
    restored_for_its_end_ = restored_with_note_ = 0;
    said_note_.clear();
    counts_as_failure_.reset();
    store.before(now, input);
    std::visit([this](const auto& x) { take(x); }, input);
  }

  /// Takes note of an event and returns it as text.
  std::string line(const Event& event) {
    std::visit([this](const auto& x) { take(x); }, event);
    return describe(event);
  }

  /// Checks an effect and returns it as text.
  std::string line(const Effect& effect) {
    return std::visit([this](const auto& x) { return carry_out(x); }, effect);
  }

  void after(const SenderEngine& engine) {
    has_ended_ = ends_;
    require(engine.owed() == in_slot_.size(), "what is owed is what has not been ended");
    const auto status = engine.status(now_);
    require(is_glance_right(engine, now_), "a glance shows what the status shows");
    if (store.took_a_newcomer()) { // what is restored is taken in, whatever the capacity
      has_begun_ = true;
      require(engine.owed() <= options_.capacity, "no more is owed than the capacity");
      require(!options_.capacity_bytes || status.owed_bytes <= *options_.capacity_bytes,
              "what is owed weighs no more than the capacity");
    }
    store.after(status, engine.owed(), has_ended_);
    require(came_too_late_ == 0, "a child that is not wanted any more is stopped when it comes");
    require(has_ended_ == (engine.phase() == Phase::stopped), "the last event tells of the end");
    require(!is_ending_ || has_ended_ || has_child(),
            "a sender that is to end waits for children only");
    const auto is_quiet = status.in_flight == 0 && status.unstored == 0;
    require(engine.phase() != Phase::finishing || !is_quiet || is_finish_told_,
            "a sender that finishes ends or says so when nothing is in flight");
    require(has_ended_ || is_going_on(), "something that is out will move on what is owed");
  }

  /// After the sender has stopped.
  void at_the_end() const {
    for (const auto& [id, record] : store.all)
      require(!record.is_owed, "each delivery ends");
    for (const auto& [ticket, answers] : tickets_)
      require(answers == 1, "each drain is answered once");
    for (const auto& [incarnation, child] : children)
      require(child.is_stopped || child.state == State::gone || child.state == State::abandoned,
              "no child outlives its sender");
  }

private:
  // -- what is asked for -----------------------------------------------------------------

  std::string carry_out(const effect::Accept& x) {
    require(!has_ended_, "nothing is accepted after the end");
    require(in_slot_.count(x.slot) == 0, "nobody's slot is given away");
    const auto& record = store.accept(x.delivery);
    in_slot_[x.slot] = x.delivery;
    if (x.delivery == restored_for_its_end_)
      cancelled_.insert(x.delivery);
    if (x.delivery == restored_with_note_)
      notes_[x.delivery] = restored_note;
    deliveries.emplace(x.delivery,
                       KnownDelivery{x.slot, record.key, record.deadline, record.not_before});
    return accept_line(x.delivery);
  }

  std::string carry_out(const effect::Refuse& x) { return refuse_line(x.reason); }

  std::string carry_out(const effect::Persist& x) {
    look_at(x);
    return persist_line(x.delivery);
  }

  std::string carry_out(const effect::Join& x) {
    return join_line(in_slot_.at(x.slot), x.until_stored);
  }

  std::string carry_out(const effect::Confirm& x) {
    look_at(x);
    return confirm_line(x.delivery);
  }

  std::string carry_out(const effect::CountAttempts& x) {
    look_at(x);
    return count_line(x.delivery, x.attempts);
  }

  std::string carry_out(const effect::GiveBack& x) {
    require(charged_.erase(x.delivery) == 1, "what is given back was handed over");
    return {}; // the reference does not foretell it
  }

  std::string carry_out(const effect::Suspend& x) {
    require(ends_, "what is owed is left to the store at the end only");
    look_at(x);
    end(x.slot);
    return suspend_line(x.delivery, x.attempts, x.submitted_at, x.deadline);
  }

  std::string carry_out(const effect::StartChild& x) {
    require(!is_closing_, "no child is started by a sender that is to end");
    require(!is_pool() || most_.at(x.kind) > 0, "no kind has a worker that may have none");
    require(x.incarnation == children.size() + 1, "incarnations are counted one by one");
    for (const auto& [incarnation, child] : children)
      require(child.kind != x.kind || child.worker != x.worker || child.is_stopped
                || child.state == State::gone || child.state == State::abandoned,
              "only a child that is left to itself lives beside another in its place");
    const auto is_fallback = !is_pool() && x.kind == EngineOptions::kind_of_fallback;
    auto& child = children.emplace(x.incarnation, KnownChild{is_fallback}).first->second;
    child.worker = x.worker;
    child.kind = x.kind;
    return start_line(x.incarnation, is_fallback);
  }

  std::string carry_out(const effect::AskToEnd& x) {
    auto& child = children.at(x.incarnation);
    if (is_pool() && !is_closing_)
      require(child.has.empty(), "a worker that leaves has finished what it held");
    else
      require(is_ending_ || finish_ends_, "a child is asked to end when its sender is to end");
    is_ending_ |= is_closing_;
    require(child.is_there() && !child.is_asked_to_end, "a living child is asked to end, once");
    child.is_asked_to_end = true;
    return ask_to_end_line(x.incarnation);
  }

  std::string carry_out(const effect::TellToEnd& x) {
    auto& child = children.at(x.incarnation);
    const auto was_told = child.state == State::leaving || child.is_asked_to_end;
    const auto is_at_the_end = is_ending_ || (finish_ends_ && was_told);
    require(is_at_the_end ? was_told : child.is_there(), "only a living child is told to end");
    if (is_at_the_end)
      return tell_to_end_line(x.incarnation);
    child.state = State::leaving;
    if (is_pool() || holds_cancelled(x.incarnation)) // others may live meanwhile
      return tell_to_end_line(x.incarnation);
    child.has.clear();
    for (auto& [id, delivery] : deliveries)
      if (delivery.in_flight_at == x.incarnation && !delivery.error_came)
        delivery.in_flight_at = 0;
    return tell_to_end_line(x.incarnation);
  }

  std::string carry_out(const effect::Abandon& x) {
    auto& child = children.at(x.incarnation);
    require(child.state == State::leaving || child.is_asked_to_end,
            "only a child that was told to end is abandoned");
    require(is_ending_ || finish_ends_ || options_.after_grace == AfterGrace::abandon,
            "a sender that is not to end abandons children only on request");
    child.state = State::abandoned;
    take_back(x.incarnation);
    return abandon_line(x.incarnation);
  }

  std::string carry_out(const effect::StopChild& x) {
    if (came_too_late_ == x.incarnation)
      came_too_late_ = 0;
    if (auto* child = known(x.incarnation)) {
      child->is_stopped = true;
      take_back(x.incarnation);
    }
    return stop_line(x.incarnation);
  }

  std::string carry_out(const effect::HandOver& x) {
    const auto id = in_slot_.at(x.slot);
    auto& delivery = deliveries.at(id);
    auto& child = children.at(x.incarnation);
    require(x.delivery == id, "a delivery is handed over under its number");
    require(!has_ended_, "nothing is handed over after the end");
    require(!is_paused_, "nothing is handed over in a pause");
    require(!is_store_behind_, "nothing is handed over that could not be written down");
    require(now_ < sure_until_,
            "nothing is handed over at or after the last instant that was told as sure");
    require(!is_closing_, "nothing is handed over by a sender that is to end");
    require(cancelled_.count(id) == 0, "nothing that is cancelled is handed over");
    require(store.is_stored(id), "nothing is handed over before it is stored");
    require(unwritten.count(id) == 0, "no payload is handed over before it is stored");
    require(delivery.deadline > now_, "nothing is handed over at its deadline or later");
    require(delivery.not_before <= now_, "nothing is handed over before its time");
    require(child.is_there(), "deliveries are handed to a child that is there");
    require(!is_with_a_child(delivery), "a delivery is with one child at a time");
    for (const auto& [incarnation, other] : children)
      for (const auto name : other.has)
        require(!(other.is_there() || other.state == State::leaving)
                  || meanings_.at(name).delivery != id,
                "a delivery is not handed over while a child works on it");
    require(handed_.insert({x.incarnation, id}).second,
            "a child has a delivery once, unless it refused it");
    require(child.has.size() < max_in_flight_of(child), "a child holds no more than it may");
    require(!child.is_asked_to_end, "a worker that leaves is given nothing");
    const auto held_back = service_not_before_.find(child.kind);
    require(held_back == service_not_before_.end() || now_ >= held_back->second,
            "no worker is given anything before the time that its service asked for");
    require(child.has.empty()
              || (suspects_.count(id) == 0
                  && suspects_.count(meanings_.at(child.has.front()).delivery) == 0),
            "what a lost child had goes alone");
    require(!is_narrowed(child) || child.has.empty(),
            "a child that has refused a delivery holds one at a time, if that is wished");
    check_order(options_.ordering, deliveries, id);
    require(!overtakes_what_is_gone(id),
            "nothing is handed over before it is stored that an older one was cancelled");
    const auto asked = not_before_.find({id, child.is_fallback});
    require(asked == not_before_.end() || now_ >= asked->second,
            "a delivery is not handed over before the time that its refusal asked for");
    require(meanings_.emplace(x.hand_over, KnownHandOver{id, x.incarnation}).second,
            "the name of a hand-over is its own");
    if (options_.max_hand_overs)
      require(charged_.insert(id).second, "what is handed over again was given back");
    hand_overs.push_back(x.hand_over);
    child.has.push_back(x.hand_over);
    delivery.in_flight_at = x.incarnation;
    delivery.last_at = x.incarnation;
    delivery.error_came = false;
    return hand_over_line(id, x.incarnation, notes_[id]);
  }

  std::string carry_out(const effect::Probe& x) {
    auto& child = children.at(x.incarnation);
    require(child.is_there() || child.state == State::leaving, "only a living child is probed");
    require(!child.probe, "a child is probed once at a time");
    child.probe = x.probe;
    return probe_line(x.incarnation);
  }

  std::string carry_out(const effect::HoldAnswer& x) {
    deliveries.at(in_slot_.at(x.slot)).error_came = true;
    return hold_line(in_slot_.at(x.slot));
  }

  std::string carry_out(const effect::Acknowledge& x) {
    look_at(x);
    end(x.slot);
    return acknowledge_line(x.delivery);
  }

  std::string carry_out(const effect::DeadLetter& x) {
    const auto& delivery = deliveries.at(x.delivery);
    const auto& record = store.all.at(x.delivery);
    require(record.is_restored || x.attempts <= store.limit_of(record),
            "no delivery fails more often than it may");
    look_at(x);
    require(x.reason != DeadLetterReason::cancelled || cancelled_.count(x.delivery) == 1,
            "only what was cancelled ends so");
    require(x.reason != DeadLetterReason::dropped || !is_with_a_child(delivery),
            "nothing that a child holds is dropped");
    require(x.reason != DeadLetterReason::expired || delivery.deadline <= now_
              || options_.charging.give_up_after,
            "nothing expires before its deadline");
    end(x.slot);
    if (x.reason == DeadLetterReason::cancelled)
      leave(x.delivery);
    return dead_letter_line(x.delivery, x.reason, x.attempts, x.submitted_at, x.cause.get());
  }

  std::string carry_out(const effect::Cancelled& x) {
    require(cancelled_.count(x.delivery) == 1, "only what was cancelled ends so");
    look_at(x);
    end(x.slot);
    leave(x.delivery);
    return cancelled_line(x.delivery);
  }

  std::string carry_out(const effect::TellCancelled& x) {
    require(in_slot_.at(x.slot) == x.delivery, "what is said of a delivery names its slot");
    const auto& meaning = meanings_.at(x.hand_over);
    require(meaning.delivery == x.delivery && meaning.incarnation == x.incarnation
              && deliveries.at(x.delivery).last_at == x.incarnation,
            "the child that has a cancelled delivery is told, by the name of its last hand-over");
    return tell_cancelled_line(x.delivery, x.incarnation, x.wants_letter);
  }

  std::string carry_out(const effect::Replace& x) {
    require(in_slot_.at(x.slot) == x.delivery, "what is said of a delivery names its slot");
    for (const auto& [incarnation, child] : children)
      for (const auto name : child.has)
        require(!child.is_there() || meanings_.at(name).delivery != x.delivery,
                "what a child has is not replaced");
    if (options_.persist)
      unwritten.insert(x.delivery);
    else {
      store.forget_attempts(x.delivery);
      suspects_.erase(x.delivery);
    }
    return replace_line(x.delivery);
  }
  std::string carry_out(const effect::KeepNote& x) {
    require(in_slot_.at(x.slot) == x.delivery, "what is said of a delivery names its slot");
    require(!said_note_.empty(), "a note is kept when one has come");
    notes_[x.delivery] = said_note_;
    return keep_note_line(x.delivery);
  }

  std::string carry_out(const effect::Drained& x) {
    ++tickets_.at(x.ticket);
    return drained_line(x.ticket, x.left);
  }

  std::string carry_out(const effect::WakeAt& x) {
    require(!has_ended_, "no wake-up is asked for after the end");
    wake_up = x.at;
    return wake_line(x.at);
  }

  std::string carry_out(const effect::Quit& x) {
    require(!std::exchange(has_quit_, true), "a sender gives up once");
    is_closing_ = is_ending_ = true;
    const auto held = in_slot_.find(x.slot);
    require(held == in_slot_.end() || !x.escalates || deliveries.at(held->second).error_came,
            "a sender ends with an error that there is");
    return quit_line(x.escalates, held != in_slot_.end() ? held->second : 0);
  }

  std::string carry_out(const effect::Finished&) {
    require(is_closing_ && !is_ending_ && !finish_ends_ && !std::exchange(is_finish_told_, true),
            "only a sender that waits to be told says that it has finished, once");
    return finished_line;
  }
  std::string carry_out(const effect::HookFailed&) { return {}; } // see SideBySide

  template <class T>
  void look_at(const T& x) {
    require(in_slot_.at(x.slot) == x.delivery, "what is said of a delivery names its slot");
    store.carry_out(x);
  }
};

} // namespace backoff_actor::model_test
