// How a message becomes a delivery.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/calendar/internal/calendar_book.hpp"
#include "backoff_actor/core/internal/text_hash.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/delivery/internal/cancel_mark.hpp"
#include "backoff_actor/delivery/internal/not_before.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

// Other messages have a turn after so many.
constexpr int most_at_once = 128;

} // namespace

void BackOffSender::on_message(caf::message&& payload) {
  if (looks_into_messages_)
    return submit(Submit{.message = std::move(payload)});
  incoming_.payload = std::move(payload);
  incoming_.client = open_request();
  const auto at = time_of_message();
  take(at, input::Submit{deadline(at, Duration::max())});
}

void BackOffSender::on_system_message(caf::message message) {
  submit(Submit{.message = std::move(message)});
}

// What turns an instant into wall-clock time, by the present clock.
Duration BackOffSender::to_wall() { return Duration{wall_now().since_epoch} - now().since_origin; }

// What the context of a stored message says; null: nothing. `ahead`: by how much the clock was set
// back since. Throws `std::invalid_argument`, but not for retries if these are optional.
std::shared_ptr<const input::OwnTerms>
BackOffSender::own_in(std::string_view context, Duration ahead, bool retries_are_optional) {
  if (context.empty())
    return nullptr;
  input::OwnTerms result;
  if (const auto at = detail::not_before_in(context))
    result.not_before = Instant{Duration{at->since_epoch}} + -to_wall() + -ahead;
  if (const auto mark = detail::cancel_mark_in(context)) {
    result.is_cancelled = true;
    result.wants_letter = *mark;
  }
  result.has_note = !detail::note_in(context).empty();
  try {
    if (const auto text = retries_in(context); !text.empty())
      result.retries = std::make_shared<const OwnRetries>(parse_own_retries(text));
  } catch (const std::invalid_argument&) {
    if (!retries_are_optional)
      throw;
  }
  return std::make_shared<const input::OwnTerms>(std::move(result));
}

// Notes what the message brings of its own: in `news`, and in the context that a store keeps.
void BackOffSender::note_own(const Submit& x, Instant came_at, input::Submit& news) {
  const auto shift = to_wall();
  const auto begin =
    detail::time_to_begin(x.delay, x.not_before, {(came_at + shift).since_origin.count()});
  input::OwnTerms own;
  auto& context = incoming_.more().context;
  if (!x.retries.empty()) {
    auto retries = parse_own_retries(x.retries);
    context = context_of(retries);
    own.retries = std::make_shared<const OwnRetries>(std::move(retries));
  }
  if (begin) {
    own.not_before = Instant{Duration{begin->since_epoch}} + -shift;
    detail::add_not_before(context, *begin);
    news.deadline = deadline(own.not_before, x.time_to_live);
  }
  news.own = std::make_shared<const input::OwnTerms>(std::move(own));
}

// Returns the time of the current message. Unless an option needs the exact time, a recent one will
// do: the age of a delivery need not be exact to the microsecond.
Instant BackOffSender::time_of_message() { return is_timed_ ? now() : recent_now(); }

// `Duration::max()`: the message names no time to live.
Instant BackOffSender::deadline(Instant at, Duration time_to_live) const {
  return at
         + (time_to_live == Duration::max() ? options().time_to_live.value_or(time_to_live)
                                            : time_to_live);
}

void BackOffSender::submit(const Submit& x) {
  auto client = open_request();
  if (store_ && store_->is_behind())
    return hold(x, std::move(client));
  const auto at = now();
  submit(x, std::move(client), at, at);
}

void BackOffSender::submit(const Submit& x, compat::OpenRequest client, Instant at,
                           Instant came_at) {
  incoming_ = {x.message, std::move(client), nullptr};
  input::Submit news{deadline(came_at, x.time_to_live)};
  if (!x.idempotency_key.empty()) {
    if (is_known(x))
      return;
    incoming_.more().idempotency_key = x.idempotency_key;
  }
  if (compat::is_system_message(x.message)) {
    news.refused = Refusal::unusable;
    return take(news, compat::system_message_refused());
  }
  if (auto error = needs_bytes() ? compat::unknown_type(system(), x.message) : caf::error{}) {
    news.refused = Refusal::unusable;
    return take(news, std::move(error));
  }
  try {
    auto key = key_of(x);
    if (store_ && store_->ownership())
      detail::require_text_keys(key, x.idempotency_key);
    if (!key.empty()) {
      news.key = number_of(key);
      incoming_.more().key = std::move(key);
    }
    if (!x.retries.empty() || x.delay != Duration::zero() || x.not_before != WallTime{})
      note_own(x, came_at, news);
    news.weight = weight_of(x.message);
    if (store_)
      store_->prepare(system(), x.message, news.deadline);
  } catch (const NotStorable& exception) {
    news.refused = Refusal::unusable;
    take(news, make_error(SenderError::not_storable, exception.what()));
    return;
  } catch (...) {
    news.refused = Refusal::unusable;
    take(news, compat::error_of(std::current_exception()));
    return;
  }
  if (x.answer_when_accepted)
    incoming_.more().is_answered_on_acceptance = true;
  take(at, news);
}

