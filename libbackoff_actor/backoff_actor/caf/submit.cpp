// How a message becomes a delivery.

#include "backoff_actor/caf/back_off_sender.hpp"

#include "backoff_actor/caf/idempotency_keys.hpp"
#include "backoff_actor/caf/sender_store.hpp"
#include "backoff_actor/core/text_hash.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

namespace backoff_actor {

void BackOffSender::on_message(caf::message payload) {
  submit(Submit{.message = std::move(payload)});
}

void BackOffSender::submit(const Submit& x) {
  incoming_ = {x.message, forwards_ ? caf::response_promise{} : make_response_promise(), nullptr};
  const auto time_to_live = x.time_to_live == Duration::max()
                              ? options_->time_to_live.value_or(Duration::max())
                              : x.time_to_live;
  input::Submit news{now() + time_to_live};
  if (!x.idempotency_key.empty() && !forwards_) {
    if (is_known(x))
      return;
    incoming_.more().idempotency_key = x.idempotency_key;
  }
  try {
    if (!x.idempotency_key.empty() && forwards_)
      throw std::invalid_argument("idempotency_key: got '" + x.idempotency_key
                                  + "', allowed nothing, for delivery is at_most_once");
    if (auto key = key_of(x); !key.empty()) {
      news.key = number_of(key);
      incoming_.more().key = std::move(key);
    }
    news.weight = weight_of(x.message);
    news.is_final_stop = options_->final_stop && options_->final_stop(x.message);
    if (store_)
      store_->prepare(system(), x.message, news.deadline);
  } catch (const NotStorable& exception) {
    news.is_unusable = true;
    take(news, make_error(SenderError::not_storable, exception.what()));
    return;
  } catch (...) {
    news.is_unusable = true;
    take(news, seam::error_of(std::current_exception()));
    return;
  }
  if (x.answer_when_accepted)
    incoming_.more().is_answered_on_acceptance = true;
  take(news);
}

// Whom the child answers itself needs no promise, which costs an allocation.
void BackOffSender::promise_to_answer() {
  if (forwards_)
    incoming_.client = make_response_promise();
}

std::string BackOffSender::key_of(const Submit& x) const {
  return x.key.empty() && options_->key_of ? options_->key_of(x.message) : x.key;
}

// What the engine knows of a key, if order depends on it; 0: there is none.
std::uint64_t BackOffSender::number_of(const std::string& key) const {
  return options_->ordering == Ordering::per_key && !key.empty() ? detail::hash_of_text(key) : 0;
}

std::uint32_t BackOffSender::weight_of(const caf::message& message) {
  if (!options_->capacity_bytes)
    return 0;
  const auto weight =
    options_->weight_of ? options_->weight_of(message) : seam::serialized_size(system(), message);
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(weight, most));
}

} // namespace backoff_actor
