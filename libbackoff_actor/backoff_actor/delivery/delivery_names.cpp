// The names of what becomes of a message: why it was refused, why it was given up, where it is.

#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/refusal.hpp"

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

std::string_view to_string(Refusal refusal) {
  constexpr auto names = detail::enum_names<Refusal>(
    {"outbox_full", "draining", "stopped", "unusable", "not_stored", "not_owner"});
  return names.of(refusal);
}

std::string_view to_string(MessageState state) {
  constexpr auto names =
    detail::enum_names<MessageState>({"unknown", "waiting", "in_work", "owed", "done", "dead"});
  return names.of(state);
}

} // namespace backoff_actor
