#include "backoff_actor/backoff/http/http_answer.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

namespace backoff_actor::http_answer_test {

using namespace std::chrono_literals;
using namespace std::string_literals;

using Wish = std::optional<Duration>;

std::string words_of(const HttpAnswer& answer) {
  const std::string outcome = answer.outcome == HttpOutcome::done    ? "done"
                              : answer.outcome == HttpOutcome::later ? "later"
                                                                     : "refused";
  const std::string subject = answer.speaks_of == HttpSubject::message   ? "message"
                              : answer.speaks_of == HttpSubject::service ? "service"
                                                                         : "either";
  return outcome + ", " + subject + (answer.wait ? ", " + to_string(*answer.wait) : "");
}

void expect(std::initializer_list<int> statuses, const char* words) {
  for (const auto status : statuses)
    EXPECT_EQ(words_of(answer_of_http(status)), words) << status;
}

void expect_after(const Wish& wish, std::initializer_list<int> statuses, const char* words) {
  for (const auto status : statuses)
    EXPECT_EQ(words_of(answer_of_http(status, wish)), words) << status;
}

std::string text_with(const std::string& body) { return answer_of_http(500, {}, body).text; }

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (auto i = 0; i < times; ++i)
    result += text;
  return result;
}

// -- the outcome ------------------------------------------------------------------------

TEST(http_answer, of_2xx_is_done) {
  expect({200, 201, 202, 203, 204, 205, 206, 207, 208, 226, 299}, "done, either");
}

TEST(http_answer, of_3xx_is_final) {
  expect({300, 301, 302, 303, 304, 305, 307, 308, 399}, "refused, either");
}

TEST(http_answer, of_4xx_is_final_and_about_the_message) {
  expect({400, 402, 404, 405, 406, 409, 410, 411, 412, 413, 414,
          415, 416, 417, 418, 422, 424, 426, 428, 431, 451, 499},
         "refused, message");
}

TEST(http_answer, of_4xx_that_all_calls_get_until_somebody_acts_is_not_final) {
  expect({401, 407}, "later, service");
  expect({403}, "later, either");
}

TEST(http_answer, of_4xx_about_the_time_or_the_connection_is_not_final) {
  expect({408, 421, 425, 429}, "later, service");
  expect({423}, "later, message");
}

TEST(http_answer, of_5xx_is_not_final_and_says_seldom_whose_fault_it_is) {
  expect({500, 507, 508, 509, 512, 520, 524, 529, 598, 599}, "later, either");
  expect({502, 503, 504, 511}, "later, service");
}

TEST(http_answer, of_5xx_that_no_call_can_change_is_final) {
  expect({501, 505, 506, 510}, "refused, service");
}

TEST(http_answer, with_a_number_of_no_class_counts_as_5xx) {
  expect({100, 101, 103, 199, 600, 999}, "later, either");
}

TEST(http_answer, that_did_not_come_may_come_later) { expect({0}, "later, either"); }

TEST(http_answer, is_refused_if_its_status_has_not_three_digits) {
  for (const auto& [status, given] : {std::pair{-2147483647 - 1, "-2147483648"},
                                      {-503, "-503"},
                                      {-1, "-1"},
                                      {1, "1"},
                                      {99, "99"},
                                      {1000, "1000"},
                                      {2147483647, "2147483647"}})
    try {
      answer_of_http(status);
      ADD_FAILURE() << status;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(),
                "status: got "s + given + ", allowed 100..999, or 0 if there was no answer");
    }
}

// -- Retry-After --------------------------------------------------------------------------

TEST(http_answer, has_the_wait_that_the_service_asked_for) {
  expect_after(30s, {408, 421, 425, 429, 401, 407, 502, 503, 504, 511}, "later, service, 30s");
  expect_after(30s, {403, 500, 520}, "later, either, 30s");
  expect_after(0s, {429, 503}, "later, service, 0ns");
  expect_after(Duration::max(), {0}, ("later, either, " + to_string(Duration::max())).c_str());
}

TEST(http_answer, with_a_wait_that_is_negative_asks_for_none) {
  expect_after(-1ns, {503}, "later, service, 0ns");
  expect_after(Duration::min(), {503}, "later, service, 0ns");
}

TEST(http_answer, of_4xx_or_5xx_that_says_when_to_come_back_is_not_final) {
  expect_after(30s, {400, 404, 409, 413, 422, 423}, "later, message, 30s");
  expect_after(0s, {409}, "later, message, 0ns");
  expect_after(30s, {501, 505}, "later, service, 30s");
}

TEST(http_answer, of_2xx_or_3xx_has_no_wait) {
  expect_after(30s, {200, 202}, "done, either");
  expect_after(30s, {301, 303, 308}, "refused, either");
}

TEST(http_answer, tells_retry_what_to_do) {
  const auto assessed = [](int status, const Wish& wish) {
    return answer_of_http(status, wish).assessment();
  };
  EXPECT_EQ(assessed(204, {}).kind, Assessment::Kind::success);
  EXPECT_EQ(assessed(404, {}).kind, Assessment::Kind::final);
  EXPECT_EQ(assessed(301, 30s).kind, Assessment::Kind::final);
  EXPECT_EQ(assessed(500, {}).kind, Assessment::Kind::retryable);
  EXPECT_EQ(assessed(500, {}).retry_after, std::nullopt);
  EXPECT_EQ(assessed(503, 30s).kind, Assessment::Kind::retryable);
  EXPECT_EQ(assessed(503, 30s).retry_after, 30s);
}

