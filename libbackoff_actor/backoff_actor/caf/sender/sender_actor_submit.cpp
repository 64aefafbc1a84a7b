// How a message becomes a delivery.

#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/idempotency_keys.hpp"
#include "backoff_actor/core/internal/text_hash.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

namespace backoff_actor {

void BackOffSender::on_message(caf::message&& payload) {
  if (looks_into_messages_)
    return submit(Submit{.message = std::move(payload)});
  if (forwards_)
    see_who_has_ended();
  incoming_.payload = std::move(payload);
  if (!forwards_)
    incoming_.client = open_request();
  const auto at = time_of_message();
  take(at, input::Submit{deadline(at, Duration::max())});
}

void BackOffSender::on_system_message(caf::message message) {
  submit(Submit{.message = std::move(message)});
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
  incoming_ = {x.message, forwards_ ? compat::OpenRequest{} : open_request(), nullptr};
  const auto at = now();
  input::Submit news{deadline(at, x.time_to_live)};
  if (!x.idempotency_key.empty() && !forwards_) {
    if (is_known(x))
      return;
    incoming_.more().idempotency_key = x.idempotency_key;
  }
  if (compat::is_system_message(x.message)) {
    news.is_unusable = true;
    return take(news, compat::system_message_refused());
  }
  if (auto error = needs_bytes() ? compat::unknown_type(system(), x.message) : caf::error{}) {
    news.is_unusable = true;
    return take(news, std::move(error));
  }
  try {
    if (!x.idempotency_key.empty() && forwards_)
      throw std::invalid_argument("idempotency_key: got '" + x.idempotency_key
                                  + "', allowed nothing: a forwarder keeps no keys");
    if (auto key = key_of(x); !key.empty()) {
      news.key = number_of(key);
      incoming_.more().key = std::move(key);
    }
    news.weight = weight_of(x.message);
    news.is_final_stop = has_final_stop() && settings_->forwarding->final_stop(x.message);
    if (store_)
      store_->prepare(system(), x.message, news.deadline);
  } catch (const NotStorable& exception) {
    news.is_unusable = true;
    take(news, make_error(SenderError::not_storable, exception.what()));
    return;
  } catch (...) {
    news.is_unusable = true;
    take(news, compat::error_of(std::current_exception()));
    return;
  }
  if (x.answer_when_accepted)
    incoming_.more().is_answered_on_acceptance = true;
  if (forwards_)
    see_who_has_ended();
  take(at, news);
}

// A forwarder takes the request from CAF only if it answers or keeps the message. Otherwise it
// passes the message on as it came, and the child answers the client.
void BackOffSender::keep_client() {
  if (forwards_)
    incoming_.client = open_request();
}

std::string BackOffSender::key_of(const Submit& x) const {
  return x.key.empty() && options().key_of ? options().key_of(x.message) : x.key;
}

// Returns the engine's number for a key; 0: there is no key, or the order does not depend on keys.
std::uint64_t BackOffSender::number_of(const std::string& key) const {
  return options().ordering == Ordering::per_key && !key.empty() ? detail::hash_of_text(key) : 0;
}

// Whether each message is written as bytes when it is submitted.
bool BackOffSender::needs_bytes() const {
  return store_ || (options().capacity_bytes && !options().weight_of);
}

std::uint32_t BackOffSender::weight_of(const caf::message& message) {
  if (!options().capacity_bytes)
    return 0;
  const auto weight =
    options().weight_of ? options().weight_of(message) : compat::serialized_size(system(), message);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(weight, most));
}

} // namespace backoff_actor
