#include "backoff_actor/web/internal/web_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::web::web_pages_test {

namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

class Pages : public ::testing::Test {
protected:
  Pages() { options_.token = "0123456789abcdef"; }

  std::string answer(const std::string& head) const {
    return WebPages{Observatory{}, options_, HostCheck{options_, true}}.answer(head);
  }

  WebOptions options_;
};

} // namespace

TEST_F(Pages, are_not_for_a_host_with_a_zero_in_it) {
  const auto text = answer("GET /healthz HTTP/1.1\r\nHost: localhost" + std::string(1, '\0')
                           + ".stranger.example\r\n\r\n");
  EXPECT_THAT(text, StartsWith("HTTP/1.1 400 "));
}

TEST_F(Pages, are_not_for_a_head_in_which_a_line_ends_by_itself) {
  for (const std::string end : {"\n", "\r", "\r \n", "\n\r"}) {
    const auto text =
      answer("GET /healthz HTTP/1.1\r\nHost: localhost" + end + "Range: bytes=0-0\r\n\r\n");
    EXPECT_THAT(text, StartsWith("HTTP/1.1 400 ")) << ::testing::PrintToString(end);
    EXPECT_THAT(text, EndsWith("\r\n\r\nthis is no request of HTTP/1.1 or HTTP/1.0\n"));
  }
}

} // namespace backoff_actor::web::web_pages_test
