#include "backoff_actor/caf/operated/internal/operator_desk.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"

#include <caf/actor_cast.hpp>
#include <caf/deep_to_string.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <utility>

namespace backoff_actor::detail {

namespace {

using namespace std::chrono_literals;
using Result = OperatorOutcome::Result;

// The most dead letters of a sender in memory.
constexpr std::size_t most_kept = 1000;

// How long an operator waits for a turn of the sender, and for dead letters.
constexpr Duration patience = 5s;
constexpr Duration patience_with_letters = 30s;

std::string rendered(const caf::message& message) {
  try {
    return message.empty() ? std::string{} : caf::deep_to_string(message);
  } catch (...) {
    return "(it cannot be shown)";
  }
}

KeptLetter shown(const DeadLetter& letter) {
  return {letter.id,       letter.reason,
          letter.attempts, letter.cause,
          letter.age,      rendered(letter.message),
          letter.key,      letter.idempotency_key};
}

bool has(std::span<const std::uint64_t> ids, std::uint64_t id) {
  return std::ranges::find(ids, id) != ids.end();
}

} // namespace

// An order, and its answer. Whoever is first gives the answer.
struct OperatorDesk::Order {
  std::vector<DeadLetter> letters{};     // to be submitted again; none: all was said by a message
  std::vector<std::uint64_t> accepted{}; // of these; to be read with the answer
  std::promise<OperatorOutcome> promise{};
  std::atomic<bool> is_answered{false};

  void answer(OperatorOutcome outcome) {
    if (!is_answered.exchange(true))
      promise.set_value(std::move(outcome));
  }
};

namespace {

// Submits letters again, and gives the answer when it knows what became of all.
template <class Order>
caf::behavior resubmitter(caf::event_based_actor* self, const caf::actor& sender,
                          std::shared_ptr<Order> order) {
  const auto open = std::make_shared<std::size_t>(order->letters.size());
  const auto first_error = std::make_shared<std::string>();
  const auto count = [self, order, open, first_error] {
    if (--*open != 0)
      return;
    const auto is_done = first_error->empty();
    order->answer({is_done ? Result::done : Result::refused, order->accepted.size(), *first_error});
    self->quit();
  };
  for (const auto& letter : order->letters) {
    auto again = backoff_actor::resubmit(letter);
    again.answer_when_accepted = true;
    compat::request_within(*self, patience_with_letters, sender, std::move(again))
      .then(
        [order, count, id = letter.id](const Accepted&) {
          order->accepted.push_back(id);
          count();
        },
        [self, count, first_error](const caf::error& error) {
          if (first_error->empty())
            *first_error = render(self->system(), error);
          count();
        });
  }
  return {};
}

} // namespace

OperatorDesk::OperatorDesk(caf::actor_addr sender, DurableOutbox outbox)
  : sender_(std::move(sender)), outbox_(std::move(outbox)) {}

OperatorDesk::~OperatorDesk() = default;

void OperatorDesk::keep(DeadLetter letter) {
  const std::lock_guard lock{mutex_};
  if (!kept_)
    kept_ = std::make_unique<Kept>();
  if (kept_->letters.size() == most_kept) {
    kept_->letters.pop_front();
    ++kept_->dropped;
  }
  kept_->letters.push_back(std::move(letter));
}

void OperatorDesk::answer(caf::event_based_actor& sender, const std::string& state) {
  std::vector<std::shared_ptr<Order>> orders;
  {
    const std::lock_guard lock{mutex_};
    orders.swap(orders_);
  }
  for (auto& order : orders) {
    if (order->is_answered) // nobody waits any more, and would remove the letters
      continue;
    if (order->letters.empty())
      order->answer({Result::done, 0, state});
    else
      sender.home_system().spawn([self = caf::actor_cast<caf::actor>(&sender),
                                  order](caf::event_based_actor* helper) mutable -> caf::behavior {
        return resubmitter(helper, self, std::move(order));
      });
  }
}

void OperatorDesk::end() {
  std::vector<std::shared_ptr<Order>> orders;
  {
    const std::lock_guard lock{mutex_};
    orders.swap(orders_);
    has_ended_ = true;
  }
  for (const auto& order : orders)
    order->answer({Result::nobody, 0, "it has ended"});
}

OperatorOutcome OperatorDesk::wait_for(const std::shared_ptr<Order>& order, Duration limit) {
  auto future = order->promise.get_future();
  {
    const std::lock_guard lock{mutex_};
    if (has_ended_)
      return {Result::nobody, 0, "it has ended"};
    orders_.push_back(order);
  }
  if (const auto sender = caf::actor_cast<caf::actor>(sender_))
    compat::enqueue(sender, OperatorNews{});
  else
    end();
  if (future.wait_for(limit) != std::future_status::ready)
    order->answer({Result::no_answer, 0, "it had no turn in time; it may do it later"});
  return future.get();
}

OperatorOutcome OperatorDesk::act(OperatorAction action) {
  const auto sender = caf::actor_cast<caf::actor>(sender_);
  if (!sender)
    return {Result::nobody, 0, "it has ended"};
  switch (action) {
  case OperatorAction::pause:
    compat::enqueue(sender, Pause{});
    break;
  case OperatorAction::resume:
    compat::enqueue(sender, Resume{});
    break;
  case OperatorAction::retry_now:
    compat::enqueue(sender, RetryNow{});
    break;
  case OperatorAction::drain:
    compat::enqueue(sender, Drain{});
    break;
  default:
    return {Result::refused, 0, "it is no action of a sender"};
  }
  return wait_for(std::make_shared<Order>(), patience);
}

std::vector<DeadLetter> OperatorDesk::all_letters() const {
  if (outbox_)
    return outbox_.dead_letters();
  const std::lock_guard lock{mutex_};
  return kept_ ? std::vector<DeadLetter>{kept_->letters.begin(), kept_->letters.end()}
               : std::vector<DeadLetter>{};
}

Operable::Letters OperatorDesk::letters() {
  Letters result;
  for (const auto& letter : all_letters())
    result.letters.push_back(shown(letter));
  const std::lock_guard lock{mutex_};
  result.dropped = kept_ ? kept_->dropped : 0;
  return result;
}

std::size_t OperatorDesk::remove_letters(std::span<const std::uint64_t> ids) {
  if (outbox_)
    return outbox_.remove_dead_letters(ids);
  const std::lock_guard lock{mutex_};
  return kept_ ? std::erase_if(kept_->letters, [ids](const auto& x) { return has(ids, x.id); }) : 0;
}

OperatorOutcome OperatorDesk::remove(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{actions_};
  return {Result::done, remove_letters(ids), {}};
}

OperatorOutcome OperatorDesk::resubmit(std::span<const std::uint64_t> ids) {
  const std::lock_guard lock{actions_};
  const auto order = std::make_shared<Order>();
  for (auto& letter : all_letters())
    if (has(ids, letter.id) && !letter.message.empty())
      order->letters.push_back(std::move(letter));
  if (order->letters.empty())
    return {Result::refused, 0, "no such letter has a message that can be read"};
  auto outcome = wait_for(order, patience_with_letters);
  if (outcome.result != Result::no_answer && !order->accepted.empty())
    remove_letters(order->accepted);
  return outcome;
}

} // namespace backoff_actor::detail
