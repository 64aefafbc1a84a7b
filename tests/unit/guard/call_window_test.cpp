#include "backoff_actor/guard/guard_status.hpp"
#include "backoff_actor/guard/internal/call_window.hpp"

#include "guard_fixture.hpp"

namespace backoff_actor::guard_test {

// -- the last calls ---------------------------------------------------------------------

TEST(last_calls, are_counted_until_there_are_too_many) {
  LastCalls calls{3};
  EXPECT_EQ(calls.counts(), (CallCounts{0, 0}));
  calls.add(true);
  EXPECT_EQ(calls.counts(), (CallCounts{1, 1}));
  calls.add(false);
  calls.add(true);
  EXPECT_EQ(calls.counts(), (CallCounts{3, 2}));
}

TEST(last_calls, the_oldest_is_forgotten_each_time) {
  LastCalls calls{3};
  std::vector<std::uint64_t> failures;
  for (const auto has_failed : {true, true, false, false, true, false, false, false}) {
    calls.add(has_failed);
    EXPECT_LE(calls.counts().calls, 3u);
    failures.push_back(calls.counts().failures);
  }
  EXPECT_THAT(failures, ElementsAre(1, 2, 2, 1, 1, 1, 1, 0));
}

TEST(last_calls, of_one_are_the_last) {
  LastCalls calls{1};
  calls.add(true);
  EXPECT_EQ(calls.counts(), (CallCounts{1, 1}));
  calls.add(false);
  EXPECT_EQ(calls.counts(), (CallCounts{1, 0}));
}

// -- the calls of a time --------------------------------------------------------------------

TEST(recent_calls, are_counted_for_nine_to_ten_tenths_of_the_window) {
  const struct {
    Duration added;
    Duration last_counted;
  } rows[] = {{0ms, 999ms}, {1ms, 999ms}, {99ms, 999ms}, {100ms, 1099ms}, {150ms, 1099ms}};
  for (const auto& row : rows) {
    RecentCalls calls{1s};
    calls.add(true, at(row.added));
    EXPECT_EQ(calls.counts(at(row.last_counted)), (CallCounts{1, 1})) << to_string(row.added);
    EXPECT_EQ(calls.counts(at(row.last_counted + 1ms)), (CallCounts{0, 0})) << to_string(row.added);
  }
}

TEST(recent_calls, go_a_tenth_at_a_time) {
  RecentCalls calls{1s};
  for (auto i = 0; i < 10; ++i)
    calls.add(i % 2 == 0, at(i * 100ms));
  EXPECT_EQ(calls.counts(at(999ms)), (CallCounts{10, 5}));
  EXPECT_EQ(calls.counts(at(1000ms)), (CallCounts{9, 4}));
  EXPECT_EQ(calls.counts(at(1100ms)), (CallCounts{8, 4}));
  EXPECT_EQ(calls.counts(at(1899ms)), (CallCounts{1, 0}));
  EXPECT_EQ(calls.counts(at(1900ms)), (CallCounts{0, 0}));
}

TEST(recent_calls, of_a_window_before_do_not_come_back_in_their_place) {
  RecentCalls calls{1s};
  for (auto i = 0; i < 10; ++i)
    calls.add(true, at(i * 100ms));
  calls.add(false, at(1250ms)); // in the place of those of 200 ms
  EXPECT_EQ(calls.counts(at(1250ms)), (CallCounts{8, 7}));
  calls.add(false, at(1h));
  EXPECT_EQ(calls.counts(at(1h)), (CallCounts{1, 0}));
}

TEST(recent_calls, are_forgotten_before_the_origin_of_time_as_after_it) {
  RecentCalls calls{1s};
  calls.add(true, at(-10s));
  EXPECT_EQ(calls.counts(at(-9001ms)), (CallCounts{1, 1}));
  EXPECT_EQ(calls.counts(at(-9s)), (CallCounts{0, 0}));
  calls.add(true, at(-50ms));
  calls.add(true, at(50ms));
  EXPECT_EQ(calls.counts(at(899ms)), (CallCounts{2, 2}));
  EXPECT_EQ(calls.counts(at(900ms)), (CallCounts{1, 1})) << "no slice is wider than the others";
}

} // namespace backoff_actor::guard_test
