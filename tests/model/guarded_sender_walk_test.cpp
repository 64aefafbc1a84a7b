// Random walks of one guarded sender, with a child or a pool, and with others who share its guard.
// Whatever comes:
//  - a child is made or handed something only with a permit of the guard;
//  - the sender reports the outcome of each permit once;
//  - no more calls are made than the rate says, each with a permit of that moment;
//  - when the service is well again, everything that is owed is done, so no guard stalls a sender.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/internal/guard.hpp"
#include "calls_of_rate.hpp"
#include "common/random_walk.hpp"
#include "guarded_setting.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test::guarded_sender_walk {

namespace {

/// Keeps account of what is admitted and told.
class AccountingGuard final : public GuardPort {
public:
  explicit AccountingGuard(const GuardOptions& options) : guard(options, 7), calls(options.rate) {}

  Admission admit(Instant now, Call call) override {
    return note(now, call, guard.admit(now, call));
  }
  Admission admit_retry(Instant now, double cost) override {
    RC_ASSERT(cost == 0 || cost == 1 || cost == 3);
    const auto answer = guard.admit_retry(now, cost);
    const auto* const held_back = std::get_if<HeldBack>(&answer);
    const auto is_by_budget = held_back != nullptr && held_back->reason == HeldBackBy::retry_budget;
    RC_ASSERT(cost > 0 || !is_by_budget);
    return note(now, Call::retry, answer);
  }
  Admission note(Instant now, Call call, const Admission& answer) {
    if (std::holds_alternative<Permit>(answer)) {
      ++admitted;
      ++out;
      has_permit_of_now = call != Call::start;
    } else {
      const auto until = std::get<HeldBack>(answer).until;
      RC_ASSERT(until > now);
    }
    return answer;
  }
  void succeeded(Permit permit, Instant now) override {
    end(permit);
    guard.succeeded(permit, now);
  }
  void failed(Permit permit, Instant now) override {
    end(permit);
    guard.failed(permit, now);
  }
  void forgotten(Permit permit, Instant now) override {
    end(permit);
    guard.forgotten(permit, now);
  }
  bool is_closed() const override { return guard.is_closed(); }

  void end(Permit permit) {
    RC_ASSERT(static_cast<bool>(permit));
    RC_ASSERT(out > 0);
    --out;
  }

  // What somebody else is allowed, of which nobody keeps account but the rate.
  std::optional<Permit> admit_other(Instant now) {
    const auto answer = guard.admit(now, Call::first);
    if (!std::holds_alternative<Permit>(answer))
      return std::nullopt;
    calls.add(now);
    return std::get<Permit>(answer);
  }

  Guard guard;
  CallsOfRate calls;
  int admitted = 0;
  int out = 0;
  bool has_permit_of_now = false; // for a call, in this step
};

enum class Action : std::uint8_t {
  submit,
  child_started,
  start_failed,
  child_down,
  acknowledged,
  nacked,
  rejected,
  error_answer,
  tick,
  advance,
  someone_else_calls,
  isolate,
  close,
  retry_now,
  pause,
  resume,
  store_answers,
  finish // seldom
};

// From the simplest on.
constexpr test::Choice<Action> actions[] = {{2, Action::submit, "submit"},
                                            {1, Action::child_started, "child_started"},
                                            {1, Action::start_failed, "start_failed"},
                                            {1, Action::child_down, "child_down"},
                                            {2, Action::acknowledged, "acknowledged"},
                                            {1, Action::nacked, "nacked"},
                                            {1, Action::rejected, "rejected"},
                                            {1, Action::error_answer, "error_answer"},
                                            {1, Action::tick, "tick"},
                                            {1, Action::advance, "advance"},
                                            {1, Action::someone_else_calls, "someone_else_calls"},
                                            {1, Action::isolate, "isolate"},
                                            {1, Action::close, "close"},
                                            {1, Action::retry_now, "retry_now"},
                                            {1, Action::pause, "pause"},
                                            {1, Action::resume, "resume"},
                                            {2, Action::store_answers, "store_answers"},
                                            {1, Action::finish, "finish"}};

using Step = test::DrawnStep<Action, actions>;

/// One sender, its children, and somebody else who shares the guard.
class GuardedWalk {
public:
  explicit GuardedWalk(const Setting& setting)
    : guard_(std::make_shared<AccountingGuard>(guard_of(setting))) {
    auto options = options_of(setting);
    options.guard = guard_;
    engine_ =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
    for (unsigned i = 1; i <= setting.restored; ++i) // without a store none is taken
      step(input::Restore{.delivery = i, .attempts = i % 3, .key = i % 2});
    step(input::Start{setting.restored});
  }

