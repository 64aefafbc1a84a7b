// How a sender replaces the payload of a delivery that waits, and when the answer may be given.
//
//     Replace ── SetMessage ── stored: the answer; may be handed over
//                         └─── refused: the payload before is back
//
// The new payload is in its place at once, so that whatever ends the delivery meanwhile ends that
// one. Of several in a row each knows the one before.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include <caf/sec.hpp>

#include <exception>
#include <string>
#include <utility>

namespace backoff_actor {

// What has a note is in work: a new payload must not go on where the old one was.
BackOffSender::Named BackOffSender::find_to_replace(const std::string& idempotency_key,
                                                    std::uint64_t delivery) {
  auto result = find_named(idempotency_key, delivery);
  if (result.found == CancelFound::waiting && engine_.has_note(result.slot))
    result.found = CancelFound::in_work;
  return result;
}

void BackOffSender::replace(const Replace& x, compat::OpenRequest client) {
  if (const auto* const entry = entry_named(x.idempotency_key, x.delivery))
    return replace_in_entry(*entry, x, std::move(client));
  const auto it = find_to_replace(x.idempotency_key, x.delivery);
  const auto is_for_rows = it.found == CancelFound::unknown && may_be_row(x.idempotency_key);
  if (it.found != CancelFound::waiting && !is_for_rows)
    return answer_cancel(client, it.found);
  if (compat::is_system_message(x.payload))
    return refuse(client, compat::system_message_refused());
  if (auto error = needs_bytes() ? compat::unknown_type(system(), x.payload) : caf::error{})
    return refuse(client, std::move(error));
  input::Replace news{it.slot, it.delivery};
  try {
    if (is_for_rows) {
      auto stored = store_->save(system(), x.payload);
      auto row =
        row_that_replaces(x.idempotency_key, std::move(stored.types), std::move(stored.bytes));
      if (!store_->pass_on(system(), std::move(row), client))
        answer_cancel(client, it.found);
      return;
    }
    news.weight = weight_of(x.payload);
    if (store_)
      store_->prepare(system(), x.payload, Instant::never());
  } catch (const NotStorable& exception) {
    return refuse(client, make_error(SenderError::not_storable, exception.what()));
  } catch (...) {
    return refuse(client, compat::error_of(std::current_exception()));
  }
  if (const auto& most = options().rare.capacity_bytes; most && news.weight > *most) {
    Problems problems{"Replace"};
    problems.add("payload", "one that weighs " + std::to_string(news.weight),
                 "0.." + std::to_string(*most) + ", see RareSenderOptions::capacity_bytes");
    return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
  }
  if (!engine_.has_room_in_place(it.slot, news.weight))
    return refuse(client, make_error(SenderError::outbox_full));
  incoming_ = {x.payload, std::move(client), nullptr};
  take(news);
}

// A row of another program, or of a process that stands by; `incoming_` has its payload. Returns
// false if there is no room for that. A delivery that is not stored yet may come to nothing: then
// the row comes in once more.
bool BackOffSender::replace(IncomingMessage row, StoredMessage stored, std::uint32_t weight) {
  if (entry_named(row.idempotency_key, 0)) {
    incoming_ = {};
    store_->drop_incoming(row.row);
    take(input::StoreNotice{"row " + std::to_string(row.row)
                            + " replaces the message of a calendar entry, which keeps it: only "
                              "the process that owns the outbox may replace it"});
    return true;
  }
  const auto it = find_to_replace(row.idempotency_key, 0);
  if (it.found == CancelFound::waiting && !parcels_[it.slot].more().is_confirmed) {
    incoming_ = {};
    store_->give_back(row.row);
    return true;
  }
  if (it.found == CancelFound::waiting && !engine_.has_room_in_place(it.slot, weight)) {
    incoming_ = {};
    row.type = std::move(stored.types);
    row.payload = std::move(stored.bytes);
    store_->wait_for_room(std::move(row));
    return false;
  }
  if (it.found == CancelFound::waiting) {
    auto payload = std::move(incoming_.payload);
    incoming_ = {std::move(payload), {}, nullptr};
    incoming_.more().row = row.row;
    store_->prepare(std::move(stored), Instant::never(), row.row);
    take(input::Replace{it.slot, it.delivery, weight});
    return true;
  }
  incoming_ = {};
  if (it.found == CancelFound::unknown) { // it may still be a row that waits for its time
    store_->replace_by(row.row);
    rare().awaited[0].replacements.push_back({{}, {}, row.row});
    note_unreplaced(row,
                    "only rows that wait for their time have the new payload, if there are any");
  } else {
    store_->drop_incoming(row.row);
    note_unreplaced(row, "it keeps its payload");
  }
  return true;
}

void BackOffSender::note_unreplaced(const IncomingMessage& row, std::string_view what) {
  const auto found = find_to_replace(row.idempotency_key, 0).found;
  auto text = "row " + std::to_string(row.row);
  text.append(" replaces the message \"").append(row.idempotency_key).append("\", which is ");
  text.append(to_string(found)).append(": ").append(what);
  take(input::StoreNotice{std::move(text)});
}

// -- what the engine has decided ----------------------------------------------------------------

void BackOffSender::set_payload(const effect::Replace& x) {
  auto news = std::exchange(incoming_, {});
  auto before = std::exchange(parcels_[x.slot].payload, std::move(news.payload));
  if (!store_)
    return answer_cancel(news.client, CancelFound::waiting);
  store_->set_message(x.delivery, now());
  auto& awaited = rare().awaited[x.delivery];
  awaited.slot = x.slot;
  awaited.replacements.push_back(
    {std::move(before), std::move(news.client), news.extra ? news.extra->row : 0});
}

// The last sender has ended before the store had answered.
void BackOffSender::set_payload_again(std::uint64_t delivery, caf::message before) {
  const auto slot = engine_.slot_of(delivery);
  if (!slot)
    return;
  incoming_ = {std::exchange(parcels_[*slot].payload, std::move(before)), {}, nullptr};
  store_->prepare(system(), incoming_.payload, Instant::never());
  take(input::Replace{*slot, delivery, weight_of_accepted(incoming_.payload)});
}

// It stays accepted, even without a weight.
std::uint32_t BackOffSender::weight_of_accepted(const caf::message& message) {
  try {
    return weight_of(message);
  } catch (...) {
    return 0;
  }
}

// -- what is stored -----------------------------------------------------------------------------

void BackOffSender::on_replacements_stored() {
  if (!store_)
    return;
  for (const auto& x : store_->take_replaced())
    if (store_ && rare_if_any())
      settle(x);
}

void BackOffSender::settle(const outbox_effect::TellReplaced& x) {
  auto& all = rare().awaited;
  const auto found = all.find(x.delivery);
  if (found == all.end())
    return;
  if (found->second.replacements.empty()) { // its delivery is not stored, and they were refused
    if (found->second.cancels.empty())
      all.erase(found);
    return;
  }
  auto& awaited = found->second;
  auto& open = awaited.replacements;
  auto one = std::move(open.front());
  open.erase(open.begin());
  const auto slot = awaited.slot;
  const auto is_owed = x.delivery != 0 && engine_.owes(slot, x.delivery);
  awaited.is_new |= !x.failure;
  if (x.failure && !open.empty())
    open.front().before = std::move(one.before);
  else if (x.failure && is_owed)
    parcels_[slot].payload = std::move(one.before);
  const auto is_new = awaited.is_new;
  const auto is_last = open.empty();
  if (is_last && awaited.cancels.empty())
    all.erase(found);
  if (!x.failure)
    answer_cancel(one.client, CancelFound::waiting);
  else if (one.row != 0)
    store_->give_back(one.row);
  else
    refuse(one.client, make_error(SenderError::not_stored, x.failure->text));
  if (!is_last || !is_owed)
    return;
  if (is_new)
    store_->forget_hand_overs(x.delivery);
  take(input::Replaced{slot, x.delivery, weight_of_accepted(parcels_[slot].payload), is_new});
}

void BackOffSender::refuse_replacements(Awaited& awaited, SenderError why) {
  for (auto& one : std::exchange(awaited.replacements, {}))
    if (one.row != 0)
      store_->give_back(one.row);
    else
      refuse(one.client, make_error(why));
}

// The delivery was never stored.
void BackOffSender::refuse_replacements_of(std::uint64_t delivery) {
  auto* const rare = rare_if_any();
  if (!rare)
    return;
  if (const auto found = rare->awaited.find(delivery); found != rare->awaited.end())
    refuse_replacements(found->second, SenderError::not_stored);
}

} // namespace backoff_actor
