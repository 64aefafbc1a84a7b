#include "backoff_actor/delivery/internal/cancel_mark.hpp"

#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::detail {

TEST(cancel_mark, is_a_line_of_the_context) {
  std::string context;
  EXPECT_FALSE(cancel_mark_in(context));
  mark_cancelled(context, false);
  EXPECT_EQ(context, "cancelled: gone");
  EXPECT_EQ(cancel_mark_in(context), false);
  mark_cancelled(context, true);
  EXPECT_EQ(context, "cancelled: letter") << "there is one at most";
  EXPECT_EQ(cancel_mark_in(context), true);
}

TEST(cancel_mark, leaves_other_lines_as_they_are) {
  std::string context = "retries: max_attempts 3\nnot_before: 7";
  mark_cancelled(context, true);
  EXPECT_EQ(context, "retries: max_attempts 3\nnot_before: 7\ncancelled: letter");
  unmark_cancelled(context);
  EXPECT_EQ(context, "retries: max_attempts 3\nnot_before: 7");
  EXPECT_FALSE(cancel_mark_in(context));
}

TEST(cancel_mark, is_removed_wherever_it_stands) {
  std::string context = "cancelled: gone\nretries: max_attempts 3\ncancelled: letter";
  unmark_cancelled(context);
  EXPECT_EQ(context, "retries: max_attempts 3");
  context = "it is not cancelled: gone";
  unmark_cancelled(context);
  EXPECT_EQ(context, "it is not cancelled: gone");
}

} // namespace backoff_actor::detail
