#include "backoff_actor/caf/outbox/internal/asked_rows.hpp"

#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <algorithm>
#include <exception>

namespace backoff_actor {

namespace {

Duration since(WallTime at, WallTime now) {
  return Instant{Duration{now.since_epoch}} - Instant{Duration{at.since_epoch}};
}

void add_answer(const FoundMessage& found, const DurableTypes& types, AskAnswer& to) {
  if (!found.answer)
    return;
  to.answer_bytes = found.answer->bytes;
  if (!found.answer->message.types.empty())
    to.answer = types.load(found.answer->message);
}

AskAnswer answer_of(const FoundMessage& found, const DurableTypes& types, WallTime now) {
  AskAnswer result;
  result.state = found.state;
  result.delivery = found.delivery;
  result.attempts = found.attempts;
  result.note = found.note;
  result.why = found.why;
  if (found.state != MessageState::unknown)
    result.age = std::max(since(found.since, now), Duration::zero());
  if (found.not_before && *found.not_before > now && found.state != MessageState::dead)
    result.next_try_in = since(now, *found.not_before);
  add_answer(found, types, result);
  return result;
}

// What memory knows to be done is so, whether the rows say it yet or cannot be read.
AskAnswer answer_to(const FindInRows& x, const DurableTypes& types, WallTime now,
                    const std::function<FoundMessage()>& find) {
  if (x.known.state != MessageState::done)
    return answer_of(find(), types, now);
  auto result = x.known;
  try {
    add_answer(find(), types, result);
  } catch (const StoreError&) {
    // Without its answer.
  }
  return result;
}

} // namespace

void answer_by_rows(const FindInRows& x, const DurableTypes& types, WallTime now,
                    const std::function<FoundMessage()>& find) {
  if (!x.client.client)
    return;
  caf::message answer;
  try {
    answer = caf::make_message(answer_to(x, types, now, find));
  } catch (...) {
    if (!x.client.is_request()) // a bare error would end it
      return;
    answer = caf::make_message(compat::error_of(std::current_exception()));
  }
  compat::respond(x.client, std::move(answer));
}

} // namespace backoff_actor
