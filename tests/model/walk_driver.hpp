#pragma once

#include "contract.hpp"
#include "walk_command.hpp"
#include "walk_lookup.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace backoff_actor::model_test {

/// Resolves the commands of a walk to inputs: looks up what they refer to in the contract, and
/// keeps the clock. What a step does with an input is left to the walk.
class WalkDriver {
public:
  explicit WalkDriver(const Conditions& conditions) : conditions_(conditions) {}

  virtual ~WalkDriver() = default;

  /// Lets another store, which is well, take all that is to be stored when all is worked off.
  void store_by(std::function<void()> store_all) { store_all_ = std::move(store_all); }

  Instant now() const { return now_; }

  void start(std::uint64_t last_number) { step(input::Start{last_number}); }
  void restore(const input::Restore& x) { step(x); }

  /// The store's word on a delivery that there is or was.
  void answer(std::uint64_t id, bool is_stored) {
    const auto slot = account().deliveries.at(id).slot;
    if (is_stored)
      step(input::Persisted{slot, id});
    else
      step(input::NotPersisted{slot, id, {9, "no room for " + number(id)}});
  }

  /// The store's word on the payloads of a delivery.
  void answer_replaced(std::uint64_t id, std::uint32_t weight, bool is_new) {
    step(input::Replaced{account().deliveries.at(id).slot, id, weight, is_new});
  }

  /// The store knows what becomes of a cancelled delivery.
  void answer_cancelled(std::uint64_t id) {
    step(input::CancelStored{account().deliveries.at(id).slot, id});
  }

  void take(const Command& x) {
    switch (x.kind) {
    case Kind::submit:
      return step(input::Submit{.deadline = deadline(x, now_),
                                .key = x.key(),
                                .weight = x.weight(),
                                .has_source = options_.persist && x.has_source(),
                                .own = x.own(now_)});
    case Kind::unreadable:
      if (options_.persist)
        step(input::Unreadable{{9, "no decoder"}});
      return;
    case Kind::join:
      return take_join(x);
    case Kind::cancel:
      return take_cancel(x);
    case Kind::replace:
      return take_replace(x);
    case Kind::replaced:
      return take_replaced(x);
    case Kind::cancel_stored:
      return take_cancel_stored(x);
    case Kind::persisted:
      return take_persisted(x);
    case Kind::restore:
      return take_restore(x);
    case Kind::child_started:
      return step(input::ChildStarted{child(x, account())});
    case Kind::start_failed:
      return step(input::StartFailed{
        child(x, account()), {x.code(), "start failed"}, x.verdict(), x.reason()});
    case Kind::child_down:
      return take_child_down(x);
    case Kind::acknowledged:
      return step(input::Acknowledged{hand_over(x, account())});
    case Kind::error_answer:
      return step(input::ErrorAnswer{hand_over(x, account()), x.error(), x.is_bounce(),
                                     x.is_settled(), x.decision()});
    case Kind::child_alive:
      return take_child_alive(x);
    case Kind::nacked:
      return step(input::Nacked{hand_over(x, account()), x.error(), x.retry_after(), x.blame(),
                                hand_over(x, account()).value, x.reason()});
    case Kind::rejected:
      return step(input::Rejected{hand_over(x, account()), x.error()});
    case Kind::working: {
      const auto name = hand_over(x, account());
      return step(input::Working{name, name.value, x.note()});
    }
    case Kind::tick:
      return tick();
    case Kind::advance:
      now_ = now_ + x.span();
      if (account().wake_up && *account().wake_up <= now_)
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
      return start(x.jump() == 0 ? 0 : account().store.last_number() + x.jump());
    case Kind::stop:
      return x.how % 4 == 0 ? step(input::Kill{}) : step(input::Stop{x.how % 4 != 1});
    case Kind::finish:
      return step(input::Finish{x.grace() ? now_ + *x.grace() : Instant::never(), x.finish_ends()});
    case Kind::store_behind:
      return step(input::StoreBehind{x.is_store_behind(),
                                     x.is_store_failing() ? Cause{9, "no room"} : Cause{}});
    case Kind::others_succeed:
      if (options_.guard)
        ++static_cast<OpenGuard&>(*options_.guard).others;
      return;
    case Kind::sure_until:
      return step(input::SureUntil{x.sure_for() ? now_ + *x.sure_for() : Instant::never()});
    }
  }

protected:
  virtual void step(const Input& input) = 0;
  virtual Contract& account() = 0;

  void store_all() {
    if (store_all_)
      return store_all_();
    for (const auto id : account().store.awaited())
      answer(id, true);
    for (const auto id : std::set<std::uint64_t>{account().unwritten})
      answer_replaced(id, 1, true);
    for (const auto id : std::set<std::uint64_t>{account().gone})
      answer_cancelled(id);
  }

