// Random walks of inputs through the engine and, beside it, through the reference sender. After
// every step both must have asked for the same and be in the same state, and the invariants of the
// contract must hold.
//
// rapidcheck prints the seed of a run; RC_PARAMS="seed=..." takes it back, "max_success=..." sets
// how many walks there are, by default 2000 a test. A failing walk is shrunk to the shortest that
// still fails.

#include "reference_sender.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>

namespace backoff_actor::model_test {

using namespace std::chrono_literals;

const bool default_count_is_set = setenv("RC_PARAMS", "max_success=2000", 0) == 0;

enum class Kind {
  submit,
  persisted,
  child_started,
  start_failed,
  child_down,
  acknowledged,
  error_answer,
  child_alive,
  advance,
  wake,
  stop,
};

// One input in the making: what it refers to is looked up when its turn comes, so that a walk from
// which inputs were dropped still makes sense.
struct Command {
  Kind kind;
  std::uint32_t a; // which of the hand-overs, incarnations, spans ...
  std::uint32_t b; // which variant
};

void showValue(const Command& command, std::ostream& out) {
  static const char* const names[] = {"submit",     "persisted",    "child_started", "start_failed",
                                      "child_down", "acknowledged", "error_answer",  "child_alive",
                                      "advance",    "wake",         "stop"};
  out << names[static_cast<int>(command.kind)] << "(" << command.a << ", " << command.b << ")";
}

rc::Gen<Command> arbitrary_command() {
  return rc::gen::build<Command>(
    rc::gen::set(&Command::kind, rc::gen::weightedElement<Kind>({{30, Kind::submit},
                                                                 {20, Kind::persisted},
                                                                 {25, Kind::child_started},
                                                                 {5, Kind::start_failed},
                                                                 {15, Kind::child_down},
                                                                 {30, Kind::acknowledged},
                                                                 {20, Kind::error_answer},
                                                                 {15, Kind::child_alive},
                                                                 {25, Kind::advance},
                                                                 {5, Kind::wake},
                                                                 {1, Kind::stop}})),
    rc::gen::set(&Command::a, rc::gen::inRange<std::uint32_t>(0, 1000)),
    rc::gen::set(&Command::b, rc::gen::inRange<std::uint32_t>(0, 1000)));
}

class Walk {
public:
  Walk(RestartTiming restart, bool persist, std::uint64_t seed)
    : initial_(
      ExponentialBackOffSpec{.ceiling = 4, .stay_at_ceiling = seed % 2 == 0, .seed = seed}),
      reference_(restart, persist, initial_) {
    EngineOptions options;
    options.backoff = initial_;
    options.restart = restart;
    options.persist = persist;
    options.on_event = [this](const Event& event) { note(event); };
    engine_ =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
    step(input::Start{}, [&] { reference_.start(); });
  }

  void take(const Command& command) {
    switch (command.kind) {
    case Kind::submit:
      return step(input::Submit{}, [&] { reference_.submit(); });
    case Kind::persisted:
      return take_persisted(command);
    case Kind::child_started: {
      const auto which = incarnation(command);
      return step(input::ChildStarted{which}, [&] { reference_.child_started(which); });
    }
    case Kind::start_failed: {
      const auto which = incarnation(command);
      return step(input::StartFailed{which, {1, "start"}},
                  [&] { reference_.start_failed(now_, which); });
    }
    case Kind::child_down: {
      const auto which = incarnation(command);
      const auto code = command.a % 3; // 0 is a normal stop
      return step(input::ChildDown{which, {code, "down"}},
                  [&] { reference_.child_down(now_, which, code); });
    }
    case Kind::acknowledged: {
      const auto name = hand_over(command);
      return step(input::Acknowledged{name}, [&] { reference_.acknowledged(name); });
    }
    case Kind::error_answer: {
      const input::ErrorAnswer answer{
        hand_over(command), {1 + command.b % 2, "error"}, command.b % 5 == 0, command.b % 7 == 0};
      return step(answer, [&] { reference_.error_answer(answer); });
    }
    case Kind::child_alive: {
      const auto which = incarnation(command);
      const auto probe = command.a % 8 == 0 ? command.b % 10 : reference_.probe_out;
      return step(input::ChildAlive{which, probe}, [&] { reference_.child_alive(which, probe); });
    }
    case Kind::advance:
      now_ = now_ + Duration{1ms} * (command.a % 200);
      if (!wake_ || now_ < *wake_)
        return;
      [[fallthrough]];
    case Kind::wake:
      wake_.reset();
      return step(input::Wake{}, [&] { reference_.wake(now_); });
    case Kind::stop:
      return step(input::Stop{}, [&] { reference_.stop(); });
    }
  }

