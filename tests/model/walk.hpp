#pragma once

#include "contract.hpp"
#include "reference_sender.hpp"
#include "story.hpp"
#include "walk_command.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// The engine and, beside it, the reference sender, with a driver that resolves commands.
class Walk {
public:
  explicit Walk(const Conditions& conditions)
    : conditions_(conditions), options_(options_of(conditions)), reference_(options_),
      contract_(options_) {
    auto options = options_;
    options.on_event = [this](const Event& event) { events_.push_back(event); };
    engine_ =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
  }

  /// Brings the sender to where the walk is to begin, if it gets there.
  void begin() {
    const auto is_fresh = beginning_of(conditions_) == Beginning::fresh;
    if (conditions_.start != 7 || !is_fresh)
      step(input::Start{});
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
      return step(input::Submit{deadline(x), x.key(), x.weight()});
    case Kind::persisted:
      return take_persisted(x);
    case Kind::child_started:
      return step(input::ChildStarted{child(x)});
    case Kind::start_failed:
      return step(input::StartFailed{child(x), {x.code(), "start failed"}, x.verdict()});
    case Kind::child_down:
      return step(input::ChildDown{child(x), {x.code(), "down"}, x.verdict()});
    case Kind::acknowledged:
      return step(input::Acknowledged{hand_over(x)});
    case Kind::error_answer:
      return step(
        input::ErrorAnswer{hand_over(x), x.error(), x.is_bounce(), x.is_settled(), x.decision()});
    case Kind::child_alive:
      return take_child_alive(x);
    case Kind::nacked:
      return step(input::Nacked{hand_over(x), x.error(), x.retry_after(), x.is_held_back()});
    case Kind::rejected:
      return step(input::Rejected{hand_over(x), x.error()});
    case Kind::working:
      return step(input::Working{hand_over(x)});
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
      return step(input::Drain{++tickets_, deadline(x)});
    case Kind::start:
      return step(input::Start{});
    case Kind::stop:
      return step(input::Stop{});
    }
  }

  /// Nothing stays owed once all goes well, or once the sender is stopped.
  void finish() {
    if (ending_of(conditions_) != Ending::stop) {
      work_off();
      // A sender that has rested works on.
      step(input::Submit{});
      work_off();
    }
    step(input::Stop{});
    contract_.at_the_end();
  }

  /// The steps so far, with all that was looked up, the failing one included.
  std::string story() const {
    const Story story{contract_};
    auto text = std::string{"the story:\n"};
    for (const auto& [at, input] : steps_)
      text += "  " + describe(at) + " " + story.of(input) + "\n";
    text += "the engine's answer to the last, as far as it was looked at:\n";
    for (const auto& line : asked_)
      text += "  " + line + "\n";
    text += "the reference's:\n";
    for (const auto& line : reference_.taken)
      text += "  " + line + "\n";
    return text;
  }

