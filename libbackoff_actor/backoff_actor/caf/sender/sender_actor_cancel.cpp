// How a sender cancels a delivery: which one is meant, what its child and its clients are told, and
// when the answer may be given. `find_named` is for whatever names a message.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/delivery/internal/cancel_mark.hpp"

#include <string>
#include <utility>

namespace backoff_actor {

namespace {

Problems check_name(std::string_view of, const std::string& key, bool is_by_number) {
  Problems problems{std::string{of}};
  if (key.empty() != is_by_number)
    problems.add("idempotency_key", is_by_number ? "\"" + key + "\", and a delivery" : "none",
                 "one, or the number of a delivery");
  return problems;
}

} // namespace

Problems check(const Cancel& cancel) {
  return check_name("Cancel", cancel.idempotency_key, cancel.delivery != 0);
}

Problems check(const Replace& replace) {
  return check_name("Replace", replace.idempotency_key, replace.delivery != 0);
}

Problems check(const Ask& ask) {
  auto problems = check_name("Ask", ask.idempotency_key, ask.delivery != 0);
  if (ask.within < Duration::zero())
    problems.add("within", to_string(ask.within), "0 or more");
  return problems;
}

std::string_view to_string(CancelFound found) {
  constexpr auto names =
    detail::enum_names<CancelFound>({"unknown", "waiting", "in_work", "done", "passed_on"});
  return names.of(found);
}

// What other programs have handed over before an order comes first: it may be what is meant.
template <class Order>
void BackOffSender::on_order(const Order& x,
                             void (BackOffSender::*carry_out)(const Order&, compat::OpenRequest)) {
  if (const auto problems = check(x); !problems.empty())
    return refuse_word(problems);
  auto client = open_request();
  if (!store_ || !store_->has_intake())
    return (this->*carry_out)(x, std::move(client));
  if (hold_order(x, client))
    store_->catch_up();
}

template <class Order>
bool BackOffSender::hold_order(const Order& x, compat::OpenRequest& client) {
  if (store_->held() >= options().capacity) {
    refuse(client, make_error(SenderError::outbox_full));
    return false;
  }
  SenderStore::Held held; // GCC 12 warns of a temporary one
  held.what = x;
  held.client = std::move(client);
  store_->hold(std::move(held));
  rest_or_stay();
  return true;
}

void BackOffSender::on_cancel(const Cancel& x) { on_order(x, &BackOffSender::cancel); }

void BackOffSender::on_replace(const Replace& x) { on_order(x, &BackOffSender::replace); }

// It is no row, but an order that is held may be about the same entry.
void BackOffSender::on_repeat(const Repeat& x) {
  auto client = open_request();
  if (store_ && store_->held() > 0)
    hold_order(x, client);
  else
    repeat(x, std::move(client));
}

BackOffSender::Named BackOffSender::find_named(const std::string& idempotency_key,
                                               std::uint64_t delivery) {
  Named result{CancelFound::unknown, 0, delivery};
  if (!idempotency_key.empty()) {
    const auto state = keys().state(idempotency_key, forget_old_keys(), result.slot);
    if (state == IdempotencyKeys::State::acknowledged)
      result.found = CancelFound::done;
    result.delivery =
      state == IdempotencyKeys::State::owed ? parcels_[result.slot].more().delivery : 0;
  } else if (const auto place = engine_.slot_of(delivery)) {
    result.slot = *place;
  } else {
    if (delivery <= engine_.last_delivery())
      result.found = CancelFound::done;
    result.delivery = 0;
  }
  if (result.delivery != 0)
    result.found = engine_.is_in_work(result.slot) ? CancelFound::in_work : CancelFound::waiting;
  return result;
}

bool BackOffSender::may_be_row(const std::string& idempotency_key) const {
  return store_ && store_->has_intake() && !idempotency_key.empty();
}

void BackOffSender::cancel(const Cancel& x, compat::OpenRequest client) {
  if (const auto* const entry = entry_named(x.idempotency_key, x.delivery))
    return cancel_entry(*entry, std::move(client));
  const auto it = find_named(x.idempotency_key, x.delivery);
  if (it.found == CancelFound::unknown && may_be_row(x.idempotency_key)
      && store_->pass_on(system(), row_that_cancels(x.idempotency_key, x.wants_letter), client))
    return;
  if (it.delivery == 0)
    return answer_cancel(client, it.found);
  if (store_) {
    auto& awaited = rare().awaited[it.delivery];
    awaited.slot = it.slot;
    awaited.cancels.push_back({it.found, std::move(client)});
  }
  take(input::Cancel{it.slot, it.delivery, x.wants_letter});
  if (!store_)
    answer_cancel(client, it.found);
}

void BackOffSender::answer_cancel(compat::OpenRequest& client, CancelFound found) {
  answer_request(client, caf::make_message(CancelAnswer{found}));
}

// A row of another program, or of a process that stands by. It goes together with what it has done,
// and so do rows with the same key that wait for their time.
void BackOffSender::cancel(const IncomingMessage& row) {
  const std::string_view payload{reinterpret_cast<const char*>(row.payload.data()),
                                 row.payload.size()};
  if (entry_named(row.idempotency_key, 0) || find_named(row.idempotency_key, 0).delivery != 0)
    cancel(Cancel{.idempotency_key = row.idempotency_key,
                  .wants_letter = payload == detail::cancel_with_letter},
           {});
  if (!store_)
    return;
  store_->drop_incoming(row.row, row.idempotency_key);
  if (store_->flush())
    tell_store_state();
}

// -- what the engine has decided ----------------------------------------------------------------

void BackOffSender::tell_cancelled(const effect::TellCancelled& x, FollowUps& follow_ups) {
  if (store_) {
    auto& context = parcels_[x.slot].more().context;
    detail::mark_cancelled(context, x.wants_letter);
    store_->set_context(x.delivery, context, /*is_awaited=*/true);
    if (store_->waits_for_count(x.delivery)) // the child does not have it yet, and never gets it
      return follow_ups.add({input::Rejected{x.hand_over, Cause{}}});
  }
  if (const auto* const child = children_.find(x.incarnation); child && !acknowledges_by_reply_)
    compat::send(*this, child->handle, Cancelled{id_of(x.hand_over)});
}

void BackOffSender::end_cancelled(const effect::Cancelled& x) {
  auto parcel = std::exchange(parcels_[x.slot], {});
  if (store_)
    store_->drop(x.delivery, now());
  if (parcel.extra)
    note_end(parcel, false);
  auto* const awaited = store_ ? &await_end(x.delivery, x.slot) : nullptr;
  for_each_client(parcel, [&](compat::OpenRequest& client) {
    if (!client.is_request())
      client = {}; // gets nothing
    else if (awaited)
      awaited->clients.push_back(std::move(client));
    else
      refuse(client, make_error(SenderError::cancelled));
  });
}

// The engine is to know when the end of a cancelled delivery is stored, also if nobody else is.
BackOffSender::Awaited& BackOffSender::await_end(std::uint64_t delivery, std::uint32_t slot) {
  auto& result = rare().awaited[delivery];
  result.slot = slot;
  if (result.cancels.empty())
    result.cancels.push_back({CancelFound::in_work, {}});
  return result;
}

// -- what is stored -----------------------------------------------------------------------------

void BackOffSender::on_cancels_stored() {
  if (!store_)
    return;
  for (const auto delivery : store_->take_cancelled()) {
    auto* const rare = rare_if_any();
    if (!rare || !store_) // the one before has ended the sender
      return;
    const auto found = rare->awaited.find(delivery);
    if (found == rare->awaited.end())
      continue;
    const auto slot = found->second.slot;
    auto open = std::exchange(found->second.cancels, {});
    auto clients = std::exchange(found->second.clients, {});
    if (found->second.replacements.empty())
      rare->awaited.erase(found);
    for (auto& one : open)
      answer_cancel(one.client, one.found);
    for (auto& client : clients)
      refuse(client, make_error(SenderError::cancelled));
    take(input::CancelStored{slot, delivery});
  }
}

// The sender ends, and it is not known what is stored.
void BackOffSender::refuse_awaited() {
  if (auto* const rare = rare_if_any())
    for (auto& [delivery, awaited] : std::exchange(rare->awaited, {})) {
      for (auto& one : awaited.cancels)
        refuse(one.client, make_error(SenderError::stopped));
      for (auto& client : awaited.clients)
        refuse(client, make_error(SenderError::cancelled));
      refuse_replacements(awaited, SenderError::stopped);
    }
}

} // namespace backoff_actor
