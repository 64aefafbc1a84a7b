#include "backoff_actor/caf/outbox/durable_outbox.hpp"

#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/observe/actor_name.hpp"

#include "backoff_actor/supervision/own_retries.hpp"

#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

// A message that cannot be read is left empty.
DeadLetter read_letter(StoredDeadLetter x, const DurableTypes& types) {
  auto& delivery = x.delivery;
  caf::message message;
  try {
    message = types.load(delivery.message);
  } catch (const std::exception&) {
    // Left empty.
  }
  return {delivery.id,
          x.reason,
          delivery.attempts,
          std::move(x.cause),
          Duration{x.at.since_epoch - delivery.submitted_at.since_epoch},
          std::move(message),
          std::move(delivery.key),
          {},
          std::move(delivery.idempotency_key),
          std::string{retries_in(delivery.context)}};
}

std::vector<DeadLetter> read_letters(std::vector<StoredDeadLetter> stored,
                                     const DurableTypes& types) {
  std::vector<DeadLetter> result;
  for (auto& x : stored)
    result.push_back(read_letter(std::move(x), types));
  return result;
}

} // namespace

Problems check(const DurableOptions& options) {
  Problems problems{"DurableOptions"};
  detail::check_kind(problems, "name", options.name);
  detail::check_count(problems, "max_batch", options.max_batch, 1);
  if (options.max_wait < Duration::zero())
    problems.add("max_wait", to_string(options.max_wait), "0ns or more");
  return problems;
}

DurableOutbox::DurableOutbox(std::shared_ptr<DeliveryStore> store, DurableTypes types,
                             DurableOptions options) {
  auto problems = check(options);
  if (!store)
    problems.add("store", "none", "a store");
  problems.raise_if_any();
  queue_ = std::make_shared<WriteQueue>(std::move(store), std::move(types), std::move(options));
}

std::size_t DurableOutbox::suspended() const { return queue_ ? queue_->suspended() : 0; }

std::vector<DeadLetter> DurableOutbox::dead_letters() const {
  return queue_ ? read_letters(queue_->dead_letters(), queue_->types()) : std::vector<DeadLetter>{};
}

std::vector<DeadLetter> DurableOutbox::newest_dead_letters(std::uint64_t below,
                                                           std::size_t at_most) const {
  return queue_ ? read_letters(queue_->newest_dead_letters(below, at_most), queue_->types())
                : std::vector<DeadLetter>{};
}

std::optional<DeadLetter> DurableOutbox::dead_letter(std::uint64_t id) const {
  auto stored = queue_ ? queue_->dead_letter(id) : std::nullopt;
  return stored ? std::optional{read_letter(std::move(*stored), queue_->types())} : std::nullopt;
}

DeadLetterTally DurableOutbox::count_dead_letters() const {
  return queue_ ? queue_->letter_count()->get() : DeadLetterTally{};
}

std::size_t DurableOutbox::remove_dead_letters(std::span<const std::uint64_t> ids) const {
  return queue_ ? queue_->remove_dead_letters(ids) : 0;
}

} // namespace backoff_actor
