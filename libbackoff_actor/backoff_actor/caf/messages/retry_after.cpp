#include "backoff_actor/caf/messages/retry_after.hpp"

#include <cstddef>

namespace backoff_actor {

std::optional<Duration> retry_after_of(const caf::error& error) {
  if (!error)
    return std::nullopt;
  const auto& context = error.context();
  for (std::size_t i = 0; i < context.size(); ++i)
    if (context.match_element<RetryAfter>(i))
      return context.get_as<RetryAfter>(i).span;
  return std::nullopt;
}

std::string to_string(const RetryAfter& wish) { return "retry after " + to_string(wish.span); }

} // namespace backoff_actor
