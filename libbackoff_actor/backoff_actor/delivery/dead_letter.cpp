#include "backoff_actor/delivery/dead_letter.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

namespace {

constexpr auto dead_letter_reasons = detail::enum_names<DeadLetterReason>(
  {"rejected", "stopped", "attempts_exhausted", "expired", "dropped", "retry_after_too_long",
   "gave_up", "not_stored", "hand_overs_exhausted", "set_aside", "unreadable", "cancelled"});

} // namespace

std::string_view to_string(DeadLetterReason reason) { return dead_letter_reasons.of(reason); }

std::optional<DeadLetterReason> detail::dead_letter_reason(std::string_view name) {
  return dead_letter_reasons.find(name);
}

} // namespace backoff_actor
