#include "backoff_actor/core/problems.hpp"

#include <gtest/gtest.h>

namespace backoff_actor::problems_test {

TEST(problems, name_field_value_and_range_one_a_line) {
  Problems problems;
  problems.add("ceiling", "0", "1..62");
  problems.add("slot_time", "-5ms", "1ns..24h");

  EXPECT_EQ(to_string(problems), "ceiling: got 0, allowed 1..62\n"
                                 "slot_time: got -5ms, allowed 1ns..24h");
}

TEST(problems, are_a_line_each_whatever_was_given) {
  Problems problems;
  problems.add("children[1].id", "a\nb\xe9", "an id that no earlier child has");
  EXPECT_EQ(to_string(problems),
            "children[1].id: got a\\nb\xef\xbf\xbd, allowed an id that no earlier child has");
}

TEST(problems, of_a_nested_value_get_its_name_in_front) {
  Problems inner;
  inner.add("ceiling", "0", "1..62");
  Problems outer;
  outer.add_nested("backoff", inner);

  EXPECT_EQ(to_string(outer), "backoff.ceiling: got 0, allowed 1..62");
}

TEST(problems, that_say_all_by_themselves_are_told_without_what_is_allowed) {
  Problems problems;
  problems.add("--picture", "there is no folder 'nowhere'", "");
  EXPECT_EQ(to_string(problems), "--picture: there is no folder 'nowhere'");
}

TEST(problems, say_whose_arguments_they_are_in_each_line) {
  Problems problems{"SenderOptions of billing"};
  problems.add("max_attempts", "0", "1 or more");
  problems.add("capacity", "0", "1..268435455");

  EXPECT_EQ(problems.of(), "SenderOptions of billing");
  EXPECT_EQ(to_string(problems),
            "SenderOptions of billing: max_attempts: got 0, allowed 1 or more\n"
            "SenderOptions of billing: capacity: got 0, allowed 1..268435455");
  try {
    problems.raise_if_any();
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& thrown) {
    EXPECT_EQ(thrown.what(), to_string(problems));
  }
}

TEST(problems, of_a_nested_value_do_not_say_whose_they_are) {
  Problems inner{"GuardOptions"};
  inner.add("probes", "0", "1..1000000");
  Problems outer{"SenderOptions"};
  outer.add_nested("guard", inner);

  EXPECT_EQ(to_string(outer), "SenderOptions: guard.probes: got 0, allowed 1..1000000");
}

TEST(problems, raise_nothing_when_there_are_none) { EXPECT_NO_THROW(Problems{}.raise_if_any()); }

TEST(problems, are_all_in_the_exception) {
  Problems problems;
  problems.add("a", "1", "2");
  problems.add("b", "3", "4");
  try {
    problems.raise_if_any();
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& thrown) {
    EXPECT_EQ(thrown.problems().list().size(), 2u);
    EXPECT_STREQ(thrown.what(), "a: got 1, allowed 2\nb: got 3, allowed 4");
  }
}

} // namespace backoff_actor::problems_test
