// Rows that other programs hand over, beside a table of them. A look sees what was committed when
// it began. Commits, rows that are given back, and ends of senders come at any time, also during a
// look. What must hold:
//
// - Each row becomes one delivery.
// - No more rows are held than may be.
// - A sender that has caught up has all rows that were there when it asked.
//
//     RC_PARAMS="max_success=100000" ./build/dev/tests/model_tests --gtest_filter="intake_rows*"

#include "backoff_actor/engine/outbox/intake_rows.hpp"
#include "common/random_walk.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

namespace {

using test::require;

enum class RowAction {
  hand_over,
  begin_look,
  end_look,
  take,
  give_back,
  commit,
  catch_up,
  change_sender,
};

constexpr test::Choice<RowAction> row_actions[] = {
  {60, RowAction::hand_over, "hand rows over"}, {50, RowAction::begin_look, "begin a look"},
  {50, RowAction::end_look, "end the look"},    {60, RowAction::take, "take"},
  {10, RowAction::give_back, "give back"},      {40, RowAction::commit, "commit"},
  {8, RowAction::catch_up, "catch up"},         {3, RowAction::change_sender, "change the sender"}};

using RowStep = test::DrawnStep<RowAction, row_actions>;

class RowsWalk {
public:
  RowsWalk() { begin(); }

  void take(const RowStep& x) {
    story_ += std::string{"  "} + test::name_of(x.action, row_actions) + " "
              + std::to_string(x.number) + "\n";
    carry_out(x);
    require(in_commit_.size() <= IntakeRows::most_rows, "no more are held than may be");
    if (rows_.has_caught_up())
      for (const auto row : wanted_)
        require(handled_.count(row) == 1, "a sender that has caught up has all that was there");
  }

  // Once all looks and commits end, each row is a delivery.
  void finish() {
    for (auto i = 0; i < 100 && (i < 3 || !table_.empty()); ++i) {
      begin_look();
      end_look();
      take_all();
      commit();
    }
    require(table_.empty(), "at the end no row is left");
    require(rows_.has_caught_up(), "at the end the sender has caught up");
  }

  std::string story() const { return "the story:\n" + story_; }

private:
  void carry_out(const RowStep& x) {
    switch (x.action) {
    case RowAction::hand_over:
      for (auto i = x.number % 400; i > 0; --i)
        table_.insert(++last_row_);
      return;
    case RowAction::begin_look:
      return begin_look();
    case RowAction::end_look:
      return end_look();
    case RowAction::take:
      return take_all();
    case RowAction::give_back:
      if (!in_commit_.empty()) {
        const auto row = *in_commit_.begin();
        in_commit_.erase(row);
        rows_.give_back(row);
      }
      return;
    case RowAction::commit:
      return commit();
    case RowAction::catch_up:
      rows_.catch_up();
      return want_all();
    case RowAction::change_sender:
      rows_.end();
      look_.reset(); // what that look takes is nobody's
      begin();
    }
  }

  void begin() {
    rows_.begin();
    want_all();
  }

  void want_all() {
    wanted_ = table_;
    for (const auto row : in_commit_)
      wanted_.erase(row);
    handled_.clear();
  }

  void begin_look() {
    if (look_)
      return;
    auto may = rows_.begin_look();
    is_waiting_for_room_ = may.room == 0;
    look_ = Look{std::move(may), table_};
  }

  void end_look() {
    if (!look_)
      return;
    auto look = std::move(*look_);
    look_.reset();
    if (look.may.room == 0)
      return;
    std::vector<IncomingMessage> messages;
    auto sees_all = true;
    for (const auto row : look.table) {
      if (rows_.in_hand().count(row) == 1)
        continue;
      if (messages.size() == look.may.room) {
        sees_all = false;
        break;
      }
      messages.emplace_back().row = row;
    }
    rows_.put(std::move(messages), sees_all);
  }

  void take_all() {
    for (const auto& message : rows_.take()) {
      require(table_.count(message.row) == 1, "a row is taken while it is there");
      require(in_commit_.insert(message.row).second, "a row is taken once");
      handled_.insert(message.row);
    }
  }

  void commit() {
    std::vector<StoreChange> changes;
    for (const auto row : in_commit_) {
      changes.emplace_back(change::Insert{{.id = row}, row});
      table_.erase(row);
    }
    in_commit_.clear();
    const auto is_told = rows_.settle(changes);
    require(!is_told || is_waiting_for_room_, "a reader that waits for room is told");
  }

  struct Look {
    IntakeRows::Look may;
    std::set<std::uint64_t> table; // when it began
  };

  IntakeRows rows_;
  std::set<std::uint64_t> table_;
  std::set<std::uint64_t> in_commit_; // that the sender has taken
  std::set<std::uint64_t> wanted_;    // that were there when the sender began to catch up
  std::set<std::uint64_t> handled_;   // of all, since then
  std::optional<Look> look_;
  std::uint64_t last_row_ = 0;
  std::string story_;
  bool is_waiting_for_room_ = false;
};

} // namespace

TEST(intake_rows_walk, makes_one_delivery_of_each_row) {
  EXPECT_TRUE(
    test::walks_hold([] { return RowsWalk{}; }, 2, RowStep::any(test::below<std::uint32_t>(6000))));
}

} // namespace backoff_actor::model_test
