#include "backoff_actor/delivery/internal/cancel_mark.hpp"

#include "backoff_actor/delivery/incoming.hpp"

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

TEST(replace_line, is_found_wherever_it_stands) {
  EXPECT_TRUE(says_replace("replace: waiting"));
  EXPECT_TRUE(says_replace("traceparent: 1\nreplace: waiting"));
  EXPECT_FALSE(says_replace("traceparent: 1\nno replace: waiting"));
  EXPECT_FALSE(says_replace(""));
}

TEST(replace_line, is_the_context_of_a_row_that_replaces) {
  const auto row = row_that_replaces("order-7", "order", {std::byte{5}});
  EXPECT_EQ(row.context, "replace: waiting");
  EXPECT_EQ(row.idempotency_key, "order-7");
  EXPECT_EQ(row.type, "order");
  EXPECT_EQ(row.payload, std::vector{std::byte{5}});
}

} // namespace backoff_actor::detail
