#include "rest_client/patient_get.hpp"
#include "web_server.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <string>

namespace rest_client {

using namespace std::chrono_literals;
using backoff_actor::GaveUp;
using backoff_actor::Limits;
using backoff_actor::Memorystore;
using http_guard::WebServer;
using testing::HasSubstr;

// Does not wait longer than it has to.
constexpr Memorystore impatient{.max = 1ms};

// A server whose answers depend on which request it is, from 1.
class patient_get_from_a_server : public testing::Test {
protected:
  auto get(const std::function<void(int, httplib::Response&)>& answer, const Limits& limits = {}) {
    const WebServer server{
      [&](const httplib::Request&, httplib::Response& response) { answer(++calls, response); }};
    return patient_get(server.url() + "/jobs/1", impatient, limits);
  }

  std::atomic<int> calls{0};
};

TEST_F(patient_get_from_a_server, retries_5xx_and_429) {
  const auto result = get([](int call, auto& response) {
    constexpr int statuses[] = {500, 503, 429, 599, 200};
    response.status = statuses[call - 1];
    response.body = call == 5 ? "at last" : "no";
  });

  ASSERT_TRUE(result);
  EXPECT_EQ(result.value->body, "at last");
  EXPECT_EQ(calls, 5);
}

TEST_F(patient_get_from_a_server, retries_no_other_status) {
  for (const auto status : {400, 401, 404, 408, 499}) {
    calls = 0;
    const auto result = get([&](int, auto& response) { response.status = status; });
    EXPECT_EQ(result.reason, GaveUp::not_retryable);
    EXPECT_EQ(result.value->status, status);
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(patient_get_from_a_server, comes_no_earlier_than_it_was_asked_to) {
  const auto result = get([](int call, auto& response) {
    response.status = call == 1 ? 503 : 200;
    response.set_header("Retry-After", "1");
  });

  EXPECT_TRUE(result);
  EXPECT_GE(result.elapsed, 1s);
}

TEST_F(patient_get_from_a_server, gives_up_if_it_is_asked_for_too_much) {
  for (const auto* wish : {"301", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"}) {
    calls = 0;
    const auto result = get([&](int, auto& response) {
      response.status = 429;
      response.set_header("Retry-After", wish);
    });
    EXPECT_EQ(result.reason, GaveUp::retry_after_too_long) << wish;
    EXPECT_EQ(calls, 1);
  }
}

TEST_F(patient_get_from_a_server, heeds_no_wish_that_makes_no_sense) {
  const auto result = get([](int call, auto& response) {
    response.status = call == 1 ? 503 : 200;
    response.set_header("Retry-After", "soon");
  });
  EXPECT_TRUE(result);
  EXPECT_EQ(calls, 2);
}

TEST_F(patient_get_from_a_server, does_not_wait_for_an_answer_longer_than_it_may) {
  std::promise<void> enough;
  const auto until_then = enough.get_future().share();
  const WebServer server{[&](const auto&, auto&) { until_then.wait(); }};
  const auto result =
    patient_get(server.url() + "/jobs/1", impatient, {.max_attempts = 2, .attempt_timeout = 50ms});
  enough.set_value();

  EXPECT_EQ(result.reason, GaveUp::attempts_exhausted);
  EXPECT_THAT(to_string(result), HasSubstr("2 attempts"));
  EXPECT_THAT(to_string(result), HasSubstr("last error: Operation timed out"));
}

} // namespace rest_client
