#include "backoff_actor/caf/operated/internal/operator_desk.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/message_words.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/core/internal/thrown.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <iterator>
#include <utility>

namespace backoff_actor::detail {

namespace {

using namespace std::chrono_literals;
using Result = OperatorOutcome::Result;

// The most dead letters of a sender in memory.
constexpr std::size_t most_kept = 1000;

// How long an operator waits for a turn of the sender.
constexpr Duration patience_with_turns = 5s;

constexpr auto under_way_text = "it is being submitted again already";

KeptLetter shown(const DeadLetter& letter) {
  return {letter.id,       letter.reason,
          letter.attempts, letter.cause,
          letter.age,      message_words(letter.message),
          letter.key,      letter.idempotency_key};
}

bool has(std::span<const std::uint64_t> ids, std::uint64_t id) {
  return std::ranges::find(ids, id) != ids.end();
}

} // namespace

// Some letters that one action has. It releases them, unless an order takes them over.
class OperatorDesk::Claim {
public:
  Claim(OperatorDesk& desk, std::span<const std::uint64_t> ids)
    : desk_(desk), ids_(desk.claim(ids)) {}
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  ~Claim() { desk_.release(ids_); }

  const Ids& ids() const { return ids_; }

  void pass_to(const Order& order);

private:
  OperatorDesk& desk_;
  Ids ids_;
};

// An order, and its answer. Whoever is first gives the answer.
struct OperatorDesk::Order {
  std::vector<DeadLetter> letters{}; // to be submitted again; none: all was said by a message
  std::promise<OperatorOutcome> promise{};
  std::atomic<bool> is_answered{false};

