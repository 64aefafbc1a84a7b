#include "backoff_actor/retry/retry_result.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/internal/thrown.hpp"

#include <chrono>

namespace backoff_actor {

namespace detail {

std::string text_of(const std::exception_ptr& error) {
  const auto* const exception = exception_in(error);
  return exception != nullptr ? exception->what() : "not a std::exception";
}

std::string rounded(Duration span) {
  using namespace std::chrono;
  if (span >= 1s)
    return to_string(Duration{floor<milliseconds>(span)});
  return to_string(span >= 1ms ? Duration{floor<microseconds>(span)} : span);
}

std::string text_of(HeldBackBy reason, std::optional<Duration> come_back_in) {
  auto result = "held back by " + std::string{to_string(reason)};
  if (come_back_in)
    result += ", come back in " + rounded(*come_back_in);
  return result + ",";
}

void throw_if_given_up(const RetryOutcome& outcome) {
  if (!outcome.reason)
    return;
  if (outcome.error)
    std::rethrow_exception(outcome.error);
  throw GaveUpError{outcome};
}

} // namespace detail

std::string to_string(const RetryOutcome& outcome) {
  std::string result = "succeeded";
  if (outcome.held_back_by)
    result = "gave up: " + detail::text_of(*outcome.held_back_by, outcome.come_back_in);
  else if (outcome.reason)
    result = "gave up: " + std::string{to_string(*outcome.reason)};
  result += " after " + std::to_string(outcome.attempts)
            + (outcome.attempts == 1 ? " attempt in " : " attempts in ")
            + detail::rounded(outcome.elapsed);
  if (outcome.error)
    result += "; last error: " + detail::one_line(detail::text_of(outcome.error));
  return result;
}

GaveUpError::GaveUpError(const RetryOutcome& outcome)
  : std::runtime_error(to_string(outcome)), reason_(outcome.reason.value()) {}

} // namespace backoff_actor