TEST(http_answer, may_be_changed_by_who_knows_the_service) {
  auto answer = answer_of_http(409);
  answer.outcome = HttpOutcome::done;

  EXPECT_TRUE(answer.is_done());
  EXPECT_EQ(answer.assessment().kind, Assessment::Kind::success);
}

// -- the text -----------------------------------------------------------------------------

TEST(http_answer, has_the_status_and_the_body_in_its_text) {
  EXPECT_EQ(answer_of_http(503).text, "HTTP 503");
  EXPECT_EQ(answer_of_http(503, 30s, "down").text, "HTTP 503: down");
  EXPECT_EQ(answer_of_http(422, {}, R"({"error": "no such card"})").text,
            R"(HTTP 422: {"error": "no such card"})");
  EXPECT_EQ(answer_of_http(0).text, "no answer");
  EXPECT_EQ(answer_of_http(0, {}, "Connection refused").text, "no answer: Connection refused");
  EXPECT_EQ(answer_of_http(999).text, "HTTP 999");
}

TEST(http_answer, that_is_done_has_no_body_in_its_text) {
  EXPECT_EQ(answer_of_http(200, {}, "order 7 charged").text, "HTTP 200");
}

TEST(http_answer, has_a_page_of_html_in_one_line) {
  EXPECT_EQ(text_with("\r\n<html>\r\n<head><title>503 Bad</title></head>\r\n\t <body>\n\n"),
            "HTTP 500: <html> <head><title>503 Bad</title></head> <body>");
  EXPECT_EQ(text_with(" \r\n\t"), "HTTP 500");
}

TEST(http_answer, makes_control_characters_harmless) {
  EXPECT_EQ(text_with("\x1b[31mred\0\x7f"s), "HTTP 500: \\u001b[31mred\\u0000\\u007f");
  EXPECT_EQ(text_with("a\xe2\x80\xa8z"), "HTTP 500: a\\u2028z");
  EXPECT_EQ(text_with("\xff\xc3"), "HTTP 500: \xef\xbf\xbd\xef\xbf\xbd");
}

TEST(http_answer, has_no_more_than_the_beginning_of_a_body) {
  EXPECT_EQ(text_with(repeated("x", 190)), "HTTP 500: " + repeated("x", 190));
  EXPECT_EQ(text_with(repeated("x", 191)), "HTTP 500: " + repeated("x", 187) + "...");
  EXPECT_EQ(text_with(repeated("x", 10'000'000)), "HTTP 500: " + repeated("x", 187) + "...");
  EXPECT_EQ(answer_of_http(0, {}, repeated("x", 190)).text,
            "no answer: " + repeated("x", 186) + "...");
}

TEST(http_answer, is_cut_between_characters) {
  const auto bang = "\xf0\x9f\x92\xa5"s;
  EXPECT_EQ(text_with(repeated(bang, 190)), "HTTP 500: " + repeated(bang, 190));
  EXPECT_EQ(text_with(repeated(bang, 191)), "HTTP 500: " + repeated(bang, 187) + "...");
  EXPECT_EQ(text_with("x" + repeated(bang, 5000)), "HTTP 500: x" + repeated(bang, 186) + "...");
  EXPECT_EQ(text_with(repeated(bang + "  ", 5000)),
            "HTTP 500: " + repeated(bang + " ", 93) + bang + "...");
}

TEST(http_answer, of_blanks_without_end_has_what_is_between_them) {
  EXPECT_EQ(text_with(repeated(" ", 100'000) + "a" + repeated("\n", 100'000) + "b"),
            "HTTP 500: a b");
}

TEST(http_answer, is_cut_also_where_escapes_make_it_longer) {
  const auto text = text_with(repeated("\x01", 190));
  EXPECT_EQ(detail::count_characters(text), most_characters_of_http_text);
  EXPECT_TRUE(text.starts_with("HTTP 500: \\u0001\\u0001")) << text;
  EXPECT_TRUE(text.ends_with("...")) << text;
}

// axios-retry sends a POST whose connection was dropped four times.
TEST(http_answer, that_did_not_come_ends_a_post_unless_somebody_said_that_it_may_be_repeated) {
  const auto outcome = [](HttpRequest request, int status,
                          std::optional<Duration> wait = std::nullopt) {
    return answer_of_http(request, status, wait, "connection reset").outcome;
  };
  for (const auto* method : {"POST", "PATCH", "CONNECT", "post", ""}) {
    EXPECT_EQ(outcome({method}, 0), HttpOutcome::refused) << method;
    EXPECT_EQ(outcome({method, true}, 0), HttpOutcome::later) << method;
  }
  for (const auto* method : {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"})
    EXPECT_EQ(outcome({method}, 0), HttpOutcome::later) << method;
  EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, 0, {}, "connection reset").assessment().kind,
            Assessment::Kind::final);
  EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, 0, {}, "connection reset").text,
            "no answer: connection reset");
}

TEST(http_answer, that_leaves_open_whether_it_was_done_ends_a_post_and_any_other_does_not) {
  for (const auto status : {100, 500, 502, 504, 507, 599, 600, 999})
    EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, status).outcome, HttpOutcome::refused) << status;
  for (const auto status : {401, 403, 408, 421, 423, 425, 429, 503, 511})
    EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, status).outcome, HttpOutcome::later) << status;
  EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, 500, 3s).outcome, HttpOutcome::later);
  EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, 201).outcome, HttpOutcome::done);
  EXPECT_EQ(answer_of_http(HttpRequest{"POST"}, 400).outcome, HttpOutcome::refused);
}

} // namespace backoff_actor::http_answer_test
