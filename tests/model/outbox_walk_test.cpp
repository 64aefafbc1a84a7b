// Random walks of deliveries through an outbox with its turns and, beside it, through the
// reference. After every step both must hold the same deliveries in the same order, and name the
// same one as the next.
//
// common/random_walk.hpp says how a failing walk is shrunk, printed and repeated.

#include "backoff_actor/delivery/internal/delivery_slots.hpp"
#include "backoff_actor/delivery/internal/hand_over_order.hpp"
#include "common/random_walk.hpp"
#include "reference_outbox.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test::outbox_walk {

using namespace std::chrono_literals;

namespace {

using Number = ReferenceOutbox::Number;
using Slot = DeliverySlots::Slot;

enum class Action : std::uint8_t {
  submit,
  submit_unstored,
  submit_scheduled,
  store,
  take,
  take_fresh,
  give_back,
  pause,
  touch,
  make_ghost,
  end,
  advance,
  end_all_pauses,
  flood,
  ask,
};

constexpr test::Choice<Action> actions[] = {{200, Action::submit, "submit"},
                                            {40, Action::submit_unstored, "submit_unstored"},
                                            {40, Action::submit_scheduled, "submit_scheduled"},
                                            {40, Action::store, "store"},
                                            {200, Action::take, "take"},
                                            {40, Action::take_fresh, "take_fresh"},
                                            {80, Action::give_back, "give_back"},
                                            {60, Action::pause, "pause"},
                                            {30, Action::touch, "touch"},
                                            {30, Action::make_ghost, "make_ghost"},
                                            {180, Action::end, "end"},
                                            {60, Action::advance, "advance"},
                                            {5, Action::end_all_pauses, "end_all_pauses"},
                                            {1, Action::flood, "flood"},
                                            {60, Action::ask, "ask"}};

// The number says with which of those that it can be done with, or how far, or which key.
using Step = test::DrawnStep<Action, actions>;

class OutboxWalk {
public:
  explicit OutboxWalk(Ordering ordering)
    : ordering_(ordering), order_(outbox_, ordering), reference_(ordering) {}

  void take(const Step& step) {
    switch (step.action) {
    case Action::submit:
    case Action::submit_unstored:
      submit(step.number % 4, step.action == Action::submit);
      break;
    case Action::submit_scheduled:
      schedule(step.number);
      break;
    case Action::store:
      with_one(
        step.number, [](const auto& x) { return !x.stored; },
        [this](Number number, Slot slot) {
          outbox_[slot].is_unstored = false;
          reference_.store(number);
        });
      break;
    case Action::take:
      hand_over(order_.next());
      break;
    case Action::take_fresh:
      hand_over(order_.next_fresh());
      break;
    case Action::give_back:
      with_one(step.number, is_returnable, [this](Number number, Slot slot) {
        outbox_.unlink(with_child_, slot);
        order_.give_back(slot);
        reference_.give_back(number);
      });
      break;
    case Action::pause:
      pause(step.number);
      break;
    case Action::touch:
      with_one(step.number, is_with_child, [this](Number number, Slot slot) {
        outbox_.unlink(with_child_, slot);
        outbox_.append(with_child_, slot);
        reference_.touch(number);
      });
      break;
    case Action::make_ghost:
      with_one(step.number, is_returnable, [this](Number number, Slot slot) {
        outbox_.make_ghost(slot);
        reference_.make_ghost(number);
      });
      break;
    case Action::end:
      with_one(
        step.number, [](const auto&) { return true; },
        [this](Number number, Slot) { end(number); });
      break;
    case Action::advance:
      advance(step.number);
      break;
    case Action::end_all_pauses:
      order_.end_all_pauses();
      reference_.end_all_pauses();
      break;
    case Action::flood:
      flood();
      break;
    case Action::ask:
      ask(step.number);
      break;
    }
    compare();
  }

  // No name of a hand-over ever means another delivery than its own.
  void finish() const {
    for (const auto& [name, number] : names_)
      compare_found(name, number);
  }

