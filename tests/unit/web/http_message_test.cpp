#include "backoff_actor/web/internal/http_message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace backoff_actor::web::http_message_test {

namespace {

// What is read of a head: method, path, query and host, with bars between them.
std::string read(std::string_view head) {
  const auto request = WebRequest::read(head);
  if (!request)
    return "none";
  std::string result{request->method};
  result.append(" | ").append(request->path).append(" | ").append(request->query);
  return result.append(" | ").append(request->host());
}

std::string read_line(const std::string& line) { return read(line + "\r\nHost: a\r\n\r\n"); }

WebRequest with(std::string_view head) { return WebRequest::read(head).value_or(WebRequest{}); }

} // namespace

TEST(web_request, has_a_method_a_path_and_a_query) {
  EXPECT_EQ(read_line("GET / HTTP/1.1"), "GET | / |  | a");
  EXPECT_EQ(read_line("POST /act/pause?sender=a%231&x HTTP/1.0"),
            "POST | /act/pause | sender=a%231&x | a");
  EXPECT_EQ(read_line("GET /status?a?b=/ HTTP/1.1"), "GET | /status | a?b=/ | a");
  EXPECT_EQ(read_line("GET /a#b?c HTTP/1.1"), "GET | /a |  | a");
  EXPECT_EQ(read_line("OPTIONS * HTTP/1.1"), "OPTIONS | * |  | a");
}

TEST(web_request, is_of_this_version_with_one_space_between_its_parts) {
  for (const std::string line :
       {"", "GET", "GET /", "GET / ", "GET / HTTP/1.2", "GET / HTTP/2.0", "GET / HTTP/1.1 ",
        "GET / http/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1",
        "GET\t/ HTTP/1.1", "GET / / HTTP/1.1", "get / HTTP/1.1", "G-T / HTTP/1.1"})
    EXPECT_EQ(read_line(line), "none") << line;
}

TEST(web_request, is_none_if_a_line_may_end_elsewhere) {
  for (const auto& mark : {std::string{"\n"}, std::string{"\r"}, std::string(1, '\0')})
    for (const std::string head :
         {"G@ET / HTTP/1.1\r\n\r\n", "GET /@ HTTP/1.1\r\n\r\n",
          "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", "GET / HTTP/1.1\r\nX: @\r\n\r\n"}) {
      auto changed = head;
      EXPECT_EQ(read(changed.replace(changed.find('@'), 1, mark)), "none")
        << ::testing::PrintToString(changed);
    }
}

TEST(web_request, is_for_the_host_of_an_address_in_full) {
  EXPECT_EQ(read_line("GET http://localhost/healthz HTTP/1.1"), "GET | /healthz |  | localhost");
  EXPECT_EQ(read_line("HEAD HTTPS://[::1]:80?x=/ HTTP/1.0"), "HEAD | / | x=/ | [::1]:80");
  EXPECT_EQ(read_line("GET http://localhost HTTP/1.1"), "GET | / |  | localhost");
  EXPECT_EQ(read_line("GET http://a@localhost#b HTTP/1.1"), "GET | / |  | a@localhost");
  EXPECT_EQ(read_line("GET http:///healthz HTTP/1.1"), "GET | http:///healthz |  | a");
  EXPECT_EQ(read_line("GET ftp://localhost/ HTTP/1.1"), "GET | ftp://localhost/ |  | a");
  EXPECT_EQ(read_line("GET /http://localhost/ HTTP/1.1"), "GET | /http://localhost/ |  | a");
  EXPECT_EQ(read("GET http://b/ HTTP/1.1\r\n\r\n"), "GET | / |  | b");
  EXPECT_EQ(read("GET http://b/ HTTP/1.1\r\nHost: b\r\nhost: b\r\n\r\n"), "GET | / |  | b\nb")
    << "two are no host, as without the address";
}

TEST(web_request, has_headers_by_name) {
  const auto request = with("GET / HTTP/1.1\r\n"
                            "Origin:http://a \t\r\n"
                            "X-OPERATOR: \tanna b:c\r\n"
                            "X-Operators: bert\r\n"
                            "Host:\r\n"
                            "Host : evil\r\n"
                            "Host: 127%2e1\r\n"
                            " .folded\r\n"
                            "Sec-Fetch-Site: none\r\n"
                            "sec-fetch-site: none\r\n"
                            "\r\n");
  EXPECT_EQ(request.header("origin"), "http://a");
  EXPECT_EQ(request.header("x-operator"), "anna b:c");
  EXPECT_EQ(request.header("host"), "127%2e1");
  EXPECT_EQ(request.header("sec-fetch-site"), "none\nnone");
  EXPECT_EQ(request.header("authorization"), "");
}

TEST(web_request, has_parameters_without_escapes) {
  const auto request =
    with("GET /?a=1&b=%61+%2B%zz%4&&c&=d&a=2&%65=x=y&f%3Dg=h&i=%00 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(request.parameter("a"), "1") << "the first counts";
  EXPECT_EQ(request.parameter("b"), "a +%zz%4");
  EXPECT_EQ(request.parameter("c"), "");
  EXPECT_EQ(request.parameter("e"), "x=y");
  EXPECT_EQ(request.parameter("f=g"), "h");
  EXPECT_EQ(request.parameter("i"), std::string(1, '\0'));
  EXPECT_EQ(request.parameter("j"), "");
}

} // namespace backoff_actor::web::http_message_test
