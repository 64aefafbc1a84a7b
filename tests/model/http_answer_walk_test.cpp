// Answers of services that do not keep to HTTP: any number as the status, any span, and any bytes
// as the body. Whatever comes is read or refused, and the text of either is one short line.

#include "backoff_actor/backoff/http/http_answer.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/problems.hpp"
#include "common/random_walk.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::model_test::http_answer_walk {

namespace {

using test::require;

// Bytes of which many are a part of no character, a part of a long one, or end a line.
rc::Gen<std::string> any_body() {
  const auto piece =
    rc::gen::oneOf(rc::gen::map(rc::gen::arbitrary<char>(), [](char c) { return std::string{c}; }),
                   rc::gen::elementOf(std::vector<std::string>{
                     " ", "\r\n", std::string(1, '\0'), "\x1b[2J", "\xc3\xa9", "\xe2\x80\xa8",
                     "\xf0\x9f\x92\xa5", "\xf0\x9f\x92", "\xed\xa0\x80", "</title>"}));
  const auto pieces = rc::gen::scale(5.0, rc::gen::container<std::vector<std::string>>(piece));
  return rc::gen::map(pieces, [](const std::vector<std::string>& x) {
    std::string body;
    for (const auto& one : x)
      body += one;
    return body;
  });
}

rc::Gen<int> any_status() {
  return rc::gen::oneOf(rc::gen::arbitrary<int>(), test::below(1100),
                        rc::gen::elementOf(std::vector<int>{INT32_MIN, -1, 0, 99, 100, 599, 600,
                                                            999, 1000, INT32_MAX}));
}

void require_one_line(const std::string& text) {
  require(!text.empty(), "there is a text");
  require(detail::one_line(text) == text, "it is one line of UTF-8 without control characters");
  require(detail::count_characters(text) <= 200, "it is short");
}

} // namespace

TEST(http_answer_walk, every_status_and_body_is_read_or_refused_in_one_short_line) {
  EXPECT_TRUE(test::check_cases(20'000, [] {
    const auto status = *any_status();
    const auto wish = *rc::gen::arbitrary<rc::Maybe<std::int64_t>>();
    const auto body = *any_body();
    const auto retry_after = wish ? std::optional{Duration{*wish}} : std::nullopt;
    const auto is_allowed = status == 0 || (status >= 100 && status <= 999);
    try {
      const auto answer = answer_of_http(status, retry_after, body);
      require(is_allowed, "a status that no service gives is refused");
      require(answer.status == status, "the status is kept");
      require(answer.is_done() == (status / 100 == 2), "2xx is done, and nothing else");
      require(!answer.wait || *answer.wait >= Duration::zero(), "no wait is negative");
      require(!answer.wait || answer.outcome == HttpOutcome::later, "only later has a wait");
      require(answer.outcome != HttpOutcome::later || answer.wait.has_value() == bool{wish},
              "later has the wait that was asked for");
      require_one_line(answer.text);
    } catch (const InvalidArgument& error) {
      require(!is_allowed, "a status of three digits is read");
      require_one_line(error.what());
    }
  }));
}

} // namespace backoff_actor::model_test::http_answer_walk
