#pragma once

#include "contract.hpp"
#include "reference_sender.hpp"
#include "side_by_side.hpp"
#include "story.hpp"
#include "walk_driver.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// The engine and, beside it, the reference sender, with a driver that resolves commands.
class Walk : public WalkDriver {
public:
  /// Told of what went in and, one by one, what is to be done, once that is known to be right.
  using Listener = std::function<void(const Input&, const Effects&)>;

  /// `left`: what an earlier sender has left in the store.
  explicit Walk(const Conditions& conditions, std::vector<Command> left = {})
    : WalkDriver(conditions), left_(std::move(left)) {}

  void listen(Listener listener) { listener_ = std::move(listener); }

  const Contract& contract() const { return contract_; }

  /// A line of the story that is not the engine's.
  void remark(std::string line) { sides_.remark(now_, std::move(line)); }

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
  Contract& account() override { return contract_; }

  void step(const Input& input) override {
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
    ask();
  }

  // Somebody asks for one of the messages that are owed, another one each time.
  void ask() {
    const auto owed = reference_.owed();
    if (owed.empty())
      return;
    const auto id = owed[++asked_ % owed.size()];
    const auto slot = engine_.slot_of(id);
    require(slot.has_value(), "what is owed is found by its number");
    const auto given = engine_.view(*slot);
    const auto& expected = *reference_.find(id);
    RC_ASSERT(given.is_in_work == expected.is_in_flight);
    RC_ASSERT(given.attempts == expected.attempts);
    const auto since = expected.is_in_flight ? expected.clock_start : expected.submitted_at;
    RC_ASSERT(given.since.since_origin == since.since_origin);
    auto next_try = Instant::never();
    if (!expected.is_in_flight) {
      const auto own = expected.scheduled_for ? expected.scheduled_for : expected.pauses_until;
      const auto all = reference_.due();
      next_try = !own ? all : all == Instant::never() ? *own : std::max(all, *own);
    }
    RC_ASSERT(given.next_try.since_origin == next_try.since_origin);
  }

  void check_what_is_due() {
    const auto due = reference_.earliest_due();
    require(due == Instant::never() || (contract_.wake_up && *contract_.wake_up <= due),
            "a wake-up is out whenever something is due, and in time");
    for (auto* lane : reference_.lanes())
      require(lane->held.empty() || lane->probe_is_out,
              "somebody is being asked as long as an error is held");
    if (reference_.mode != ReferenceSender::Mode::normal || engine_.phase() != Phase::running
        || reference_.is_paused || reference_.is_store_behind || now_ >= reference_.sure_until
        || !reference_.in_flight(reference_.primary).empty())
      return;
    for (const auto& x : reference_.deliveries) {
      if (!x.is_stored || x.is_unwritten || (x.scheduled_for && !reference_.is_put_off(x))
          || reference_.holds_up_all(x))
        break;
      require(!x.is_waiting() || reference_.is_put_off(x) || reference_.is_behind_its_key(x),
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
    step(input::SureUntil{Instant::never()});
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

  std::vector<Command> left_;
  SideBySide<SenderEngine, ReferenceSender, Contract, Input, Effects, Event> sides_{options_};
  ReferenceSender& reference_ = sides_.reference;
  Contract& contract_ = sides_.account;
  std::size_t asked_ = 0;
  const SenderEngine& engine_ = sides_.engine();
  Listener listener_;
};

} // namespace backoff_actor::model_test
