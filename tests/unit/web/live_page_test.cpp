#include "backoff_actor/web/internal/live_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace backoff_actor::web::live_page_test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t result = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++result;
  return result;
}

} // namespace

TEST(live_page, lets_only_its_own_scripts_and_styles_run) {
  const auto page = live_page("4711", false);
  EXPECT_EQ(count_of(page, "<script"), count_of(page, R"(<script nonce="4711">)"));
  EXPECT_EQ(count_of(page, "<style"), count_of(page, R"(<style nonce="4711">)"));
  EXPECT_EQ(count_of(page, "4711"), 2U);
  EXPECT_THAT(page, Not(HasSubstr("@nonce@")));
  EXPECT_THAT(policy_of_live_page("4711"), HasSubstr("script-src 'nonce-4711'; "));
  EXPECT_THAT(policy_of_live_page("4711"), Not(HasSubstr("unsafe")));
}

TEST(live_page, names_no_other_host) {
  EXPECT_THAT(std::string{live_page_text}, Not(HasSubstr("http:")));
  EXPECT_THAT(std::string{live_page_text}, Not(HasSubstr("https:")));
  EXPECT_THAT(std::string{live_page_text}, Not(HasSubstr("src=")));
  EXPECT_THAT(std::string{live_page_text}, Not(HasSubstr("@import")));
}

TEST(live_page, knows_whether_one_can_act) {
  EXPECT_THAT(live_page("", true), HasSubstr(R"(data-act="yes")"));
  EXPECT_THAT(live_page("", false), HasSubstr(R"(data-act="no")"));
}

TEST(live_page, keeps_what_only_looks_like_a_place_for_a_value) {
  EXPECT_EQ(count_of(std::string{live_page_text}, "@media"),
            count_of(live_page("x", true), "@media"));
  EXPECT_EQ(live_page("", false).size(), live_page_text.size() - 2 * std::string{"@nonce@"}.size()
                                           - std::string{"@can_act@"}.size()
                                           + std::string{"no"}.size());
}

TEST(live_page, has_another_nonce_each_time) {
  std::set<std::string> nonces;
  for (int i = 0; i != 100; ++i) {
    const auto nonce = new_nonce();
    EXPECT_THAT(nonce, ::testing::MatchesRegex("[0-9a-f]{32}"));
    nonces.insert(nonce);
  }
  EXPECT_EQ(nonces.size(), 100U);
}

} // namespace backoff_actor::web::live_page_test
