// Rows that other programs hand over, beside a table of them. A look sees what was committed when
// it began. Commits, rows that are given back, and ends of senders come at any time, also during a
// look. What must hold:
//
// - Each row becomes one delivery, but for rows that cancel, and for what they have cancelled.
// - No delivery is made of a row that was cancelled while it waited for its time.
// - No more rows are held than may be.
// - A sender that has caught up has all rows that were there when it asked.
//
//     RC_PARAMS="max_success=100000" ./build/dev/tests/model_tests --gtest_filter="intake_rows*"

#include "backoff_actor/engine/outbox/intake_rows.hpp"
#include "common/random_walk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
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
  schedule,
  let_time_pass,
  cancel,
  begin_look,
  end_look,
  take,
  give_back,
  commit,
  catch_up,
  change_sender,
};

constexpr test::Choice<RowAction> row_actions[] = {
  {60, RowAction::hand_over, "hand rows over"},
  {50, RowAction::begin_look, "begin a look"},
  {20, RowAction::schedule, "schedule a row"},
  {20, RowAction::let_time_pass, "let time pass"},
  {20, RowAction::cancel, "cancel"},
  {50, RowAction::end_look, "end the look"},
  {60, RowAction::take, "take"},
  {10, RowAction::give_back, "give back"},
  {40, RowAction::commit, "commit"},
  {8, RowAction::catch_up, "catch up"},
  {3, RowAction::change_sender, "change the sender"}};

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
    due_ = scheduled_;
    for (auto i = 0; i < 100 && (i < 3 || !table_.empty() || !rows_.has_caught_up()); ++i) {
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
        insert(x.number % 7 == 0 ? key_of(x) : "");
      return;
    case RowAction::schedule:
      insert(key_of(x));
      scheduled_.insert(last_row_);
      return;
    case RowAction::let_time_pass:
      due_ = scheduled_;
      return;
    case RowAction::cancel:
      insert(key_of(x));
      cancels_.insert(last_row_);
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

  static std::string key_of(const RowStep& x) { return std::string(1, "abc"[x.number % 3]); }

  void insert(std::string key) { table_[++last_row_] = std::move(key); }

  // Those that were to wait for a time do not count.
  void want_all() {
    wanted_.clear();
    for (const auto& [row, key] : table_)
      if (in_commit_.count(row) + scheduled_.count(row) == 0)
        wanted_.insert(row);
    handled_.clear();
  }

  void begin_look() {
    if (look_)
      return;
    auto may = rows_.begin_look();
    is_waiting_for_room_ = may.room == 0;
    look_ = Look{std::move(may), {}, {}};
    for (const auto& [row, key] : table_)
      if (scheduled_.count(row) == 0)
        look_->rows.push_back(row);
    for (const auto row : due_)
      if (table_.count(row) == 1)
        look_->rows.push_back(row);
    look_->keys = table_;
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
    for (const auto row : look.rows) {
      if (rows_.in_hand().count(row) == 1)
        continue;
      if (messages.size() == look.may.room) {
        sees_all = false;
        break;
      }
      auto& message = messages.emplace_back();
      message.row = row;
      message.idempotency_key = look.keys.at(row);
      if (cancels_.count(row) == 1)
        message.type = "backoff.cancel";
    }
    rows_.put(std::move(messages), sees_all);
  }

  void take_all() {
    for (const auto& message : rows_.take()) {
      require(table_.count(message.row) == 1, "a row is taken while it is there");
      require(!is_cancelled(message), "a row is not taken behind a younger one that cancels it");
      require(in_commit_.insert(message.row).second, "a row is taken once");
      handled_.insert(message.row);
    }
  }

  bool is_cancelled(const IncomingMessage& x) const {
    return !x.idempotency_key.empty()
           && std::any_of(in_commit_.upper_bound(x.row), in_commit_.end(), [&](std::uint64_t row) {
                return cancels_.count(row) == 1 && table_.at(row) == x.idempotency_key;
              });
  }

  void commit() {
    std::vector<StoreChange> changes;
    for (const auto row : in_commit_)
      if (cancels_.count(row) == 0) {
        changes.emplace_back(change::Insert{{.id = row}, row});
        erase(row);
      }
    for (const auto row : in_commit_)
      if (cancels_.count(row) == 1) {
        const auto key = table_.at(row);
        changes.emplace_back(change::DropIncoming{row, key});
        for (auto other = table_.begin(); other != table_.end() && other->first < row;) {
          const auto one = other++;
          if (one->second == key && cancels_.count(one->first) == 0)
            erase(one->first);
        }
        erase(row);
      }
    in_commit_.clear();
    const auto is_told = rows_.settle(changes);
    require(!is_told || is_waiting_for_room_, "a reader that waits for room is told");
  }

  void erase(std::uint64_t row) {
    table_.erase(row);
    wanted_.erase(row);
    scheduled_.erase(row);
    due_.erase(row);
  }

  struct Look {
    IntakeRows::Look may;
    std::vector<std::uint64_t> rows;           // when it began
    std::map<std::uint64_t, std::string> keys; // the same
  };

  IntakeRows rows_;
  std::map<std::uint64_t, std::string> table_; // each row's idempotency key
  std::set<std::uint64_t> cancels_;            // of all rows there ever were
  std::set<std::uint64_t> scheduled_;          // of those that are there
  std::set<std::uint64_t> due_;                // of those that are scheduled
  std::set<std::uint64_t> in_commit_;          // that the sender has taken
  std::set<std::uint64_t> wanted_;             // that were there when the sender began to catch up
  std::set<std::uint64_t> handled_;            // of all, since then
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