  std::string story() const { return ordering_ == Ordering::per_key ? "per_key" : "not per_key"; }

private:
  static bool is_with_child(const ReferenceOutbox::Owed& x) {
    return x.at == ReferenceOutbox::At::child;
  }

  static bool is_returnable(const ReferenceOutbox::Owed& x) {
    return is_with_child(x) && !x.is_ghost;
  }

  // Does it with one of those that the reference says it can be done with, if there is any.
  template <class Predicate, class Action>
  void with_one(std::uint32_t which, Predicate can, Action action) {
    std::vector<Number> those;
    for (const auto& [number, x] : reference_.all())
      if (can(x))
        those.push_back(number);
    if (those.empty())
      return;
    const auto number = those[which % those.size()];
    action(number, slots_.at(number));
  }

  void submit(std::uint64_t key, bool stored) {
    const auto number = ++last_;
    const auto slot = outbox_.push(number, now_);
    RC_ASSERT(outbox_[slot].submitted_at == now_);
    outbox_[slot].key = key;
    outbox_[slot].is_unstored = !stored;
    order_.add(slot);
    slots_[number] = slot;
    reference_.submit(number, key, stored);
  }

  // Many have the same time.
  void schedule(std::uint32_t how) {
    submit(how % 4, how % 7 != 0);
    const auto at = now_ + (1 + how / 28 % 5) * 20ms;
    order_.schedule(slots_.at(last_), at);
    reference_.schedule(last_, at);
  }

  void hand_over(Slot slot) {
    if (slot == DeliverySlots::none)
      return;
    const auto number = outbox_[slot].id;
    RC_ASSERT(slots_.at(number) == slot);
    order_.take(slot);
    outbox_.append(with_child_, slot);
    const auto name = outbox_.hand_over(slot, ++hand_overs_, 7);
    RC_ASSERT(outbox_[slot].incarnation == hand_overs_);
    RC_ASSERT(outbox_[slot].epoch == 7U);
    RC_ASSERT(names_.emplace(name, number).second);
    reference_.hand_over(number, name);
  }

  // From the child, or, for every second, from where it came back to.
  void pause(std::uint32_t which) {
    const auto until = now_ + which * 3ms;
    with_one(
      which / 2,
      [=](const auto& x) {
        return which % 2 == 0 ? is_returnable(x)
                              : x.at == ReferenceOutbox::At::home && !x.hand_overs.empty();
      },
      [=, this](Number number, Slot slot) {
        if (which % 2 == 0)
          outbox_.unlink(with_child_, slot);
        order_.pause(slot, until);
        reference_.pause(number, until);
      });
  }

  // Every third time just to the end of a pause.
  void advance(std::uint32_t how) {
    const auto end = reference_.next_pause_end();
    now_ = how % 3 == 0 && end != Instant::never() ? end : now_ + how * 1ms;
    order_.end_pauses(now_);
    reference_.end_pauses(now_);
  }

  void end(Number number) {
    const auto slot = slots_.at(number);
    order_.remove(slot);
    if (is_with_child(reference_.all().at(number)))
      outbox_.unlink(with_child_, slot);
    outbox_.erase(slot);
    RC_ASSERT(!outbox_.holds(slot, number));
    slots_.erase(number);
    reference_.end(number);
  }

  // A backlog that is large enough to be given back when it is worked off.
  void flood() {
    const auto first = last_ + 1;
    for (std::size_t i = 0; i <= DeliverySlots::kept_size; ++i)
      submit(0, true);
    hand_over(order_.next());
    for (auto number = first; number <= last_; ++number)
      end(number);
    if (outbox_.empty() && reference_.all().empty())
      RC_ASSERT(outbox_.reserved() == 0U);
  }

  void ask(std::uint32_t which) const {
    if (names_.empty())
      return;
    const auto& [name, number] =
      *std::next(names_.begin(), static_cast<std::ptrdiff_t>(which % names_.size()));
    compare_found(name, number);
    const auto unknown = HandOverId::make(name.slot(), name.tag() + 1000);
    RC_ASSERT(outbox_.find(unknown) == DeliverySlots::none);
  }

