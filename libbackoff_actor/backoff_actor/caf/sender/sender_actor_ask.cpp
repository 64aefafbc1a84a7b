// How a sender says what has become of a message: from its memory, and what that does not know from
// the rows of its store.

#include "backoff_actor/caf/actor/internal/asker.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace backoff_actor {

void BackOffSender::on_ask(const Ask& x) {
  if (const auto problems = check(x); !problems.empty())
    return refuse_word(problems);
  auto client = open_request();
  if (x.within > Duration::zero())
    return spawn_asker(system(), address(), x, std::move(client));
  auto answer = look_up(x);
  // What an earlier sender has kept is in the rows alone.
  const auto may_have_answer = answer.state == MessageState::done && answer.answer_bytes == 0
                               && options().rare.largest_kept_answer != 0;
  if (store_ && (answer.state == MessageState::unknown || may_have_answer))
    return store_->find_in_rows(x, std::move(client), std::move(answer));
  answer_request(client, caf::make_message(std::move(answer)));
}

AskAnswer BackOffSender::look_up(const Ask& x) {
  if (const auto* const entry = entry_named(x.idempotency_key, x.delivery))
    return look_at_entry(*entry);
  if (x.idempotency_key.empty()) {
    const auto slot = engine_.slot_of(x.delivery);
    return slot ? look_at(*slot, x.delivery) : AskAnswer{};
  }
  const auto* const rare = rare_if_any();
  if (!rare || !rare->keys)
    return {};
  std::uint32_t slot = 0;
  const auto limit = now() + -options().rare.idempotency_retention;
  switch (rare->keys->state(x.idempotency_key, limit, slot)) {
  case IdempotencyKeys::State::owed:
    return look_at(slot, parcels_[slot].more().delivery);
  case IdempotencyKeys::State::acknowledged: {
    AskAnswer result;
    result.state = MessageState::done;
    result.age = now() - rare->keys->acknowledged_at(x.idempotency_key);
    if (const auto* const kept = rare->keys->answer(x.idempotency_key)) {
      result.answer = kept->content;
      result.answer_bytes = kept->bytes;
    }
    return result;
  }
  case IdempotencyKeys::State::unknown:
    break;
  }
  return {};
}

AskAnswer BackOffSender::look_at(std::uint32_t slot, std::uint64_t delivery) {
  const auto view = engine_.view(slot);
  const auto at = now();
  AskAnswer result;
  result.state = view.is_in_work ? MessageState::in_work : MessageState::waiting;
  result.delivery = delivery;
  result.age = std::max(at - view.since, Duration::zero());
  result.attempts = view.attempts;
  result.incarnation = view.incarnation;
  if (view.next_try != Instant::never())
    result.next_try_in = std::max(view.next_try - at, Duration::zero());
  if (const auto* const child = children_.find(view.incarnation); child && view.is_in_work)
    result.child = to_string(child->handle);
  if (engine_.has_note(slot))
    result.note = detail::note_in(parcels_[slot].more().context);
  return result;
}

// -- answers that are kept --------------------------------------------------------------

// In the store it comes with the acknowledgement.
void BackOffSender::keep_answer(const std::string& key, const caf::message& answer) {
  keys().drop_answer(key);
  if (answer.empty())
    return;
  try {
    if (const auto error = compat::unknown_type(system(), answer))
      return tell_unkept(key, render(system(), error));
    const auto bytes = compat::serialized_size(system(), answer);
    const auto is_kept = bytes <= options().rare.largest_kept_answer;
    if (store_)
      store_->keep_answer(system(), key, is_kept ? answer : caf::message{}, bytes, now());
    keys().keep(key, {is_kept ? answer : caf::message{}, bytes});
  } catch (...) {
    tell_unkept(key, detail::thrown_text(std::current_exception()));
  }
}

void BackOffSender::tell_unkept(const std::string& key, const std::string& why) {
  if (!options().on_event)
    return;
  std::string text{"the answer to \""};
  text.append(key).append("\" is not kept: ").append(why);
  tell(event::StoreNotice{now(), std::move(text)});
}

} // namespace backoff_actor