std::string BackOffSender::key_of(const Submit& x) const {
  return x.key.empty() && options().rare.key_of ? options().rare.key_of(x.message) : x.key;
}

// Returns the engine's number for a key; 0: there is no key, or the order does not depend on keys.
std::uint64_t BackOffSender::number_of(const std::string& key) const {
  return options().ordering == Ordering::per_key && !key.empty() ? detail::hash_of_text(key) : 0;
}

// Whether each message is written as bytes when it is submitted.
bool BackOffSender::needs_bytes() const {
  return store_ || (options().rare.capacity_bytes && !options().rare.weight_of);
}

std::uint32_t BackOffSender::weight_of(const caf::message& message) {
  if (!options().rare.capacity_bytes)
    return 0;
  const auto weight = options().rare.weight_of ? options().rare.weight_of(message)
                                               : compat::serialized_size(system(), message);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(weight, most));
}

// -- messages of other programs: see caf/outbox/internal/incoming_desk.hpp for their way here -----

// What finds no room in the outbox waits here; what comes after it waits at the desk, and beyond in
// the store.
void BackOffSender::take_incoming() {
  for (auto i = 0; store_ && i < most_at_once; ++i) {
    if (auto held = store_->next_held()) {
      if (!carry_out_order(*held))
        submit(std::get<Submit>(held->what), std::move(held->client), now(), held->at);
      if (store_)
        rest_or_stay(); // a known message takes no step
      continue;
    }
    auto next = store_->next_incoming();
    if (!next)
      return;
    if (!engine_.has_room(0)) {
      store_->wait_for_room(std::move(*next));
      return refuse_held(Refusal::outbox_full);
    }
    if (!take_incoming(std::move(*next)))
      return refuse_held(Refusal::outbox_full);
  }
  if (store_)
    store_->call_for_incoming();
}

// Rows that were committed earlier come first, and some are not here yet.
void BackOffSender::hold(const Submit& x, compat::OpenRequest client) {
  if (!engine_.has_room(0) || engine_.owed() + store_->held() >= options().capacity) {
    incoming_ = {x.message, std::move(client), nullptr};
    return take(now(), input::Submit{.refused = Refusal::outbox_full});
  }
  SenderStore::Held held; // GCC 12 warns of a temporary one
  held.what = x;
  held.client = std::move(client);
  held.at = now();
  store_->hold(std::move(held));
  rest_or_stay();
}

// Returns false if it is a message, and no order.
template <class Held>
bool BackOffSender::carry_out_order(Held& order) {
  if (const auto* const x = std::get_if<Cancel>(&order.what))
    cancel(*x, std::move(order.client));
  else if (const auto* const other = std::get_if<Replace>(&order.what))
    replace(*other, std::move(order.client));
  else if (const auto* const entry = std::get_if<Repeat>(&order.what))
    repeat(*entry, std::move(order.client));
  else
    return false;
  return true;
}

// There is no room for them, or the store has refused what comes before them.
void BackOffSender::refuse_held(Refusal why) {
  for (auto& x : store_->take_held()) {
    if (carry_out_order(x))
      continue;
    incoming_ = {std::move(std::get<Submit>(x.what).message), std::move(x.client), nullptr};
    take(now(), input::Submit{.refused = why});
  }
}

// The sender ends, and has accepted none of these.
void BackOffSender::end_held() {
  for (auto& x : store_->take_held()) {
    if (options().on_event && std::holds_alternative<Submit>(x.what))
      tell(event::NotAccepted{now(), Refusal::stopped});
    refuse(x.client, make_error(SenderError::stopped));
  }
}