  void compare_found(HandOverId name, Number number) const {
    const auto owed = reference_.all().find(number);
    if (owed == reference_.all().end()) {
      RC_ASSERT(outbox_.find(name) == DeliverySlots::none);
      return;
    }
    const auto slot = slots_.at(number);
    RC_ASSERT(outbox_.find(name) == slot);
    RC_ASSERT(outbox_.is_latest(slot, name) == (owed->second.hand_overs.back() == name));
  }

  void compare() const {
    const auto size = reference_.owed().size() + reference_.put_off().size();
    RC_ASSERT(outbox_.size() == size);
    RC_ASSERT(outbox_.empty() == (size == 0));
    RC_ASSERT(order_.size_scheduled() == reference_.size_scheduled());
    RC_ASSERT(numbers_of(order_.all_put_off()) == reference_.put_off());
    RC_ASSERT(numbers_from(outbox_.front(), [this](Slot x) { return outbox_.next(x); })
              == reference_.owed());
    RC_ASSERT(numbers_from(with_child_.first, [this](Slot x) { return outbox_.next_in_list(x); })
              == reference_.with_child());
    RC_ASSERT(with_child_.count == reference_.with_child().size());
    RC_ASSERT(slot_of(reference_.next()) == order_.next());
    RC_ASSERT(slot_of(reference_.next_fresh()) == order_.next_fresh());
    RC_ASSERT(order_.next_pause_end() == reference_.next_pause_end());
    for (const auto& [number, x] : reference_.all()) {
      const auto slot = slots_.at(number);
      RC_ASSERT(outbox_.holds(slot, number));
      RC_ASSERT(outbox_[slot].is_ghost == x.is_ghost);
      RC_ASSERT(outbox_[slot].place == place_of(number, x));
      if (x.hand_overs.empty())
        RC_ASSERT(outbox_.find(HandOverId::make(slot, 0)) == DeliverySlots::none);
    }
  }

  std::vector<Number> numbers_of(const std::vector<Slot>& slots) const {
    std::vector<Number> result;
    for (const auto slot : slots)
      result.push_back(outbox_[slot].id);
    return result;
  }

  template <class Next>
  std::vector<Number> numbers_from(Slot slot, Next next) const {
    std::vector<Number> result;
    for (; slot != DeliverySlots::none && result.size() <= slots_.size(); slot = next(slot))
      result.push_back(outbox_[slot].id);
    return result;
  }

  Slot slot_of(std::optional<Number> number) const {
    return number ? slots_.at(*number) : DeliverySlots::none;
  }

  Place place_of(Number number, const ReferenceOutbox::Owed& x) const {
    if (is_with_child(x))
      return Place::in_flight;
    if (reference_.is_put_off(x))
      return Place::scheduled;
    if (x.at == ReferenceOutbox::At::pausing)
      return Place::pausing;
    if (!x.hand_overs.empty())
      return Place::ready;
    return reference_.is_blocked(number) ? Place::blocked : Place::fresh;
  }

  Ordering ordering_;
  DeliverySlots outbox_;
  HandOverOrder order_;
  ReferenceOutbox reference_;
  DeliverySlots::List with_child_;
  std::map<Number, Slot> slots_{}; // of all that have not ended
  std::map<HandOverId, Number> names_{};
  Number last_ = 0;
  std::uint32_t hand_overs_ = 0;
  Instant now_{1h};
};

} // namespace

TEST(outbox_walk, agrees_with_the_reference_in_what_is_owed_and_whose_turn_it_is) {
  const auto make_walk = [] {
    return OutboxWalk{*rc::gen::element(Ordering::strict, Ordering::per_key, Ordering::unordered)};
  };
  EXPECT_TRUE(
    test::walks_hold(make_walk, 3.0, Step::any(rc::gen::inRange<std::uint32_t>(0, 1000))));
}

} // namespace backoff_actor::model_test::outbox_walk