  // Nothing that was accepted is unaccounted for, whatever happened before.
  void finish() {
    step(input::Stop{}, [&] { reference_.stop(); });
    for (const auto& [delivery, ends] : endings_)
      RC_ASSERT(ends == 1);
  }

private:
  template <class F>
  void step(const Input& input, F on_reference) {
    Effects effects;
    const auto due_before = engine_->due();
    const auto incarnation_before = engine_->incarnation();
    engine_->step(now_, input, effects);
    std::vector<std::string> asked;
    std::vector<std::pair<std::uint64_t, HandOverId>> names;
    std::vector<std::uint32_t> probes;
    reference_.taken.clear();
    on_reference();
    for (const auto& effect : effects)
      std::visit([&](const auto& x) { carry_out(x, asked, names, probes); }, effect);
    RC_ASSERT(asked == reference_.taken);
    for (const auto& [delivery, name] : names)
      reference_.named(delivery, name);
    for (const auto probe : probes)
      reference_.probe_sent(probe);

    RC_ASSERT(attempts_told_ == reference_.attempts_of_ended);
    RC_ASSERT(engine_->phase() == reference_.phase());
    RC_ASSERT(engine_->owed() == reference_.owed.size());
    RC_ASSERT(engine_->backoff() == reference_.backoff);
    RC_ASSERT(engine_->incarnation() == reference_.incarnation);
    RC_ASSERT(engine_->due() == reference_.due.value_or(Instant::never()));
    check_invariants(due_before, incarnation_before, std::holds_alternative<input::Wake>(input));
  }

  void check_invariants(Instant due_before, std::uint32_t incarnation_before, bool is_wake) {
    // A wake-up is out whenever a delay runs, and in time.
    if (engine_->phase() == Phase::waiting)
      RC_ASSERT(wake_ && *wake_ <= engine_->due());
    // Only a tick or the end ends a delay, and nothing shortens it.
    if (due_before != Instant::never() && !is_wake && engine_->phase() != Phase::stopped)
      RC_ASSERT(engine_->due() >= due_before);
    // Incarnations are counted one by one.
    RC_ASSERT(engine_->incarnation() - incarnation_before <= 1);
    // Somebody is being asked as long as an error is held.
    if (reference_.any_held() && engine_->phase() != Phase::stopped)
      RC_ASSERT(reference_.probe_out != 0 || reference_.child != ReferenceSender::Child::alive);
    // Nothing that could be handed over is left lying.
    if (engine_->phase() == Phase::running)
      for (const auto& x : reference_.owed) {
        if (!x.is_stored)
          break;
        RC_ASSERT(!x.hand_overs.empty()
                  && x.hand_overs.back().incarnation == engine_->incarnation());
      }
  }

  // -- effects ----------------------------------------------------------------------

  using Lines = std::vector<std::string>;
  using Names = std::vector<std::pair<std::uint64_t, HandOverId>>;
  using Probes = std::vector<std::uint32_t>;

  std::string name(std::uint32_t slot) const { return std::to_string(in_slot_.at(slot)); }

  void carry_out(const effect::Accept& x, Lines& asked, Names&, Probes&) {
    RC_ASSERT(in_slot_.count(x.slot) == 0u); // nobody's slot is given away
    in_slot_[x.slot] = x.delivery;
    endings_[x.delivery] = 0;
    asked.push_back("accept " + std::to_string(x.delivery));
  }
  void carry_out(const effect::Refuse&, Lines& asked, Names&, Probes&) {
    asked.emplace_back("refuse");
  }
  void carry_out(const effect::Persist& x, Lines&, Names&, Probes&) {
    to_persist_.emplace_back(x.slot, x.delivery);
  }
  void carry_out(const effect::StartChild& x, Lines& asked, Names&, Probes&) {
    asked.push_back("start child " + std::to_string(x.incarnation));
  }
  void carry_out(const effect::StopChild& x, Lines& asked, Names&, Probes&) {
    asked.push_back("stop child " + std::to_string(x.incarnation));
  }
  void carry_out(const effect::HandOver& x, Lines& asked, Names& names, Probes&) {
    const auto delivery = in_slot_.at(x.slot);
    names.emplace_back(delivery, x.hand_over);
    // Once per incarnation, in order of submission, and under a name never used before.
    RC_ASSERT(handed_.insert({engine_->incarnation(), delivery}).second);
    RC_ASSERT(last_handed_[engine_->incarnation()] < delivery);
    last_handed_[engine_->incarnation()] = delivery;
    RC_ASSERT(std::find(hand_overs_.begin(), hand_overs_.end(), x.hand_over) == hand_overs_.end());
    hand_overs_.push_back(x.hand_over);
    asked.push_back("hand over " + std::to_string(delivery));
  }
  void carry_out(const effect::Probe& x, Lines&, Names&, Probes& probes) {
    probes.push_back(x.probe);
  }
  void carry_out(const effect::HoldAnswer& x, Lines&, Names&, Probes&) {
    held_answers_.insert(in_slot_.at(x.slot));
  }
  void carry_out(const effect::Acknowledge& x, Lines& asked, Names&, Probes&) {
    asked.push_back("acknowledge " + name(x.slot));
    end(x.slot);
  }
  void carry_out(const effect::DeadLetter& x, Lines& asked, Names&, Probes&) {
    asked.push_back("dead letter " + name(x.slot) + " " + std::string{to_string(x.reason)});
    // There is an error to give to the client.
    RC_ASSERT(x.reason != DeadLetterReason::rejected
              || held_answers_.count(in_slot_.at(x.slot)) == 1u);
    end(x.slot);
  }
  void carry_out(const effect::WakeAt& x, Lines&, Names&, Probes&) { wake_ = x.at; }