  void take(const Step& drawn) {
    const auto value = drawn.number;
    switch (drawn.action) {
    case Action::submit:
      return step(input::Submit{value % 4 == 0 ? now_ + 250ms : Instant::never(), value % 3});
    case Action::child_started:
      return with_child(value, [&](auto child) { step(input::ChildStarted{child}); });
    case Action::start_failed:
      return with_child(value, [&](auto child) { step(input::StartFailed{child, {2, "no"}}); });
    case Action::child_down:
      return with_child(value, [&](auto child) { down(child, end_of(value)); });
    case Action::acknowledged:
      return with_hand_over(value, [&](HandOverId id) { step(input::Acknowledged{id}); });
    case Action::nacked:
      return with_hand_over(value, [&](HandOverId id) {
        input::Nacked nacked{id, {4, "busy"}};
        nacked.reason = value % 2 == 0 ? "dear" : "free";
        step(nacked);
      });
    case Action::rejected:
      return with_hand_over(value, [&](HandOverId id) { step(input::Rejected{id, {5, "never"}}); });
    case Action::error_answer:
      return with_hand_over(value, [&](HandOverId id) {
        const Decision decision = value % 2 == 0 ? Verdict::retry : Verdict::reject;
        step(input::ErrorAnswer{
          id, {6, "e"}, value % 5 == 0, value % 3 == 0, decision, value % 7 == 0});
      });
    case Action::tick:
      return tick();
    case Action::advance:
      now_ = now_ + std::chrono::milliseconds{value};
      return step(input::Wake{});
    case Action::someone_else_calls:
      return someone_else_calls(value % 3);
    case Action::isolate:
      guard_->guard.isolate(now_);
      return;
    case Action::close:
      guard_->guard.close(now_);
      return step(input::GuardClosed{guard_->guard.options().circuit_breaker->spread});
    case Action::retry_now:
      return step(input::RetryNow{});
    case Action::pause:
      return step(input::Pause{});
    case Action::resume:
      return step(input::Resume{});
    case Action::store_answers:
      return the_store_answers(value % 8 != 0);
    case Action::finish:
      if (value % 40 != 0)
        return;
      is_closing_ = true;
      return step(input::Finish{value % 80 == 0 ? Instant::never() : now_ + 250ms, value % 3 != 0});
    }
  }

  /// The service is well from now on, and nobody else calls it.
  void finish() {
    if (guard_->guard.status(now_).breaker == BreakerState::isolated)
      take({Action::close, 0});
    step(input::Resume{});
    for (const auto& permit : others_)
      guard_->guard.forgotten(permit, now_);
    for (int round = 0; engine_->owed() > 0 && !is_closing_; ++round) {
      RC_ASSERT(round < 2000);
      work_off();
      if (engine_->owed() > 0) {
        RC_ASSERT(wake_at_ != Instant::never());
        tick();
      }
    }
    step(input::Stop{});
    work_off();
    RC_ASSERT(guard_->out == 0);
  }

private:
  template <class Use>
  void with_child(unsigned value, Use use) {
    if (!children_.empty())
      use(*std::next(children_.begin(), static_cast<long>(value % children_.size())));
  }

  template <class Use>
  void with_hand_over(unsigned value, Use use) {
    if (!open_.empty())
      use(HandOverId{*std::next(open_.begin(), static_cast<long>(value % open_.size()))});
  }

  void the_store_answers(bool has_stored) {
    if (being_stored_.empty())
      return;
    const auto x = being_stored_.back();
    being_stored_.pop_back();
    if (has_stored)
      step(input::Persisted{x.slot, x.delivery});
    else
      step(input::NotPersisted{x.slot, x.delivery, {9, "no room"}});
  }

  static input::ChildEnd end_of(unsigned value) {
    const auto x = value / 7 % 4;
    return x < 2    ? input::ChildEnd::own
           : x == 2 ? input::ChildEnd::withdrawn
                    : input::ChildEnd::lost;
  }

  void down(std::uint32_t child, input::ChildEnd end = input::ChildEnd::own) {
    children_.erase(child);
    step(input::ChildDown{child, {3, "down"}, Verdict::retry, end});
  }

  void someone_else_calls(unsigned what) {
    if (what == 0) {
      if (const auto permit = guard_->admit_other(now_))
        others_.push_back(*permit);
    } else if (!others_.empty()) {
      const auto permit = others_.back();
      others_.pop_back();
      what == 1 ? guard_->guard.failed(permit, now_) : guard_->guard.succeeded(permit, now_);
    }
  }

  // Every child starts, those that are told to end do, and all that is handed over is done.
  void work_off() {
    for (bool is_busy = true; is_busy;) {
      is_busy = !being_stored_.empty();
      the_store_answers(true);
      for (const auto child : std::set<std::uint32_t>{children_}) {
        if (told_to_end_.count(child) != 0) {
          is_busy = true;
          down(child);
        } else if (started_.insert(child).second) {
          is_busy = true;
          step(input::ChildStarted{child});
        }
      }
      for (const auto id : std::set<std::uint64_t>{open_}) {
        is_busy = true;
        step(input::Acknowledged{HandOverId{id}});
      }
      for (const auto& [incarnation, probe] : std::exchange(probes_, {})) {
        is_busy = true;
        step(input::ChildAlive{incarnation, probe});
      }
    }
  }

