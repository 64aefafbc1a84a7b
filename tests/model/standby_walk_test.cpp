// A process that stands by, becomes the owner and loses the outbox again, beside the list of what
// its clients have submitted. Looks, failures, commits and refusals come in any order. What must
// hold:
//
// - Each message that was taken is in one transaction, or goes to the sender of this process.
// - They come in order: none goes to the sender before all rows of before are settled.
// - No more wait than may, and one transaction is under way at a time.
// - A process that stands by looks again within ten seconds, and never waits longer than five.
//
//     RC_PARAMS="max_success=20000" ./build/dev/tests/model_tests --gtest_filter="standby_walk*"

#include "backoff_actor/engine/outbox/standby.hpp"
#include "common/random_walk.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::model_test {

namespace {

using namespace std::chrono_literals;
using test::require;

enum class StandbyAction { submit, write, settle, stay, fail, own, lose };

constexpr test::Choice<StandbyAction> standby_actions[] = {
  {80, StandbyAction::submit, "submit"}, {50, StandbyAction::write, "write"},
  {40, StandbyAction::settle, "settle"}, {20, StandbyAction::stay, "another process owns it"},
  {10, StandbyAction::fail, "fail"},     {8, StandbyAction::own, "own"},
  {6, StandbyAction::lose, "lose"}};

using StandbyStep = test::DrawnStep<StandbyAction, standby_actions>;

class StandbyWalk {
public:
  StandbyWalk() { check(process_.begin()); }

  void take(const StandbyStep& x) {
    story_ += std::string{"  "} + test::name_of(x.action, standby_actions) + " "
              + std::to_string(x.number) + "\n";
    carry_out(x);
    require(process_.unsettled() == waiting_.size() + batch_.size(), "all rows are counted");
    require(process_.unsettled() <= capacity, "no more rows wait than may");
    pass_on_held();
  }

  // Once the store works again, nothing is left.
  void finish() {
    while (process_.unsettled() != 0) {
      write();
      settle();
    }
    owns_ = true;
    process_.own();
    pass_on_held();
    require(held_.empty(), "at the end no message is held");
    require(last_done_ + refused_.size() == last_, "at the end all that was taken is done");
  }

  std::string story() const { return "the story:\n" + story_; }

private:
  static constexpr std::size_t capacity = 1500;

  void carry_out(const StandbyStep& x) {
    switch (x.action) {
    case StandbyAction::submit:
      for (auto i = x.number % 300; i > 0; --i)
        submit();
      return;
    case StandbyAction::write:
      return write();
    case StandbyAction::settle:
      return settle();
    case StandbyAction::stay:
      if (!owns_)
        check(process_.stay(std::nullopt));
      return;
    case StandbyAction::fail:
      if (!owns_)
        check(
          process_.fail(x.number % 2 == 0 ? StoreFailure::unreachable : StoreFailure::full, "no"));
      return;
    case StandbyAction::own:
      if (!std::exchange(owns_, true))
        process_.own();
      return;
    case StandbyAction::lose:
      if (!std::exchange(owns_, false))
        return;
      check(process_.begin());
      for (const auto number : std::exchange(held_, {}))
        place(number);
    }
  }

  void submit() { place(last_ + 1); }

  // The driver's part: it asks for the place of each message.
  void place(std::uint64_t number) {
    switch (process_.place()) {
    case Standby::Place::row: {
      require(!owns_, "only a process that stands by writes rows");
      IncomingMessage row;
      row.row = number;
      row.payload.resize(number % 1000 == 0 ? 9'000'000 : 10);
      if (process_.add(std::move(row)))
        waiting_.push_back(number);
      else if (number <= last_) // it was held; its client is refused
        refused_.push_back(number);
      else
        return;
      break;
    }
    case Standby::Place::held:
      held_.push_back(number);
      break;
    case Standby::Place::sender:
      done(number);
    }
    last_ = std::max(last_, number);
  }

  void write() {
    const auto rows = process_.next_batch();
    require(rows.empty() || batch_.empty(), "one transaction is under way at a time");
    for (const auto& row : rows) {
      require(!waiting_.empty() && waiting_.front() == row.row, "rows are written in order");
      waiting_.pop_front();
      batch_.push_back(row.row);
    }
    require(!batch_.empty() || waiting_.empty(), "what waits is written");
  }

  void settle() {
    require(process_.settle() == batch_.size(), "a batch is settled whole");
    for (const auto number : std::exchange(batch_, {}))
      done(number);
  }

  void pass_on_held() {
    if (process_.place() == Standby::Place::sender)
      for (const auto number : std::exchange(held_, {}))
        done(number);
  }

  void done(std::uint64_t number) {
    ++last_done_;
    while (!refused_.empty() && refused_.front() == last_done_) {
      refused_.pop_front();
      ++last_done_;
    }
    require(number == last_done_, "all is done in order");
  }

  void check(const Standby::Next& next) {
    require(next.pause >= 0s && next.pause <= 10s, "it looks again within ten seconds");
    require(next.at_most >= 0s && next.at_most <= 5s, "it waits for five seconds at the most");
  }

  Standby process_{"orders", capacity, true};
  std::deque<std::uint64_t> waiting_;
  std::deque<std::uint64_t> batch_;
  std::deque<std::uint64_t> held_;
  std::deque<std::uint64_t> refused_;
  std::uint64_t last_ = 0;
  std::uint64_t last_done_ = 0;
  std::string story_;
  bool owns_ = false;
};

} // namespace

TEST(standby_walk, what_clients_submit_is_done_once_and_in_order) {
  EXPECT_TRUE(test::walks_hold([] { return StandbyWalk{}; }, 2,
                               StandbyStep::any(test::below<std::uint32_t>(600))));
}

} // namespace backoff_actor::model_test