  void end(std::uint32_t slot) {
    ++endings_[in_slot_.at(slot)];
    in_slot_.erase(slot);
  }

  void note(const Event& event) {
    if (const auto* x = std::get_if<event::Acknowledged>(&event))
      attempts_told_[x->delivery] = x->attempts;
    else if (const auto* y = std::get_if<event::DeadLettered>(&event))
      attempts_told_[y->delivery] = y->attempts;
  }

  // -- what a command refers to -------------------------------------------------------

  std::uint32_t incarnation(const Command& command) const {
    return command.b % 6 == 0 ? command.a % 5 : engine_->incarnation();
  }

  // Mostly one of the recent hand-overs, sometimes any that ever was, sometimes one that never was.
  HandOverId hand_over(const Command& command) const {
    if (hand_overs_.empty() || command.b % 11 == 0)
      return HandOverId{command.a};
    const auto size = hand_overs_.size();
    const auto recent = std::min<std::size_t>(size, 6);
    return command.b % 4 == 0 ? hand_overs_[command.a % size]
                              : hand_overs_[size - 1 - command.a % recent];
  }

  void take_persisted(const Command& command) {
    if (to_persist_.empty())
      return;
    const auto [slot, delivery] = to_persist_[command.a % to_persist_.size()];
    step(input::Persisted{slot, delivery}, [&] {
      if (!reference_.is_stopped)
        reference_.persisted(delivery);
    });
  }

  ExponentialBackOff initial_;
  ReferenceSender reference_;
  std::unique_ptr<SenderEngine> engine_;
  Instant now_{1s};
  std::optional<Instant> wake_;
  std::map<std::uint32_t, std::uint64_t> in_slot_;
  std::map<std::uint64_t, int> endings_;
  std::map<std::uint64_t, std::uint32_t> attempts_told_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> to_persist_;
  std::vector<HandOverId> hand_overs_;
  std::set<std::uint64_t> held_answers_; // deliveries
  std::set<std::pair<std::uint32_t, std::uint64_t>> handed_;
  std::map<std::uint32_t, std::uint64_t> last_handed_;
};

bool walks_agree(RestartTiming restart, bool persist) {
  return rc::check([=](std::uint64_t seed) {
    const auto commands =
      *rc::gen::scale(3.0, rc::gen::container<std::vector<Command>>(arbitrary_command()));
    Walk walk{restart, persist, seed};
    for (const auto& command : commands)
      walk.take(command);
    walk.finish();
  });
}

TEST(sender_engine_walk, agrees_with_the_reference_when_children_restart_at_once) {
  EXPECT_TRUE(walks_agree(RestartTiming::at_once, false));
}

TEST(sender_engine_walk, agrees_with_the_reference_when_children_restart_at_the_tick) {
  EXPECT_TRUE(walks_agree(RestartTiming::at_tick, false));
}

TEST(sender_engine_walk, agrees_with_the_reference_when_deliveries_are_stored_first) {
  EXPECT_TRUE(walks_agree(RestartTiming::at_once, true));
}

TEST(sender_engine_walk, agrees_with_the_reference_when_deliveries_are_stored_and_children_wait) {
  EXPECT_TRUE(walks_agree(RestartTiming::at_tick, true));
}

} // namespace backoff_actor::model_test