  void work(std::uint32_t which, bool is_well) {
    using State = KnownChild::State;
    auto& child = account().children.at(which);
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
    const auto awaited = account().store.awaited();
    const auto& all = account().deliveries;
    if (!awaited.empty() && x.hand_over() == Command::HandOver::held)
      answer(awaited[x.which() % awaited.size()], is_stored);
    else if (options_.persist && !all.empty())
      answer(std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size()))->first,
             is_stored);
  }

  // Any delivery that ever was.
  void take_join(const Command& x) {
    const auto& all = account().deliveries;
    if (all.empty())
      return;
    const auto& [id, known] =
      *std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size()));
    step(input::Join{known.slot, id, x.joins_until_stored()});
  }

  struct Target {
    std::uint32_t slot;
    std::uint64_t delivery;
  };

  // Mostly one that is owed, which a child may have; else any that ever was, or none.
  std::optional<Target> target(const Command& x) {
    std::vector<std::uint64_t> owed;
    for (const auto& [id, known] : account().deliveries)
      if (known.is_owed || x.hand_over() == Command::HandOver::ever)
        owed.push_back(id);
    if (owed.empty())
      return std::nullopt;
    const auto id = owed[x.which() % owed.size()];
    return Target{account().deliveries.at(id).slot,
                  x.hand_over() == Command::HandOver::never ? id + 1'000'000 : id};
  }

  void take_cancel(const Command& x) {
    if (const auto it = target(x))
      step(input::Cancel{it->slot, it->delivery, x.wants_letter()});
  }

  void take_replace(const Command& x) {
    if (const auto it = target(x))
      step(input::Replace{it->slot, it->delivery, x.weight()});
  }

  // Mostly of one that waits for that.
  void take_replaced(const Command& x) {
    const auto is_new = x.how % 100 >= store_failures_of(conditions_);
    const auto& all = account().unwritten;
    if (!all.empty() && x.hand_over() == Command::HandOver::held)
      answer_replaced(*std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size())),
                      x.weight(), is_new);
    else if (const auto it = target(x))
      step(input::Replaced{it->slot, it->delivery, x.weight(), is_new});
  }

  // Mostly of one that waits for that.
  void take_cancel_stored(const Command& x) {
    const auto& all = account().gone;
    if (!all.empty() && x.hand_over() == Command::HandOver::held)
      answer_cancelled(
        *std::next(all.begin(), static_cast<std::ptrdiff_t>(x.which() % all.size())));
    else if (const auto it = target(x))
      step(input::CancelStored{it->slot, it->delivery});
  }

  void take_restore(const Command& x) {
    const auto last = account().store.last_number();
    const auto delivery =
      x.step() > 0 ? last + x.step() : last - std::min<std::uint64_t>(last, x.back());
    auto own = x.own(now_);
    if (x.how % 7 >= 5) { // it was cancelled while a child had it, or its child has left a note
      auto left = own ? *own : input::OwnTerms{};
      left.is_cancelled = x.how % 7 == 6;
      left.wants_letter = x.wants_letter();
      left.has_note = !left.is_cancelled;
      own = std::make_shared<const input::OwnTerms>(std::move(left));
    }
    restore({delivery, x.attempts(), 0, now_ + -x.age(),
             x.time_left() ? now_ + *x.time_left() : Instant::never(), x.key(), x.weight(),
             std::move(own)});
  }

  std::uint64_t gap() const { return static_cast<std::uint64_t>(conditions_.gap); }

  void take_child_down(const Command& x) {
    auto decision = Decision{x.verdict(), Command::retry_after(x.how / 5), x.blame()};
    decision.reason = x.reason();
    step(input::ChildDown{child(x, account()), {x.code(), "down"}, decision, x.end()});
  }

  void take_child_alive(const Command& x) {
    const auto which = child(x, account());
    auto probe = x.how % 16;
    const auto known = account().children.find(which);
    if (x.how % 8 != 7 && known != account().children.end() && known->second.probe)
      probe = *known->second.probe;
    step(input::ChildAlive{which, probe});
  }

  void tick() {
    if (!account().wake_up)
      return;
    now_ = std::max(now_, *account().wake_up);
    step(input::Wake{});
  }

  // At once, or just too early.
  void take_wake(const Command& x) {
    if (x.how % 2 == 1 && account().wake_up)
      now_ = std::max(now_, *account().wake_up + Duration{-1});
    step(input::Wake{});
  }

  Conditions conditions_;
  EngineOptions options_ = options_of(conditions_);
  Instant now_{std::chrono::seconds{1}};
  std::uint32_t tickets_ = 0;
  std::function<void()> store_all_;
};

} // namespace backoff_actor::model_test
