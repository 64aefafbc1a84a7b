#include "backoff_actor/delivery/internal/cancel_mark.hpp"

#include "backoff_actor/core/text/internal/context_line.hpp"
#include "backoff_actor/delivery/incoming.hpp"

#include <utility>

namespace backoff_actor {

IncomingMessage row_that_cancels(std::string idempotency_key, bool wants_letter) {
  IncomingMessage result;
  result.type = detail::cancel_type;
  result.idempotency_key = std::move(idempotency_key);
  if (wants_letter)
    for (const auto one : detail::cancel_with_letter)
      result.payload.push_back(static_cast<std::byte>(one));
  return result;
}

IncomingMessage row_that_replaces(std::string idempotency_key, std::string type,
                                  std::vector<std::byte> payload) {
  IncomingMessage result;
  result.idempotency_key = std::move(idempotency_key);
  result.type = std::move(type);
  result.payload = std::move(payload);
  result.context = detail::replace_line;
  return result;
}

} // namespace backoff_actor

namespace backoff_actor::detail {

namespace {

constexpr std::string_view mark_in_context = "cancelled: ";

} // namespace

void mark_cancelled(std::string& context, bool wants_letter) {
  unmark_cancelled(context);
  if (!context.empty())
    context += '\n';
  context.append(mark_in_context).append(wants_letter ? "letter" : "gone");
}

void unmark_cancelled(std::string& context) { remove_line(context, mark_in_context); }

std::optional<bool> cancel_mark_in(std::string_view context) {
  const auto value = value_in(context, mark_in_context);
  return value.empty() ? std::nullopt : std::optional{value == "letter"};
}

bool says_replace(std::string_view context) { return !value_in(context, "replace: ").empty(); }

} // namespace backoff_actor::detail