  void answer(OperatorOutcome outcome) {
    if (!is_answered.exchange(true))
      promise.set_value(std::move(outcome));
  }
};

void OperatorDesk::Claim::pass_to(const Order& order) {
  for (const auto& letter : order.letters)
    std::erase(ids_, letter.id);
}

OperatorDesk::OperatorDesk(caf::actor_addr sender, DurableOutbox outbox, Duration patience)
  : sender_(std::move(sender)), outbox_(std::move(outbox)), patience_(patience) {}

OperatorDesk::~OperatorDesk() = default;

// -- for the sender -----------------------------------------------------------------

void OperatorDesk::keep(DeadLetter letter, WallTime now) {
  const Lock lock{mutex_};
  if (!kept_) {
    kept_ = std::make_unique<Kept>();
    letter_count_ = std::make_shared<LetterCount>();
  }
  if (kept_->letters.size() == most_kept) {
    kept_->letters.pop_front();
    ++kept_->dropped;
  }
  kept_->letters.push_back({std::move(letter), now});
  count_kept();
}

// The letters are in order of the times when they came.
void OperatorDesk::count_kept() {
  const auto& letters = kept_->letters;
  letter_count_->set({letters.size(), letters.empty() ? WallTime{} : letters.front().at});
}

void OperatorDesk::answer(caf::event_based_actor& sender, const std::string& state) {
  std::vector<std::shared_ptr<Order>> orders;
  {
    const Lock lock{mutex_};
    orders.swap(orders_);
  }
  for (auto& order : orders) {
    if (order->letters.empty()) {
      order->answer({Result::done, 0, state});
      continue;
    }
    auto helper = [self = caf::actor_cast<caf::actor>(&sender), desk = shared_from_this(),
                   order](caf::event_based_actor* actor) -> caf::behavior {
      return resubmit_in(actor, self, desk, order);
    };
    if (outbox_) // it removes letters from there, and waits meanwhile
      sender.home_system().spawn<caf::detached>(std::move(helper));
    else
      sender.home_system().spawn(std::move(helper));
  }
}

// CAF would drop a helper that nobody holds and that waits.
void OperatorDesk::add_helper(caf::actor helper) {
  const Lock lock{mutex_};
  helpers_.push_back(std::move(helper));
}

void OperatorDesk::remove_helper(const caf::actor& helper) {
  const Lock lock{mutex_};
  std::erase(helpers_, helper);
}

void OperatorDesk::end() {
  std::vector<std::shared_ptr<Order>> orders;
  std::vector<caf::actor> helpers;
  {
    const Lock lock{mutex_};
    orders.swap(orders_);
    helpers.swap(helpers_);
    has_ended_ = true;
  }
  for (const auto& order : orders) {
    release_letters_of(*order);
    order->answer({Result::nobody, 0, "it has ended"});
  }
  for (const auto& helper : helpers)
    compat::enqueue(helper, OperatorNews{});
}

// Submits the letters of an order, and waits until the sender has accepted or refused each, however
// long that takes, or has ended. All its answers come before the news of its end.
caf::behavior OperatorDesk::resubmit_in(caf::event_based_actor* helper, const caf::actor& sender,
                                        const std::shared_ptr<OperatorDesk>& desk,
                                        const std::shared_ptr<Order>& order) {
  struct Progress {
    std::size_t open;
    Ids accepted{};
    std::string error{}; // the first
  };
  desk->add_helper(caf::actor_cast<caf::actor>(helper));
  const auto progress = std::make_shared<Progress>(Progress{order->letters.size()});
  const auto finish = [helper, desk, order, progress] {
    desk->finish(*order, progress->accepted, progress->error);
    desk->remove_helper(caf::actor_cast<caf::actor>(helper));
    helper->quit();
  };
  const auto fail = [progress](const std::string& error) {
    if (progress->error.empty())
      progress->error = error;
  };
  for (const auto& letter : order->letters) {
    auto again = backoff_actor::resubmit(letter);
    again.answer_when_accepted = true;
    compat::request_without_limit(*helper, sender, std::move(again))
      .then(
        [progress, finish, id = letter.id](const Accepted&) {
          progress->accepted.push_back(id);
          if (--progress->open == 0)
            finish();
        },
        [helper, progress, finish, fail](const caf::error& error) {
          fail(render(helper->system(), error));
          if (--progress->open == 0)
            finish();
        });
  }
  return {[finish, fail](const OperatorNews&) {
    fail("it has ended");
    finish();
  }};
}

void OperatorDesk::finish(Order& order, const Ids& accepted, std::string error) {
  Ids others;
  for (const auto& letter : order.letters)
    if (!has(accepted, letter.id))
      others.push_back(letter.id);
  release(others);
  {
    const Lock lock{mutex_};
    accepted_.insert(accepted_.end(), accepted.begin(), accepted.end());
  }
  try {
    remove_accepted();
  } catch (...) {
    if (error.empty())
      error = "accepted, but still in the list: " + thrown_text(std::current_exception());
  }
  order.answer({error.empty() ? Result::done : Result::refused, accepted.size(), error});
}

// -- for operators ------------------------------------------------------------------

OperatorOutcome OperatorDesk::wait_for(const std::shared_ptr<Order>& order, Duration limit) {
  auto future = order->promise.get_future();
  auto is_late = false;
  {
    const Lock lock{mutex_};
    is_late = has_ended_;
    if (!is_late)
      orders_.push_back(order);
  }
  if (is_late) {
    release_letters_of(*order);
    return {Result::nobody, 0, "it has ended"};
  }
  if (const auto sender = caf::actor_cast<caf::actor>(sender_))
    compat::enqueue(sender, OperatorNews{});
  else
    end();
  if (future.wait_for(limit) != std::future_status::ready) {
    const auto has_begun = !withdraw(order);
    order->answer({Result::no_answer, 0,
                   order->letters.empty() ? "it had no turn in time; it may do it later"
                   : has_begun ? "not done in time; letters go when the sender has accepted them"
                               : "it had no turn in time; nothing was submitted"});
  }
  return future.get();
}

// Returns whether the sender has not seen the order. It never will then.
bool OperatorDesk::withdraw(const std::shared_ptr<Order>& order) {
  {
    const Lock lock{mutex_};
    if (std::erase(orders_, order) == 0)
      return false;
  }
  release_letters_of(*order);
  return true;
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
  return wait_for(std::make_shared<Order>(), patience_with_turns);
}

std::vector<DeadLetter> OperatorDesk::newest_letters(std::uint64_t below,
                                                     std::size_t at_most) const {
  if (outbox_)
    return outbox_.newest_dead_letters(below, at_most);
  std::vector<DeadLetter> result;
  const Lock lock{mutex_};
  if (kept_) {
    for (const auto& one : kept_->letters)
      if (one.letter.id < below)
        result.push_back(one.letter);
    std::ranges::sort(result, std::greater{}, &DeadLetter::id);
    result.resize(std::min(result.size(), at_most));
  }
  return result;
}

std::optional<DeadLetter> OperatorDesk::letter_of(std::uint64_t id) const {
  if (outbox_)
    return outbox_.dead_letter(id);
  const Lock lock{mutex_};
  if (kept_)
    for (const auto& one : kept_->letters)
      if (one.letter.id == id)
        return one.letter;
  return std::nullopt;
}

Operable::Letters OperatorDesk::letters(std::uint64_t below, std::size_t at_most) {
  Letters result;
  for (const auto& letter : newest_letters(below, at_most))
    result.letters.push_back(shown(letter));
  const Lock lock{mutex_};
  for (auto& letter : result.letters)
    letter.is_under_way = under_way_.contains(letter.id);
  result.count = outbox_ ? outbox_.count_dead_letters().count : kept_ ? kept_->letters.size() : 0;
  result.dropped = kept_ ? kept_->dropped : 0;
  return result;
}

std::optional<KeptLetter> OperatorDesk::letter(std::uint64_t id) {
  const auto found = letter_of(id);
  if (!found)
    return std::nullopt;
  auto result = shown(*found);
  const Lock lock{mutex_};
  result.is_under_way = under_way_.contains(id);
  return result;
}

std::size_t OperatorDesk::remove_letters(std::span<const std::uint64_t> ids) {
  if (outbox_)
    return outbox_.remove_dead_letters(ids);
  const Lock lock{mutex_};
  if (!kept_)
    return 0;
  const auto result =
    std::erase_if(kept_->letters, [ids](const auto& x) { return has(ids, x.letter.id); });
  count_kept();
  return result;
}

// Returns those that no other action has. They are this one's until it releases them.
OperatorDesk::Ids OperatorDesk::claim(std::span<const std::uint64_t> ids) {
  Ids result;
  const Lock lock{mutex_};
  for (const auto id : ids)
    if (under_way_.insert(id).second)
      result.push_back(id);
  return result;
}

void OperatorDesk::release(std::span<const std::uint64_t> ids) {
  const Lock lock{mutex_};
  for (const auto id : ids)
    under_way_.erase(id);
}

void OperatorDesk::release_letters_of(const Order& order) {
  const Lock lock{mutex_};
  for (const auto& letter : order.letters)
    under_way_.erase(letter.id);
}

// If this fails, the next action tries it again.
void OperatorDesk::remove_accepted() {
  Ids ids;
  {
    const Lock lock{mutex_};
    ids = accepted_;
  }
  if (ids.empty())
    return;
  remove_letters(ids);
  release(ids);
  const Lock lock{mutex_};
  std::erase_if(accepted_, [&ids](std::uint64_t id) { return has(ids, id); });
}

OperatorOutcome OperatorDesk::remove(std::span<const std::uint64_t> ids) {
  remove_accepted();
  const Claim own{*this, ids};
  if (own.ids().empty())
    return {Result::refused, 0, under_way_text};
  return {Result::done, remove_letters(own.ids()), {}};
}

// The letters are read after they are claimed: those that another action has submitted are gone.
OperatorOutcome OperatorDesk::resubmit(std::span<const std::uint64_t> ids) {
  remove_accepted();
  Claim own{*this, ids};
  if (own.ids().empty())
    return {Result::refused, 0, under_way_text};
  const auto order = std::make_shared<Order>();
  for (const auto id : own.ids())
    if (auto letter = letter_of(id); letter && !letter->message.empty())
      order->letters.push_back(std::move(*letter));
  if (order->letters.empty())
    return {Result::refused, 0, "no such letter has a message that can be read"};
  own.pass_to(*order);
  return wait_for(order, patience_);
}

} // namespace backoff_actor::detail
