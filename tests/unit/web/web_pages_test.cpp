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

TEST_F(Pages, have_one_spelling_by_which_it_is_known_which_of_them_may_wait) {
  for (const std::string line :
       {"GET /%6cetters?sender=mail%231", "POST /%61ct/pause?sender=mail%231", "GET /health%7A",
        "GET /%", "HEAD /%2fmetrics"})
    EXPECT_THAT(answer(line + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), StartsWith("HTTP/1.1 404 "))
      << line;
}

TEST_F(Pages, take_a_header_as_it_is) {
  options_.token = "0123456789%41%20%";
  const auto letters_for = [&](const std::string& token) {
    return answer("GET /letters?sender=mail%231 HTTP/1.1\r\nHost: localhost\r\n"
                  "Authorization: Bearer "
                  + token + "\r\nX-Operator: anna\r\n\r\n");
  };
  EXPECT_THAT(letters_for(options_.token), EndsWith("\r\n\r\nthere is no such sender\n"));
  EXPECT_THAT(letters_for("0123456789A %"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(letters_for("0123456789%2541%2520%25"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer("GET /healthz HTTP/1.1\r\nHost: local%68ost\r\n\r\n"),
              EndsWith("call this host \"local%68ost\"; if it is yours, add it to "
                       "WebOptions::allowed_hosts\n"));
}

} // namespace backoff_actor::web::web_pages_test