private:
  void step(const Input& input) {
    steps_.emplace_back(now_, input);
    events_.clear();
    effects_.clear();
    asked_.clear();
    contract_.before(now_, input);
    reference_.step(now_, input);
    engine_->step(now_, input, effects_);

    Lines told;
    for (const auto& event : events_) {
      told.push_back(describe(event));
      contract_.note(event);
    }
    for (const auto& effect : effects_)
      asked_.push_back(contract_.line(effect));
    RC_ASSERT(asked_ == reference_.taken);
    RC_ASSERT(told == reference_.told);
    for (const auto& effect : effects_)
      if (const auto* x = std::get_if<effect::HandOver>(&effect))
        reference_.named(contract_.meaning(x->hand_over)->delivery, x->hand_over);
      else if (const auto* y = std::get_if<effect::Probe>(&effect))
        reference_.numbered(y->incarnation, y->probe);
    compare_states();
    contract_.after(*engine_);
    if (engine_->phase() != Phase::stopped)
      check_what_is_due();
  }

  void compare_states() {
    RC_ASSERT(std::string{to_string(engine_->phase())}
              == std::string{to_string(reference_.phase())});
    RC_ASSERT(engine_->owed() == reference_.owed().size());
    if (!(engine_->backoff() == reference_.primary.backoff))
      RC_ASSERT(to_string(engine_->backoff()) == to_string(reference_.primary.backoff));
    RC_ASSERT(engine_->incarnation() == reference_.incarnation);
    RC_ASSERT(engine_->due().since_origin == reference_.due().since_origin);
    const auto given = engine_->status(now_);
    const auto expected = reference_.status(now_);
    if (!is_same(given, expected))
      RC_ASSERT(describe(given) == describe(expected));
  }

  void check_what_is_due() {
    const auto due = reference_.earliest_due();
    require(due == Instant::never() || (contract_.wake_up && *contract_.wake_up <= due),
            "a wake-up is out whenever something is due, and in time");
    for (auto* lane : reference_.lanes())
      require(lane->held.empty() || lane->probe_is_out,
              "somebody is being asked as long as an error is held");
    if (reference_.mode != ReferenceSender::Mode::normal || engine_->phase() != Phase::running
        || reference_.is_paused || !reference_.in_flight(reference_.primary).empty())
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
    const auto rounds = 100 + 100 * engine_->owed();
    for (std::size_t round = 0; round < rounds && engine_->owed() > 0; ++round) {
      store_all();
      for (std::uint32_t which = 1; which <= contract_.children.size(); ++which)
        work(which, is_primary_well || contract_.children.at(which).is_fallback);
      now_ = now_ + std::chrono::milliseconds{1}; // a worker that is not well may ask at once again
      tick();
    }
    require(engine_->owed() == 0, "nothing stays owed once all goes well");
  }

  void store_all() {
    for (const auto& [id, delivery] : contract_.deliveries)
      if (delivery.is_owed && !delivery.is_stored)
        step_persisted(id);
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

  Instant deadline(const Command& x) const {
    return x.time_to_live() ? now_ + *x.time_to_live() : Instant::never();
  }

  // Mostly one that is in the state for it, sometimes one that never was.
  std::uint32_t child(const Command& x) const {
    std::vector<std::uint32_t> apt;
    for (const auto& [which, child] : contract_.children)
      if (is_apt(x.kind, child))
        apt.push_back(which);
    if (x.child() == Command::Child::apt && !apt.empty())
      return apt[x.which() % apt.size()];
    const auto count = static_cast<std::uint32_t>(contract_.children.size());
    return x.child() == Command::Child::any ? x.which() % (count + 2) : count;
  }

  static bool is_apt(Kind kind, const KnownChild& child) {
    using State = KnownChild::State;
    switch (kind) {
    case Kind::child_started:
    case Kind::start_failed:
      return child.state == State::starting;
    case Kind::child_alive:
      return child.probe.has_value();
    default:
      return child.state != State::gone && !child.is_stopped;
    }
  }

  HandOverId hand_over(const Command& x) const {
    const auto& ever = contract_.hand_overs;
    if (x.hand_over() == Command::HandOver::never || ever.empty())
      return HandOverId{x.who};
    std::vector<HandOverId> held;
    if (x.hand_over() == Command::HandOver::held)
      for (const auto& [which, child] : contract_.children)
        held.insert(held.end(), child.has.begin(), child.has.end());
    const auto& from = held.empty() ? ever : held;
    return from[x.which() % from.size()];
  }

  void take_persisted(const Command& x) {
    std::vector<std::uint64_t> unstored;
    for (const auto& [id, delivery] : contract_.deliveries)
      if (delivery.is_owed && !delivery.is_stored)
        unstored.push_back(id);
    if (!unstored.empty() && x.hand_over() == Command::HandOver::held)
      return step_persisted(unstored[x.which() % unstored.size()]);
    if (options_.persist && !contract_.deliveries.empty())
      step_persisted(1 + x.which() % contract_.deliveries.size());
  }

  void step_persisted(std::uint64_t id) {
    auto& delivery = contract_.deliveries.at(id);
    delivery.is_stored = true;
    step(input::Persisted{delivery.slot, id});
  }

  void take_child_alive(const Command& x) {
    const auto which = child(x);
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
  EngineOptions options_;
  ReferenceSender reference_;
  Contract contract_;
  std::unique_ptr<SenderEngine> engine_;
  Instant now_{std::chrono::seconds{1}};
  std::uint32_t tickets_ = 0;
  Effects effects_;
  std::vector<Event> events_;
  Lines asked_;
  std::vector<std::pair<Instant, Input>> steps_;
};

} // namespace backoff_actor::model_test