// Returns false if there was no room for it.
bool BackOffSender::take_incoming(IncomingMessage x) {
  if (x.bytes_left > 0) {
    incoming_ = {};
    incoming_.more().row = x.row;
    store_->prepare_unread(x.row);
    take(input::Unreadable{Cause{0, "the row has " + std::to_string(x.bytes_left)
                                      + " bytes, which is more than may be read"}});
    return true;
  }
  if (x.type == detail::cancel_type && !x.idempotency_key.empty()) {
    cancel(x);
    return true;
  }
  const auto replaces = !x.context.empty() && detail::says_replace(x.context);
  if (!replaces && !x.idempotency_key.empty() && settle_known(x))
    return true;
  StoredMessage stored{std::move(x.type), std::move(x.payload)};
  incoming_ = {};
  auto& extra = incoming_.more();
  extra.row = x.row;
  input::Submit news{.has_source = true};
  try {
    incoming_.payload = read(stored);
    extra.key =
      x.key.empty() && options().rare.key_of ? options().rare.key_of(incoming_.payload) : x.key;
    news.key = number_of(extra.key);
    news.weight = weight_of(incoming_.payload);
    news.own = own_in(x.context, Duration::zero(), false);
    if (!x.context.empty() && detail::entry_in(x.context))
      throw std::runtime_error("its context says that it is an entry of a calendar");
    if (news.own && news.own->is_cancelled)
      throw std::runtime_error("its context says that it is cancelled");
    if (replaces && x.idempotency_key.empty())
      throw std::runtime_error("its context says that it replaces a message, but it has no "
                               "idempotency key");
    extra.context = x.context;
  } catch (...) {
    extra.key = x.key;
    extra.idempotency_key = x.idempotency_key;
    extra.context = x.context;
    store_->prepare(std::move(stored), Instant::never(), x.row);
    take(input::Unreadable{Cause{0, detail::thrown_text(std::current_exception())}});
    return true;
  }
  if (options().rare.capacity_bytes) // what is larger than the outbox has it for itself
    news.weight = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(news.weight, *options().rare.capacity_bytes));
  if (replaces)
    return replace(std::move(x), std::move(stored), news.weight);
  if (!engine_.has_room(news.weight)) {
    incoming_ = {};
    x.type = std::move(stored.types);
    x.payload = std::move(stored.bytes);
    store_->wait_for_room(std::move(x));
    return false;
  }
  const auto at = now();
  news.deadline = x.time_to_live || !news.own
                    ? deadline(at, x.time_to_live.value_or(Duration::max()))
                    : deadline(std::max(at, news.own->not_before), Duration::max());
  extra.idempotency_key = std::move(x.idempotency_key);
  store_->prepare(std::move(stored), news.deadline, x.row);
  take(at, news);
  return true;
}

// Drops it if one with its idempotency key was acknowledged, or is owed. One that is owed may come
// to nothing: if it is not stored yet, or is being cancelled. Then this one comes in once more.
// Returns false if the key is not known.
bool BackOffSender::settle_known(const IncomingMessage& x) {
  const auto limit = forget_old_keys();
  std::uint32_t slot = 0;
  const auto state = keys().state(x.idempotency_key, limit, slot);
  if (state == IdempotencyKeys::State::unknown)
    return false;
  if (state == IdempotencyKeys::State::owed
      && (!parcels_[slot].more().is_confirmed || engine_.is_being_cancelled(slot))) {
    store_->give_back(x.row);
    return true;
  }
  store_->drop_incoming(x.row);
  if (store_->flush())
    tell_store_state();
  return true;
}

// Throws any exception if nobody can read it, or if no child could take it.
caf::message BackOffSender::read(const StoredMessage& stored) const {
  auto result = store_->load(stored);
  if (compat::is_system_message(result))
    throw std::runtime_error("it is one of CAF's own messages");
  return result;
}

// Whether a delivery that could not be stored stays where it came from: in the store, as another
// program's row, or in the calendar.
bool BackOffSender::keeps_row(const effect::DeadLetter& x, const Parcel& parcel) {
  if (x.reason != DeadLetterReason::not_stored)
    return false;
  const auto& extra = *parcel.extra;
  if (extra.is_run)
    end_run(x.delivery, false);
  if (!extra.idempotency_key.empty())
    note_end(parcel, false);
  if (extra.row != 0)
    store_->give_back_refused(extra.row);
  return true;
}

} // namespace backoff_actor
