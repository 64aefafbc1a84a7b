#include "backoff_actor/caf/messages/error_predicate.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"

#include <caf/sec.hpp>

namespace backoff_actor {

namespace {

// A time of 0 in an error asks for nothing.
std::optional<Duration> wish_of(const caf::error& error) {
  const auto span = retry_after_of(error);
  return span > Duration::zero() ? span : std::nullopt;
}

Assessment assessed(const std::function<Assessment(const caf::error&)>& assess,
                    const caf::error& error) {
  try {
    if (assess)
      return assess(error);
  } catch (...) {
    // If the predicate throws, `assess_error` decides.
  }
  return assess_error(error);
}

} // namespace

Assessment assess_error(const caf::error& error) {
  if (retry_after_of(error))
    return retryable;
  for (const auto code : {caf::sec::unexpected_message, caf::sec::unexpected_response,
                          caf::sec::request_receiver_down})
    if (compat::has_code(error, code))
      return not_retryable;
  return compat::has_code(error, SenderError::unknown_type) ? not_retryable : retryable;
}

Assessment ErrorPredicate::operator()(const caf::error& error) const {
  auto result = assessed(assess_, error);
  if (result.kind == Assessment::Kind::retryable && !result.retry_after)
    result.retry_after = wish_of(error);
  return result;
}

} // namespace backoff_actor
