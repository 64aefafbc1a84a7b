#include "backoff_actor/engine/outbox/standby.hpp"

#include <chrono>
#include <utility>

namespace backoff_actor {

namespace {

// How long one wait takes at the most, and how often a driver looks that must not block.
constexpr std::chrono::seconds longest_wait{5};
constexpr std::chrono::seconds between_looks{1};

// The delay after a failure of the server, and after one that only people can mend. A server locks
// out a user who tries a wrong password too often.
const Policy reconnect_policy =
  Exponential{.first = std::chrono::milliseconds{100}, .cap = std::chrono::seconds{10}};
constexpr std::chrono::seconds after_refusal{10};

} // namespace

Standby::Standby(std::string store, std::size_t capacity, bool may_block)
  : store_(std::move(store)), capacity_(capacity), may_block_(may_block),
    delay_(reconnect_policy, 0, 0) {}

// -- the ownership ------------------------------------------------------------------------

Standby::Next Standby::begin() {
  owns_ = false;
  waits_ = false;
  delay_ = delay_.reset();
  owner_.reset();
  last_holder_.clear();
  told_holder_.clear();
  return {};
}

// Who owns the outbox is asked before each wait, for the errors of those that want to use it.
Standby::Next Standby::stay(std::optional<StoreOwner> owner) {
  delay_ = delay_.reset();
  if (std::exchange(waits_, false))
    return {};
  owner_ = std::move(owner);
  auto notice = notice_of_holder(owner_ ? owner_->held_by : std::string{});
  if (!may_block_)
    return {.pause = between_looks, .notice = std::move(notice)};
  waits_ = true;
  return {.at_most = longest_wait, .notice = std::move(notice)};
}

// A new owner holds the lock for a moment before it is named. So only who is there at two looks in
// a row is told.
std::optional<std::string> Standby::notice_of_holder(const std::string& held_by) {
  const auto was_there = held_by == std::exchange(last_holder_, held_by);
  if (held_by.empty())
    told_holder_.clear();
  if (held_by.empty() || !was_there || held_by == told_holder_)
    return std::nullopt;
  told_holder_ = held_by;
  return store_ + ": " + held_by + " holds its lock and is no owner, so nobody can own it";
}

Standby::Next Standby::fail(StoreFailure failure, std::string text) {
  waits_ = false;
  if (failure != StoreFailure::unreachable)
    return {.pause = after_refusal, .notice = std::move(text)};
  delay_ = delay_.next();
  return {.pause = delay_.wait_time(), .notice = std::move(text)};
}

std::string Standby::who_owns() const {
  if (owner_ && owner_->is_alive)
    return owner_->node + " owns " + store_;
  const auto is_held = owner_ && !owner_->held_by.empty();
  return store_ + " has no owner yet" + (is_held ? ": " + owner_->held_by + " holds its lock" : "");
}

// -- the messages -------------------------------------------------------------------------

Standby::Place Standby::place() const {
  if (!owns_)
    return Place::row;
  return unsettled() == 0 ? Place::sender : Place::held;
}

bool Standby::add(IncomingMessage row) {
  const auto bytes = row.size();
  if (unsettled() >= capacity_ || (unsettled() != 0 && bytes_ + bytes > most_bytes))
    return false;
  bytes_ += bytes;
  waiting_.push_back(std::move(row));
  return true;
}

std::vector<IncomingMessage> Standby::next_batch() {
  std::vector<IncomingMessage> result;
  if (in_batch_ != 0)
    return result;
  while (!waiting_.empty() && result.size() < most_rows_at_once
         && (result.empty() || bytes_in_batch_ + waiting_.front().size() <= most_bytes_at_once)) {
    bytes_in_batch_ += waiting_.front().size();
    result.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  in_batch_ = result.size();
  return result;
}

std::size_t Standby::settle() {
  bytes_ -= std::exchange(bytes_in_batch_, 0);
  return std::exchange(in_batch_, 0);
}

} // namespace backoff_actor
