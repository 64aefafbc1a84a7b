#include "common/temporary_folder.hpp"
#include "http_guard/ledger.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <fstream>
#include <optional>
#include <vector>

namespace http_guard::ledger_test {

using testing::ElementsAre;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(ledger, tells_what_was_written_over_all_lives_of_the_service) {
  const example::TemporaryFolder folder{"http_guard"};
  const auto file = folder / "ledger.txt";
  {
    const LedgerWriter first{file};
    first.called(10, "17");
    first.executed(14, "17");
    first.answered(15, "17", 200, std::nullopt);
  }
  const LedgerWriter second{file};
  second.called(20, "18");
  second.answered(25, "18", 429, 1'000'025);
  second.executed(30, "17");

  const auto ledger = read_ledger(file);

  EXPECT_THAT(ledger.executions, UnorderedElementsAre(Pair("17", 2)));
  EXPECT_EQ(ledger.duplicates(), 1u);
  EXPECT_THAT(ledger.calls, ElementsAre(10, 20));
  ASSERT_EQ(ledger.wishes.size(), 1u);
  EXPECT_EQ(ledger.wishes[0].told, 25);
  EXPECT_EQ(ledger.wishes[0].welcome, 1'000'025);
}

TEST(ledger, passes_over_what_is_no_line_of_its_own) {
  const example::TemporaryFolder folder{"http_guard"};
  std::ofstream{folder / "ledger.txt"} << "17\n\nten called 17\n12 called 1";

  const auto ledger = read_ledger(folder / "ledger.txt");

  EXPECT_THAT(ledger.calls, ElementsAre(12));
  EXPECT_TRUE(ledger.executions.empty());
}

struct Row {
  const char* what;
  std::vector<LedgerTime> calls;
  std::vector<Ledger::Wish> wishes;
  std::uint64_t too_early;
};

TEST(ledger, counts_the_calls_between_a_wish_and_its_end) {
  const std::vector<Row> table{
    {"nothing", {}, {}, 0},
    {"no wish", {1, 2, 3}, {}, 0},
    {"before the wish was told, at its end and after", {99, 100, 200, 300}, {{100, 200}}, 0},
    {"right after it was told, and right before its end", {101, 199}, {{100, 200}}, 2},
    {"in the second of two wishes", {50, 250, 350}, {{0, 10}, {200, 300}}, 1},
    {"in both of two wishes: one call", {150}, {{100, 200}, {120, 180}}, 1},
    {"after the shorter and in the longer", {190}, {{100, 200}, {120, 180}}, 1},
    {"in no order", {250, 50, 150}, {{200, 300}, {100, 120}}, 1},
  };
  for (const auto& row : table) {
    Ledger ledger;
    ledger.calls = row.calls;
    ledger.wishes = row.wishes;
    EXPECT_EQ(ledger.too_early(), row.too_early) << row.what;
  }
}

TEST(ledger, allows_one_call_of_each_other_worker_after_a_wish) {
  Ledger ledger;
  ledger.wishes = {{100, 200}, {110, 200}, {300, 400}};
  ledger.calls = {101, 120, 130, 301, 302, 303, 399};
  EXPECT_EQ(ledger.too_early(), 7u);
  EXPECT_EQ(ledger.too_early(2), 2u + 3u);
  EXPECT_EQ(ledger.too_early(4), 1u);
  EXPECT_EQ(ledger.too_early(5), 0u);
}

} // namespace http_guard::ledger_test
