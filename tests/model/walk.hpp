#pragma once

#include "contract.hpp"
#include "reference_sender.hpp"
#include "side_by_side.hpp"
#include "story.hpp"
#include "walk_command.hpp"
#include "walk_lookup.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// The engine and, beside it, the reference sender, with a driver that resolves commands.
class Walk {
public:
  /// Told of what went in and, one by one, what is to be done, once that is known to be right.
  using Listener = std::function<void(const Input&, const Effects&)>;

  /// `left`: what an earlier sender has left in the store.
  explicit Walk(const Conditions& conditions, std::vector<Command> left = {})
    : conditions_(conditions), left_(std::move(left)) {}

  void listen(Listener listener) { listener_ = std::move(listener); }

  /// Lets another store, which is well, take all that is to be stored when all is worked off.
  void store_by(std::function<void()> store_all) { store_all_ = std::move(store_all); }

  Instant now() const { return now_; }
  const Contract& contract() const { return contract_; }

  /// A line of the story that is not the engine's.
  void remark(std::string line) { sides_.remark(now_, std::move(line)); }

  void start(std::uint64_t last_number) { step(input::Start{last_number}); }
  void restore(const input::Restore& x) { step(x); }

  /// The store's word on a delivery that there is or was.
  void answer(std::uint64_t id, bool is_stored) {
    const auto slot = contract_.deliveries.at(id).slot;
    if (is_stored)
      step(input::Persisted{slot, id});
    else
      step(input::NotPersisted{slot, id, {9, "no room for " + number(id)}});
  }

  /// Brings the sender to where the walk is to begin, if it gets there.
  void begin() {
    for (const auto& command : left_)
      take(command);
    const auto is_fresh = beginning_of(conditions_) == Beginning::fresh;
    if (conditions_.start != 7 || !is_fresh)
      start(conditions_.persist != 0 ? contract_.store.last_number() + gap() : 0);
    if (is_fresh)
      return;
    for (const auto time_to_live : {1000, 20, 1000})
      step(input::Submit{now_ + std::chrono::milliseconds{time_to_live}});
    for (int round = 0; round < 8 && !reference_.fallback && !reference_.is_stopped; ++round) {
      store_all();
      step(input::ChildStarted{reference_.primary.incarnation});
      step(input::ChildDown{reference_.primary.incarnation, {1, "down"}});
      tick();
    }
    if (reference_.fallback)
      step(input::ChildStarted{reference_.fallback->incarnation});
    if (beginning_of(conditions_) == Beginning::on_fallback)
      return;
    for (int round = 0; round < 8 && reference_.mode == ReferenceSender::Mode::on_fallback;
         ++round) {
      tick();
      step(input::Submit{});
      store_all();
      const auto worker = reference_.primary.incarnation;
      step(input::ChildStarted{worker});
      const auto has = contract_.children.at(worker).has;
      for (const auto name : has)
        step(input::Acknowledged{name});
    }
  }

  void take(const Command& x) {
    switch (x.kind) {
    case Kind::submit:
      return step(input::Submit{deadline(x, now_), x.key(), x.weight()});
    case Kind::join:
      return take_join(x);
    case Kind::persisted:
      return take_persisted(x);
    case Kind::restore:
      return take_restore(x);
    case Kind::child_started:
      return step(input::ChildStarted{child(x, contract_)});
    case Kind::start_failed:
      return step(input::StartFailed{child(x, contract_), {x.code(), "start failed"}, x.verdict()});
    case Kind::child_down:
      return step(input::ChildDown{child(x, contract_), {x.code(), "down"}, x.verdict()});
    case Kind::acknowledged:
      return step(input::Acknowledged{hand_over(x, contract_)});
    case Kind::error_answer:
      return step(input::ErrorAnswer{hand_over(x, contract_), x.error(), x.is_bounce(),
                                     x.is_settled(), x.decision()});
    case Kind::child_alive:
      return take_child_alive(x);
    case Kind::nacked:
      return step(
        input::Nacked{hand_over(x, contract_), x.error(), x.retry_after(), x.is_held_back()});
    case Kind::rejected:
      return step(input::Rejected{hand_over(x, contract_), x.error()});
    case Kind::working:
      return step(input::Working{hand_over(x, contract_)});
    case Kind::tick:
      return tick();
    case Kind::advance:
      now_ = now_ + x.span();
      if (contract_.wake_up && *contract_.wake_up <= now_)
        step(input::Wake{});
      return;
    case Kind::be_late:
      now_ = now_ + x.span();
      return;
    case Kind::wake:
      return take_wake(x);
    case Kind::retry_now:
      return step(input::RetryNow{});
    case Kind::reset:
      return step(input::Reset{});
    case Kind::pause:
      return step(input::Pause{});
    case Kind::resume:
      return step(input::Resume{});
    case Kind::drain:
      return step(input::Drain{++tickets_, deadline(x, now_)});
    case Kind::start:
      return start(x.jump() == 0 ? 0 : contract_.store.last_number() + x.jump());
    case Kind::stop:
      return x.how % 4 == 0 ? step(input::Kill{}) : step(input::Stop{x.how % 4 != 1});
    case Kind::finish:
      return step(input::Finish{x.grace() ? now_ + *x.grace() : Instant::never(), x.finish_ends()});
    case Kind::store_behind:
      return step(input::StoreBehind{x.is_store_behind(),
                                     x.is_store_failing() ? Cause{9, "no room"} : Cause{}});
    }
  }

