#include "backoffctl/top/top.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace backoffctl::top_view_test {

namespace {

TopView after(std::string_view keys, TopView view = {}) {
  EXPECT_EQ(press(view, keys, 10), TopWish::go_on);
  return view;
}

} // namespace

TEST(top_view, s_goes_through_all_orders) {
  EXPECT_EQ(after("").order, TopOrder::oldest);
  EXPECT_EQ(after("s").order, TopOrder::owed);
  EXPECT_EQ(after("ss").order, TopOrder::rate);
  EXPECT_EQ(after("sss").order, TopOrder::failures);
  EXPECT_EQ(after("ssss").order, TopOrder::name);
  EXPECT_EQ(after("sssss").order, TopOrder::oldest);
}

TEST(top_view, orders_have_names) {
  EXPECT_EQ(to_string(TopOrder::oldest), "oldest");
  EXPECT_EQ(to_string(TopOrder::name), "name");
}

TEST(top_view, q_ends_it_but_is_a_letter_of_a_filter) {
  TopView view;
  EXPECT_EQ(press(view, "q", 10), TopWish::end);
  EXPECT_EQ(press(view, "ssQs", 10), TopWish::end);
  EXPECT_EQ(after("/q").filter, "q");
}

TEST(top_view, a_filter_is_typed_kept_and_ended) {
  EXPECT_TRUE(after("/").is_filtering);
  EXPECT_EQ(after("/bil").filter, "bil");
  EXPECT_FALSE(after("/bil\r").is_filtering);
  EXPECT_EQ(after("/bil\r").filter, "bil");
  EXPECT_EQ(after("/bil\x1b").filter, "");
  EXPECT_FALSE(after("/bil\x1b").is_filtering);
  EXPECT_EQ(after("/bil\r\x1b").filter, "");
  EXPECT_EQ(after("/bil\r/ling\r").filter, "billing");
  EXPECT_EQ(after("/bil\x15x").filter, "x");
}

TEST(top_view, backspace_takes_a_whole_character) {
  EXPECT_EQ(after("/bi\x7f").filter, "b");
  EXPECT_EQ(after("/b\x7f\x7f\x7f").filter, "");
  EXPECT_EQ(after("/b\xc3\xa9\x7f").filter, "b");
  EXPECT_EQ(after("/b\xe2\x82\xac\b").filter, "b");
}

TEST(top_view, a_filter_has_no_control_characters_and_an_end) {
  EXPECT_EQ(after("/a\x01\x02\tb").filter, "ab");
  EXPECT_EQ(after("/a\x1b[A\x1b[5~b").filter, "ab");
  EXPECT_EQ(after("/" + std::string(500, 'x')).filter.size(), 100u);
}

TEST(top_view, space_freezes_and_goes_on) {
  EXPECT_TRUE(after(" ").is_frozen);
  EXPECT_FALSE(after("  ").is_frozen);
}

TEST(top_view, arrows_and_pages_scroll) {
  EXPECT_EQ(after("\x1b[B").first, 1u);
  EXPECT_EQ(after("\x1bOBj").first, 2u);
  EXPECT_EQ(after("\x1b[6~").first, 10u);
  EXPECT_EQ(after("\x1b[6~\x1b[6~\x1b[5~k").first, 9u);
  EXPECT_EQ(after("jj\x1b[A\x1bOA\x1b[A").first, 0u);
  EXPECT_EQ(after("\x1b[6~\x1b[H").first, 0u);
}

TEST(top_view, a_new_filter_shows_the_first_that_it_finds) { EXPECT_EQ(after("jjj/x").first, 0u); }

TEST(top_view, keys_without_a_meaning_do_nothing) {
  const auto view = after("x\x1b[1;5C\x1b[3~\x1b[\x80\xff");
  EXPECT_EQ(view.first, 0u);
  EXPECT_EQ(view.filter, "");
  EXPECT_EQ(view.order, TopOrder::oldest);
  EXPECT_FALSE(view.is_frozen);
}

} // namespace backoffctl::top_view_test
