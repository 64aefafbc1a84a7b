// How much a child has to remember: the sender's engine, a link that breaks, and a child that lives
// on.

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/delivery/deduplicator.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "common/seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace backoff_actor::engine_test {

namespace {

using namespace std::chrono_literals;

enum class Works { in_order_of_arrival, in_any_order };
enum class Ends { only_by_confirmation, also_otherwise };

struct Setting {
  Works works = Works::in_order_of_arrival;
  Ends ends = Ends::only_by_confirmation;
  Ordering ordering = Ordering::strict;
};

// Both directions keep their order, and when the link breaks, what is on the way is lost; what the
// child was given it goes on with.
class World {
public:
  World(std::uint64_t seed, const Setting& setting, std::uint32_t window, std::size_t capacity)
    : draw_{seed, 1}, setting_(setting), seen_{capacity} {
    EngineOptions options;
    options.backoff = BackOff{{}, seed, 2};
    options.works_on = WorksOn::many;
    options.ordering = setting.ordering;
    options.max_in_flight = window;
    if (setting.ends == Ends::also_otherwise) {
      options.max_attempts = 6;
      options.charging = Charging::every_failure();
      options.capacity = 3 * window;
      options.overflow = Overflow::drop_oldest;
    }
    engine_ = std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(options));
    // Some worlds break often, some seldom.
    breaks_ = 0.01 + 0.2 * chance();
    take(input::Start{});
  }

  // How often the most frequent delivery was done, after many steps.
  int most_often_done(int steps) {
    for (int n = 0; n < steps; ++n)
      step();
    return most_often_done_;
  }

private:
  struct Message {
    std::uint64_t delivery;
    HandOverId hand_over;
  };

  double chance() { return draw_(next_++); }

  void step() {
    const auto what = chance();
    if (what < breaks_)
      break_link();
    else if (what < 0.4)
      submit();
    else if (what < 0.6)
      arrive();
    else if (what < 0.75)
      work();
    else if (what < 0.95)
      confirm();
    else
      wait();
  }

  void submit() {
    input::Submit news;
    news.key = 1 + static_cast<std::uint64_t>(chance() * 3);
    if (setting_.ends == Ends::also_otherwise && chance() < 0.5)
      news.deadline = now_ + 100ms;
    take(news);
  }

  void arrive() {
    if (to_child_.empty())
      return;
    const auto message = to_child_.front();
    to_child_.pop_front();
    const auto same = std::find_if(begun_.begin(), begun_.end(), [&](const Message& x) {
      return x.delivery == message.delivery;
    });
    if (seen_.find(1, message.delivery) != nullptr)
      to_sender_.push_back(message.hand_over);
    else if (same != begun_.end())
      *same = message;
    else
      begun_.push_back(message);
  }

  void work() {
    if (begun_.empty())
      return;
    const auto index =
      setting_.works == Works::in_order_of_arrival
        ? 0
        : static_cast<std::ptrdiff_t>(chance() * static_cast<double>(begun_.size()));
    const auto message = begun_[static_cast<std::size_t>(index)];
    begun_.erase(begun_.begin() + index);
    most_often_done_ = std::max(most_often_done_, ++times_done_[message.delivery]);
    seen_.remember(1, message.delivery);
    to_sender_.push_back(message.hand_over);
  }

  void confirm() {
    if (to_sender_.empty())
      return;
    const auto hand_over = to_sender_.front();
    to_sender_.pop_front();
    take(input::Acknowledged{hand_over});
  }

  void break_link() {
    to_child_.clear();
    to_sender_.clear();
    if (child_ != 0)
      take(input::ChildDown{child_, {7, "the link is down"}});
  }

  void wait() {
    now_ = std::max(now_ + 20ms, std::min(wake_at_, now_ + 2s));
    take(input::Wake{});
  }

  void take(const Input& input) {
    Effects effects;
    engine_->step(now_, input, effects);
    for (const auto& effect : effects) {
      if (const auto* const x = std::get_if<effect::HandOver>(&effect))
        to_child_.push_back({x->delivery, x->hand_over});
      else if (const auto* const y = std::get_if<effect::WakeAt>(&effect))
        wake_at_ = y->at;
      else if (const auto* const z = std::get_if<effect::StartChild>(&effect))
        child_ = z->incarnation;
    }
    if (std::any_of(effects.begin(), effects.end(),
                    [](const Effect& x) { return std::holds_alternative<effect::StartChild>(x); }))
      take(input::ChildStarted{child_});
  }

  Draws draw_;
  std::uint64_t next_ = 0;
  Setting setting_;
  double breaks_ = 0;
  std::unique_ptr<SenderEngine> engine_;
  Instant now_{};
  Instant wake_at_ = Instant::never();
  std::uint32_t child_ = 0;
  std::deque<Message> to_child_;
  std::vector<Message> begun_; // arrived, not done
  std::deque<HandOverId> to_sender_;
  Deduplicator<> seen_;
  std::map<std::uint64_t, int> times_done_;
  int most_often_done_ = 0;
};

// The seed of the first of many worlds in which a delivery is done more than once by a child that
// remembers as many as `windows` windows, less `less`; none: there is no such world.
std::optional<std::uint64_t> seed_of_doing_twice(const Setting& setting, std::size_t windows,
                                                 std::size_t less = 0) {
  for (const auto seed : test::seeds(300)) {
    const auto window = 2 + static_cast<std::uint32_t>(unit_random(seed, 0, 0) * 7);
    if (World{seed, setting, window, windows * window - less}.most_often_done(2000) > 1)
      return seed;
  }
  return std::nullopt;
}

TEST(deduplicator_capacity, of_a_window_is_enough_for_a_child_that_works_in_order) {
  EXPECT_EQ(seed_of_doing_twice({}, 1), std::nullopt);
}

TEST(deduplicator_capacity, of_less_than_a_window_is_not_enough) {
  EXPECT_NE(seed_of_doing_twice({}, 1, 1), std::nullopt);
}

TEST(deduplicator_capacity, of_two_windows_is_enough_in_strict_order_whatever_happens) {
  for (const auto works : {Works::in_order_of_arrival, Works::in_any_order})
    for (const auto ends : {Ends::only_by_confirmation, Ends::also_otherwise})
      EXPECT_EQ(seed_of_doing_twice({works, ends}, 2), std::nullopt)
        << "in any order: " << (works == Works::in_any_order)
        << ", ends otherwise too: " << (ends == Ends::also_otherwise);
}

TEST(deduplicator_capacity, of_two_windows_is_not_enough_without_strict_order) {
  for (const auto ordering : {Ordering::per_key, Ordering::unordered})
    EXPECT_NE(seed_of_doing_twice({.ordering = ordering}, 2), std::nullopt);
}

} // namespace

} // namespace backoff_actor::engine_test
