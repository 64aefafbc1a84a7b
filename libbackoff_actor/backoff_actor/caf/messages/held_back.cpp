#include "backoff_actor/caf/messages/held_back.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"

#include <caf/sec.hpp>

#include <string>

namespace backoff_actor {

caf::error held_back_error(const HeldBack& held_back, Instant now) {
  const RetryAfter wish{come_back_in(held_back, now).value_or(Duration::zero())};
  return compat::error_with(SenderError::held_back,
                            caf::make_message(std::string{to_string(held_back.reason)}, wish));
}

std::optional<HeldBackBy> held_back_by(const caf::error& error) {
  if (!compat::has_code(error, SenderError::held_back))
    return std::nullopt;
  const auto& context = error.context();
  if (context.size() > 0 && context.match_element<std::string>(0))
    return detail::held_back_reason(context.get_as<std::string>(0));
  return std::nullopt;
}

namespace detail {

bool says_nothing_of_service(const caf::error& error) {
  return compat::has_code(error, caf::sec::request_receiver_down)
         || compat::has_code(error, SenderError::held_back);
}

bool is_given_back(const caf::error& error) {
  for (const auto code : {SenderError::stopped, SenderError::suspended, SenderError::draining})
    if (compat::has_code(error, code))
      return true;
  return held_back_by(error).has_value();
}

} // namespace detail

} // namespace backoff_actor
