// retry: a function that fails now and then, called until it succeeds. Needs no CAF.

// [program]
#include <backoff_actor/retry/retry.hpp>

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

struct Response {
  int status;
  std::string body;
};

// A service that breaks the connection, is overloaded, and then answers.
Response get(const std::string&, const backoff_actor::Attempt& attempt) {
  if (attempt.number == 1)
    throw std::runtime_error("connection reset");
  if (attempt.number <= 3)
    return {503, ""};
  return {200, "done"};
}

int main() {
  // [retry]
  const backoff_actor::Policy policy = "exponential(10ms, x2, cap 1s) | full_jitter";
  const backoff_actor::Limits limits{.max_attempts = 6, .max_elapsed = 30s, .attempt_timeout = 2s};
  const auto result = backoff_actor::retry(
    policy, limits,
    [](const Response& response) { return response.status >= 500; }, // true: try again
    [](const backoff_actor::Attempt& attempt) {
      return get("http://example.org/job/7", attempt); // an exception: try again
    });
  if (result)
    std::cout << "attempt " << result.attempts << ": " << result.value->body << std::endl;
  else // gave up: attempts_exhausted after 6 attempts in ...
    std::cout << to_string(result) << std::endl;
  // [retry]
  return result ? 0 : 1;
}
// [program]
