#include "backoffctl/common/progress_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

namespace backoffctl::progress_line_test {

using namespace std::chrono_literals;

// A piece of work of 200 steps.
struct Work {
  void begin(bool is_shown = true) { line.emplace(console, is_shown, "work", 200, clock()); }

  ProgressLine::Now clock() {
    return [this] {
      ++looks;
      return now;
    };
  }

  // What the console gets at a time.
  std::string written_at(std::chrono::milliseconds since_begin, std::uint64_t done) {
    now = std::chrono::steady_clock::time_point{since_begin};
    console.str({});
    line->at(done);
    return console.str();
  }

  std::chrono::steady_clock::time_point now{};
  std::uint64_t looks = 0;
  std::ostringstream console{};
  std::optional<ProgressLine> line{};
};

TEST(progress_line, says_nothing_about_work_of_less_than_a_second) {
  Work work;
  work.begin();
  EXPECT_EQ(work.written_at(10ms, 1), "");
  EXPECT_EQ(work.written_at(500ms, 100), "");
  EXPECT_EQ(work.written_at(999ms, 199), "");
  work.line.reset();
  EXPECT_EQ(work.console.str(), "");
}

TEST(progress_line, is_rewritten_in_place_in_whole_percent) {
  Work work;
  work.begin();
  EXPECT_EQ(work.written_at(1000ms, 1), "\rwork: 0 %");
  EXPECT_EQ(work.written_at(1100ms, 85), "\rwork: 42 %");
  EXPECT_EQ(work.written_at(1200ms, 200), "\rwork: 100 %");
}

TEST(progress_line, is_rewritten_ten_times_a_second_at_the_most_and_only_if_it_says_something_new) {
  Work work;
  work.begin();
  EXPECT_EQ(work.written_at(1000ms, 20), "\rwork: 10 %");
  EXPECT_EQ(work.written_at(1099ms, 40), "");
  EXPECT_EQ(work.written_at(1100ms, 40), "\rwork: 20 %");
  EXPECT_EQ(work.written_at(1300ms, 41), "");
}

TEST(progress_line, overwrites_the_rest_of_a_longer_text) {
  Work work;
  work.begin();
  EXPECT_EQ(work.written_at(1000ms, 20), "\rwork: 10 %");
  EXPECT_EQ(work.written_at(1100ms, 2), "\rwork: 1 % ");
}

TEST(progress_line, is_erased_at_the_end) {
  Work work;
  work.begin();
  work.written_at(1000ms, 20);
  work.console.str({});
  work.line.reset();
  EXPECT_EQ(work.console.str(), "\r          \r");
}

TEST(progress_line, is_not_there_unless_it_is_to_be_shown) {
  Work work;
  work.begin(false);
  EXPECT_EQ(work.written_at(2000ms, 100), "");
  work.line.reset();
  EXPECT_EQ(work.console.str(), "");
}

TEST(progress_line, reads_the_clock_seldom_where_steps_are_short) {
  Work work;
  work.begin();
  for (std::uint64_t step = 0; step < 10'000'000; ++step) { // of 200 ns: two seconds
    work.now = std::chrono::steady_clock::time_point{step * 200ns};
    work.line->at(step / 50'000);
  }
  EXPECT_LT(work.looks, 500u);
  EXPECT_GT(work.looks, 50u);
}

TEST(progress_line, reads_the_clock_at_every_step_where_steps_are_long) {
  Work work;
  work.begin();
  EXPECT_EQ(work.written_at(3000ms, 50), "\rwork: 25 %");
  EXPECT_EQ(work.written_at(6000ms, 100), "\rwork: 50 %");
  EXPECT_EQ(work.written_at(9000ms, 150), "\rwork: 75 %");
}

TEST(progress_line, goes_on_where_steps_become_longer) {
  Work work;
  work.begin();
  for (std::uint64_t step = 0; step < 1'000'000; ++step) {
    work.now = std::chrono::steady_clock::time_point{step * 1us};
    work.line->at(0);
  }
  std::string written;
  for (auto step = 1; step <= 20'000; ++step) // of a millisecond
    written += work.written_at(1s + step * 1ms, 100);
  EXPECT_EQ(written, "\rwork: 50 %");
}

} // namespace backoffctl::progress_line_test
