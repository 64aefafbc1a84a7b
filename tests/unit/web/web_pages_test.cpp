#include "backoff_actor/web/internal/web_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::web::web_pages_test {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Way = WebPages::Way;

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

TEST_F(Pages, name_the_methods_that_there_are_for_an_address) {
  const auto put = [&](const std::string& path) {
    return answer("PUT " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  };
  EXPECT_THAT(put("/status"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(put("/status"), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
  EXPECT_THAT(put("/status"), EndsWith("\r\n\r\nthe methods are GET and HEAD\n"));
  EXPECT_THAT(put("/act/pause"), StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(put("/act/pause"), HasSubstr("\r\nAllow: POST\r\n"));
  EXPECT_THAT(put("/act/pause"), EndsWith("\r\n\r\nthe method is POST\n"));

  options_.token.clear();
  EXPECT_THAT(put("/act/pause"), HasSubstr("\r\nAllow: GET, HEAD\r\n"));
}

TEST_F(Pages, are_not_for_the_host_of_an_address_that_is_not_allowed) {
  const auto status = [&](const std::string& target, const std::string& headers) {
    return answer("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n").substr(9, 3);
  };
  EXPECT_EQ(status("http://localhost/healthz", "Host: localhost\r\n"), "200");
  EXPECT_EQ(status("http://localhost/healthz", "Host: stranger.example\r\n"), "200");
  EXPECT_EQ(status("http://127.0.0.1:80/healthz", ""), "200");
  EXPECT_EQ(status("http://stranger.example/healthz", "Host: localhost\r\n"), "403");
  EXPECT_EQ(status("http:///healthz", "Host: localhost\r\n"), "404") << "it names no host";
  EXPECT_EQ(status("http://a@localhost/healthz", "Host: localhost\r\n"), "403");
  EXPECT_EQ(status("http://localhost%00/healthz", "Host: localhost\r\n"), "403");
  EXPECT_EQ(status("http://localhost/healthz", "Host: localhost\r\nhost: localhost\r\n"), "403");
  EXPECT_EQ(status("http://localhost/%6cetters", ""), "404");
}

TEST_F(Pages, have_a_way_in_which_the_answer_comes) {
  const auto way_of = [](const std::string& line) {
    return WebPages::way_of(line + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  };
  for (const std::string host : {"", "http://localhost", "https://stranger.example"}) {
    EXPECT_EQ(way_of("GET " + host + "/letters?sender=a%231"), Way::by_actor);
    EXPECT_EQ(way_of("HEAD " + host + "/letters"), Way::by_actor);
    EXPECT_EQ(way_of("POST " + host + "/act/pause?sender=a%231"), Way::by_actor);
    EXPECT_EQ(way_of("GET " + host + "/events"), Way::as_stream);
    EXPECT_EQ(way_of("GET " + host + "/events?x"), Way::as_stream);
    EXPECT_EQ(way_of("HEAD " + host + "/events"), Way::at_once) << "it has no body, so an end";
    EXPECT_EQ(way_of("GET " + host + "/readyz"), Way::at_once);
    EXPECT_EQ(way_of("HEAD " + host + "/healthz?verbose"), Way::at_once);
    EXPECT_EQ(way_of("GET " + host + "/metrics"), Way::in_turn);
    EXPECT_EQ(way_of("HEAD " + host + "/"), Way::in_turn);
    EXPECT_EQ(way_of("GET " + host + "/status?x"), Way::in_turn);
  }
  for (const std::string line :
       {"GET", "GET /no", "POST /metrics", "GET /act/pause", "POST /act/a/pause", "GET /status "})
    EXPECT_EQ(way_of(line), Way::at_once) << line;
}

TEST_F(Pages, do_nothing_under_another_name_of_an_action) {
  const auto status = [&](const std::string& path) {
    return answer("POST " + path
                  + "?sender=mail%231 HTTP/1.1\r\nHost: localhost\r\n"
                    "Authorization: Bearer 0123456789abcdef\r\nX-Operator: anna\r\n\r\n")
      .substr(9, 3);
  };
  EXPECT_EQ(status("/act/pause"), "404") << "there is no such sender";
  EXPECT_THAT(answer("POST /act/pause HTTP/1.1\r\nAuthorization: Bearer 0123456789abcdef\r\n"
                     "X-Operator: anna\r\n\r\n"),
              EndsWith("\r\n\r\nsender: must be a name such as billing#17\n"));
  for (const auto* path : {"/act/x/pause", "/act/PAUSE", "/act//pause", "/act/pause/"}) {
    EXPECT_EQ(status(path), "404") << path;
    EXPECT_THAT(answer("POST " + std::string{path} + " HTTP/1.1\r\n\r\n"),
                EndsWith("\r\n\r\nthere is no such page; / names those that there are\n"));
  }
}

} // namespace backoff_actor::web::web_pages_test