  /// Nothing stays owed once all goes well, or once the sender is stopped.
  void finish() {
    if (ending_of(conditions_) != Ending::stop && !reference_.is_closing()) {
      work_off();
      // A sender that has rested works on.
      step(input::Submit{});
      work_off();
    }
    step(input::Stop{});
    for (int round = 0; round < 1000 && !reference_.is_stopped; ++round)
      tick(); // as if all children clung to life
    require(reference_.is_stopped, "a sender that is told to end ends in time");
    contract_.at_the_end();
  }

  /// The inputs so far, and the remarks.
  std::string steps() const { return sides_.steps(Story{contract_}); }

  /// With all that was looked up, and what both said to the last.
  std::string story() const { return sides_.story(Story{contract_}); }

private:
  void step(const Input& input) {
    const auto& effects = sides_.step(now_, input);
    for (const auto& effect : effects)
      if (const auto* x = std::get_if<effect::HandOver>(&effect))
        reference_.named(contract_.meaning(x->hand_over)->delivery, x->hand_over);
      else if (const auto* y = std::get_if<effect::Probe>(&effect))
        reference_.numbered(y->incarnation, y->probe);
    compare_states();
    contract_.after(engine_);
    if (engine_.phase() != Phase::stopped)
      check_what_is_due();
    if (listener_)
      listener_(input, effects);
  }

  void compare_states() {
    RC_ASSERT(std::string{to_string(engine_.phase())}
              == std::string{to_string(reference_.phase())});
    RC_ASSERT(engine_.owed() == reference_.owed().size());
    if (!(engine_.backoff() == reference_.primary.backoff)) {
      RC_ASSERT(to_string(engine_.backoff()) == to_string(reference_.primary.backoff));
      RC_FAIL("the two differ in a part of the backoff that `to_string` leaves out");
    }
    RC_ASSERT(engine_.incarnation() == reference_.incarnation);
    RC_ASSERT(engine_.due().since_origin == reference_.due().since_origin);
    const auto given = engine_.status(now_);
    const auto expected = reference_.status(now_);
    if (!(given == expected)) {
      RC_ASSERT(describe(given) == describe(expected));
      RC_FAIL("the two differ in a part of the status that `describe` leaves out");
    }
  }

  void check_what_is_due() {
    const auto due = reference_.earliest_due();
    require(due == Instant::never() || (contract_.wake_up && *contract_.wake_up <= due),
            "a wake-up is out whenever something is due, and in time");
    for (auto* lane : reference_.lanes())
      require(lane->held.empty() || lane->probe_is_out,
              "somebody is being asked as long as an error is held");
    if (reference_.mode != ReferenceSender::Mode::normal || engine_.phase() != Phase::running
        || reference_.is_paused || reference_.is_store_behind
        || !reference_.in_flight(reference_.primary).empty())
      return;
    for (const auto& x : reference_.deliveries) {
      if (!x.is_stored)
        break;
      require(!x.is_waiting() || reference_.is_behind_its_key(x),
              "a child that could work is not left idle");
    }
  }

  // -- the end ---------------------------------------------------------------------------

