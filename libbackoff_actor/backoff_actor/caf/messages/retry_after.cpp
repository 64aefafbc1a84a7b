#include "backoff_actor/caf/messages/retry_after.hpp"

#include <caf/sec.hpp>

#include <cstddef>
#include <utility>

namespace backoff_actor {

caf::error retry_after(Duration span, std::string text) {
  return retry_after(caf::sec::runtime_error, span, std::move(text));
}

std::optional<Duration> retry_after_of(const caf::error& error) {
  if (!error)
    return std::nullopt;
  const auto& context = error.context();
  for (std::size_t i = 0; i < context.size(); ++i)
    if (context.match_element<RetryAfter>(i))
      return context.get_as<RetryAfter>(i).span;
  return std::nullopt;
}

caf::error error_of_http(const HttpAnswer& answer) {
  const auto wait = answer.wait.value_or(Duration::zero());
  switch (answer.outcome) {
  case HttpOutcome::done:
    return {};
  case HttpOutcome::later:
    return answer.speaks_of == HttpSubject::service
             ? blame_service(caf::sec::runtime_error, answer.text, wait)
             : retry_after(wait, answer.text);
  case HttpOutcome::refused:
    break;
  }
  return caf::make_error(caf::sec::unexpected_message, answer.text);
}

std::string to_string(const RetryAfter& wish) { return "retry after " + to_string(wish.span); }

Blame blame_of(const caf::error& error) {
  if (!error)
    return Blame::unknown;
  const auto& context = error.context();
  for (std::size_t i = 0; i < context.size(); ++i)
    if (context.match_element<Blamed>(i)) {
      const auto blame = context.get_as<Blamed>(i).blame;
      return blame == Blame::service || blame == Blame::message ? blame : Blame::unknown;
    }
  return Blame::unknown;
}

std::string to_string(const Blamed& x) { return "blame " + std::string{to_string(x.blame)}; }

} // namespace backoff_actor
