#include "backoff_actor/engine/outbox/intake_rows.hpp"

#include "backoff_actor/delivery/internal/cancel_mark.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

// A reader that waits for room looks again once there is room for so many: one look for many rows
// costs little more than one for a few.
constexpr std::size_t worth_a_look = IntakeRows::most_rows / 4;

// The row that a change deletes; 0: none.
std::uint64_t row_of(const StoreChange& x) {
  if (const auto* const insertion = std::get_if<change::Insert>(&x))
    return insertion->incoming;
  if (const auto* const drop = std::get_if<change::DropIncoming>(&x))
    return drop->incoming;
  if (const auto* const message = std::get_if<change::SetMessage>(&x))
    return message->incoming;
  return 0;
}

// Whether a row is no message of its own, but says what becomes of others.
bool is_order(const IncomingMessage& x) {
  return !x.idempotency_key.empty()
         && (x.type == detail::cancel_type
             || (!x.context.empty() && detail::says_replace(x.context)));
}

} // namespace

// -- the sender ---------------------------------------------------------------------------

void IntakeRows::begin() {
  waits_for_room_ = false;
  put_ = 0;
  taken_ = 0;
  caught_up_after_.reset();
  is_to_catch_up_ = false; // an intake begins so
}

void IntakeRows::catch_up() {
  caught_up_after_.reset();
  is_to_catch_up_ = true;
}

std::vector<IncomingMessage> IntakeRows::take() {
  taken_ = put_;
  return std::exchange(waiting_, {});
}

bool IntakeRows::give_back(std::uint64_t row) {
  given_back_.push_back(row);
  if (const auto order = orders_.find(row); order != orders_.end())
    end_order(order);
  return std::exchange(waits_for_room_, false);
}

void IntakeRows::end() {
  for (const auto& x : std::exchange(waiting_, {}))
    give_back(x.row);
}

// -- the writer ---------------------------------------------------------------------------

bool IntakeRows::settle(std::span<const StoreChange> changes) {
  for (const auto& x : changes)
    if (const auto row = row_of(x); row != 0) {
      settled_.push_back(row);
      forget_bytes(row);
      if (const auto order = orders_.find(row); order != orders_.end())
        order->second.is_settled = true;
    }
  return waits_for_room_ && room() >= worth_a_look && std::exchange(waits_for_room_, false);
}

// -- the reader ---------------------------------------------------------------------------

std::size_t IntakeRows::room() const {
  return bytes_of_.size() >= most_rows || bytes_ >= most_bytes ? 0 : most_rows - bytes_of_.size();
}

void IntakeRows::forget_bytes(std::uint64_t row) {
  if (const auto found = bytes_of_.find(row); found != bytes_of_.end()) {
    bytes_ -= found->second;
    bytes_of_.erase(found);
  }
}

bool IntakeRows::withholds(const IncomingMessage& message) {
  if (message.idempotency_key.empty())
    return false;
  for (auto& [row, order] : orders_)
    if (message.row < row && message.idempotency_key == order.idempotency_key) {
      order.withheld.push_back(message.row);
      return true;
    }
  return false;
}

bool IntakeRows::withholds_any() const {
  return std::any_of(orders_.begin(), orders_.end(),
                     [](const auto& x) { return !x.second.withheld.empty(); });
}

// What it withheld is read again.
void IntakeRows::end_order(std::unordered_map<std::uint64_t, Order>::iterator order) {
  read_again_.insert(read_again_.end(), order->second.withheld.begin(),
                     order->second.withheld.end());
  orders_.erase(order);
}

IntakeRows::Look IntakeRows::begin_look() {
  Look result;
  for (const auto row : settled_)
    in_hand_.erase(row);
  settled_.clear();
  for (auto order = orders_.begin(); order != orders_.end();) {
    const auto one = order++;
    if (one->second.is_settled)
      end_order(one);
  }
  result.given_back = std::exchange(given_back_, {});
  result.read_again = std::exchange(read_again_, {});
  for (const auto* const rows : {&result.given_back, &result.read_again})
    for (const auto row : *rows) {
      in_hand_.erase(row);
      forget_bytes(row);
    }
  result.is_to_catch_up = std::exchange(is_to_catch_up_, false);
  result.room = room();
  waits_for_room_ = result.room == 0;
  return result;
}

bool IntakeRows::put(std::vector<IncomingMessage> messages, bool has_caught_up) {
  for (auto& x : messages) {
    in_hand_.insert(x.row);
    if (!orders_.empty() && withholds(x)) {
      bytes_of_[x.row] = 0;
      continue;
    }
    if (is_order(x))
      orders_[x.row].idempotency_key = x.idempotency_key;
    bytes_of_[x.row] = x.size();
    bytes_ += x.size();
    waiting_.push_back(std::move(x));
    ++put_;
  }
  if (!has_caught_up || caught_up_after_ || is_to_catch_up_ || withholds_any())
    return false;
  caught_up_after_ = put_;
  return true;
}

} // namespace backoff_actor
