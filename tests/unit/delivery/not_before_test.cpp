#include "backoff_actor/delivery/internal/not_before.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace backoff_actor::not_before_test {

using namespace std::chrono_literals;

namespace {

std::string problem_of(std::string_view context) {
  try {
    detail::not_before_in(context);
    return "none";
  } catch (const std::invalid_argument& exception) {
    return exception.what();
  }
}

} // namespace

TEST(not_before, is_a_line_of_the_context_and_is_read_from_there) {
  std::string context;
  detail::add_not_before(context, {1'796'000'000'123'456'789});
  EXPECT_EQ(context, "not_before: 1796000000123456789");
  EXPECT_EQ(detail::not_before_in(context), WallTime{1'796'000'000'123'456'789});

  context = "retries: max_attempts 5";
  detail::add_not_before(context, {-7});
  EXPECT_EQ(context, "retries: max_attempts 5\nnot_before: -7");
  EXPECT_EQ(detail::not_before_in(context), WallTime{-7});
}

TEST(not_before, is_a_time_to_come_and_nothing_else) {
  const WallTime now{1'000'000};
  EXPECT_EQ(detail::time_to_begin(5ns, {}, now), WallTime{1'000'005});
  EXPECT_EQ(detail::time_to_begin(0ns, {1'000'001}, now), WallTime{1'000'001});
  EXPECT_EQ(detail::time_to_begin(0ns, {}, now), std::nullopt);
  EXPECT_EQ(detail::time_to_begin(0ns, {1'000'000}, now), std::nullopt);
  EXPECT_EQ(detail::time_to_begin(Duration::max(), {}, now),
            WallTime{std::numeric_limits<std::int64_t>::max()});
}

TEST(not_before, is_none_if_no_line_names_it) {
  EXPECT_EQ(detail::not_before_in(""), std::nullopt);
  EXPECT_EQ(detail::not_before_in("retries: not_before: 7"), std::nullopt);
}

TEST(not_before, of_another_text_is_refused_with_the_text) {
  for (const std::string text : {"tomorrow", "7s", "7 ", "99999999999999999999", "1.5"})
    EXPECT_EQ(problem_of("not_before: " + text),
              "not_before: got " + text + ", allowed nanoseconds since 1970");
}

} // namespace backoff_actor::not_before_test