  void tick() {
    if (wake_at_ == Instant::never())
      return;
    now_ = std::max(now_, wake_at_);
    step(input::Wake{});
  }

  void step(const Input& input) {
    if (const auto* const x = std::get_if<input::Acknowledged>(&input))
      open_.erase(x->hand_over.value);
    else if (const auto* const y = std::get_if<input::Rejected>(&input))
      open_.erase(y->hand_over.value);
    else if (const auto* const z = std::get_if<input::Nacked>(&input))
      open_.erase(z->hand_over.value);
    else if (const auto* const w = std::get_if<input::ChildStarted>(&input))
      started_.insert(w->incarnation);
    else if (const auto* const v = std::get_if<input::StartFailed>(&input);
             v != nullptr && started_.count(v->incarnation) == 0) // a child that started is there
      children_.erase(v->incarnation);
    if (std::holds_alternative<input::Wake>(input))
      wake_at_ = Instant::never();
    const auto was_closed = guard_->is_closed();
    guard_->has_permit_of_now = false;
    const auto admitted_before = guard_->admitted;
    Effects effects;
    engine_->step(now_, input, effects);
    auto handed_over = 0;
    for (const auto& effect : effects) {
      RC_ASSERT(!is_closing_
                || (!std::holds_alternative<effect::StartChild>(effect)
                    && !std::holds_alternative<effect::HandOver>(effect)));
      if (const auto* const x = std::get_if<effect::StartChild>(&effect)) {
        children_.insert(x->incarnation);
        if (x->worker == 0 && x->kind == EngineOptions::kind_of_fallback)
          fallbacks_.insert(x->incarnation);
        else // closed before or after, or a probe
          RC_ASSERT(was_closed || guard_->is_closed() || guard_->admitted > admitted_before);
      } else if (const auto* const y = std::get_if<effect::HandOver>(&effect)) {
        open_.insert(y->hand_over.value);
        if (fallbacks_.count(y->incarnation) != 0)
          continue;
        ++handed_over;
        guard_->calls.add(now_);
        RC_ASSERT(guard_->has_permit_of_now);
      } else if (const auto* const z = std::get_if<effect::StopChild>(&effect)) {
        children_.erase(z->incarnation);
      } else if (const auto* const w = std::get_if<effect::TellToEnd>(&effect)) {
        told_to_end_.insert(w->incarnation);
      } else if (const auto* const s = std::get_if<effect::AskToEnd>(&effect)) {
        told_to_end_.insert(s->incarnation);
      } else if (const auto* const v = std::get_if<effect::Probe>(&effect)) {
        probes_[v->incarnation] = v->probe;
      } else if (const auto* const u = std::get_if<effect::WakeAt>(&effect)) {
        wake_at_ = u->at;
      } else if (const auto* const t = std::get_if<effect::Persist>(&effect)) {
        being_stored_.push_back(*t);
      }
    }
    hand_overs_ += handed_over;
    RC_ASSERT(hand_overs_ <= guard_->admitted);
  }

  std::shared_ptr<AccountingGuard> guard_;
  std::unique_ptr<SenderEngine> engine_;
  std::set<std::uint32_t> children_; // asked for, and not known to be down
  std::set<std::uint32_t> started_;
  std::set<std::uint32_t> told_to_end_;
  std::set<std::uint32_t> fallbacks_;
  std::set<std::uint64_t> open_;                  // hand-overs of which nothing came back
  std::map<std::uint32_t, std::uint32_t> probes_; // the last of each child that is out
  std::vector<effect::Persist> being_stored_;
  std::vector<Permit> others_;
  Instant now_{};
  Instant wake_at_ = Instant::never();
  int hand_overs_ = 0;
  bool is_closing_ = false;
};

// The first walks of a test take only the simplest actions.
rc::Gen<Step> arbitrary_step() {
  const auto action = rc::gen::sizedElementOf(test::by_weight(actions));
  return rc::gen::map(rc::gen::pair(action, one_of(400)), [](const std::pair<Action, unsigned>& x) {
    return Step{x.first, x.second};
  });
}

} // namespace

TEST(guarded_sender_walk, calls_only_with_leave_tells_of_each_once_and_never_stalls) {
  const auto make_walk = [] { return GuardedWalk{*arbitrary_setting()}; };
  EXPECT_TRUE(test::walks_hold(make_walk, 4.0, arbitrary_step()));
}

} // namespace backoff_actor::model_test::guarded_sender_walk