  // Children that do what they are for, and a store and a timer that work.
  void work_off() {
    const auto is_primary_well = ending_of(conditions_) == Ending::all_are_well
                                 || reference_.mode != ReferenceSender::Mode::on_fallback;
    step(input::Start{});
    step(input::Resume{});
    step(input::StoreBehind{false});
    const auto rounds = 100 + 100 * engine_.owed();
    for (std::size_t round = 0; round < rounds && engine_.owed() > 0; ++round) {
      store_all();
      for (std::uint32_t which = 1; which <= contract_.children.size(); ++which)
        work(which, is_primary_well || contract_.children.at(which).is_fallback);
      now_ = now_ + std::chrono::milliseconds{1}; // a worker that is not well may ask at once again
      tick();
    }
    require(engine_.owed() == 0, "nothing stays owed once all goes well");
  }

  void store_all() {
    if (store_all_)
      return store_all_();
    for (const auto id : contract_.store.awaited())
      answer(id, true);
  }

  void work(std::uint32_t which, bool is_well) {
    using State = KnownChild::State;
    auto& child = contract_.children.at(which);
    if (child.state == State::gone || child.is_stopped)
      return;
    if (child.state == State::starting && is_well)
      step(input::ChildStarted{which});
    else if (child.state == State::starting)
      step(input::StartFailed{which, {1, "still not well"}});
    if (child.state == State::leaving || (child.is_there() && !is_well && !child.has.empty()))
      step(input::ChildDown{which, {1, "still not well"}});
    while (child.is_there() && !child.has.empty())
      step(input::Acknowledged{child.has.front()});
    while (child.is_there() && child.probe)
      step(input::ChildAlive{which, *child.probe});
  }

  // -- what a command refers to ----------------------------------------------------------

  void take_persisted(const Command& x) {
    const auto is_stored = x.how % 100 >= store_failures_of(conditions_);
    const auto awaited = contract_.store.awaited();
    const auto& all = contract_.deliveries;
    if (!awaited.empty() && x.hand_over() == Command::HandOver::held)
      answer(awaited[x.which() % awaited.size()], is_stored);
    else if (options_.persist && !all.empty())
      answer(std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size()))->first,
             is_stored);
  }

  // Any delivery that ever was.
  void take_join(const Command& x) {
    const auto& all = contract_.deliveries;
    if (all.empty())
      return;
    const auto& [id, known] =
      *std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size()));
    step(input::Join{known.slot, id, x.joins_until_stored()});
  }

  void take_restore(const Command& x) {
    const auto last = contract_.store.last_number();
    const auto delivery =
      x.step() > 0 ? last + x.step() : last - std::min<std::uint64_t>(last, x.back());
    restore({delivery, x.attempts(), 0, now_ + -x.age(),
             x.time_left() ? now_ + *x.time_left() : Instant::never(), x.key(), x.weight()});
  }

  std::uint64_t gap() const { return static_cast<std::uint64_t>(conditions_.gap); }

  void take_child_alive(const Command& x) {
    const auto which = child(x, contract_);
    auto probe = x.how % 16;
    const auto known = contract_.children.find(which);
    if (x.how % 8 != 7 && known != contract_.children.end() && known->second.probe)
      probe = *known->second.probe;
    step(input::ChildAlive{which, probe});
  }

  void tick() {
    if (!contract_.wake_up)
      return;
    now_ = std::max(now_, *contract_.wake_up);
    step(input::Wake{});
  }

  // At once, or just too early.
  void take_wake(const Command& x) {
    if (x.how % 2 == 1 && contract_.wake_up)
      now_ = std::max(now_, *contract_.wake_up + Duration{-1});
    step(input::Wake{});
  }

  Conditions conditions_;
  std::vector<Command> left_;
  EngineOptions options_ = options_of(conditions_);
  SideBySide<SenderEngine, ReferenceSender, Contract, Input, Effects, Event> sides_{options_};
  ReferenceSender& reference_ = sides_.reference;
  Contract& contract_ = sides_.account;
  const SenderEngine& engine_ = sides_.engine();
  Instant now_{std::chrono::seconds{1}};
  std::uint32_t tickets_ = 0;
  Listener listener_;
  std::function<void()> store_all_;
};

} // namespace backoff_actor::model_test
