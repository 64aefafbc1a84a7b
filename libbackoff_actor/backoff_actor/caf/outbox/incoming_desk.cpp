#include "backoff_actor/caf/outbox/internal/incoming_desk.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor {

namespace {

// What may be held at a time. With a full outbox it waits in memory.
constexpr std::size_t most_rows = 1000;
constexpr std::size_t most_bytes_of_a_look = 64U << 20;

// A reader that waits for room is told once there is room for so many: one look for many rows costs
// little more than one for a few.
constexpr std::size_t worth_a_look = most_rows / 4;

// The row that a change deletes; 0: none.
std::uint64_t row_of(const StoreChange& x) {
  if (const auto* const insertion = std::get_if<change::Insert>(&x))
    return insertion->incoming;
  if (const auto* const drop = std::get_if<change::DropIncoming>(&x))
    return drop->incoming;
  return 0;
}

void wake(const caf::actor& reader) {
  if (reader)
    compat::enqueue(reader, WriteNow{});
}

} // namespace

// -- the sender ---------------------------------------------------------------------------

std::uint64_t IncomingDesk::begin(const caf::actor_addr& sender) {
  const std::lock_guard lock{mutex_};
  sender_ = sender;
  is_over_ = false;
  is_sender_called_ = false;
  waits_for_room_ = false;
  put_ = 0;
  taken_ = 0;
  caught_up_after_.reset();
  is_to_catch_up_ = false; // an intake begins so
  return ++turn_;
}

void IncomingDesk::catch_up() {
  caf::actor reader;
  {
    const std::lock_guard lock{mutex_};
    caught_up_after_.reset();
    is_to_catch_up_ = true;
    reader = reader_;
  }
  wake(reader);
}

bool IncomingDesk::has_caught_up() const {
  const std::lock_guard lock{mutex_};
  return caught_up_after_ && taken_ >= *caught_up_after_;
}

void IncomingDesk::keep(caf::actor reader) {
  const std::lock_guard lock{mutex_};
  reader_ = std::move(reader);
}

void IncomingDesk::note_look() {
  const std::lock_guard lock{mutex_};
  is_sender_called_ = false;
}

void IncomingDesk::end() {
  std::shared_ptr<Intake> intake;
  caf::actor reader;
  {
    const std::lock_guard lock{mutex_};
    if (std::exchange(is_over_, true))
      return;
    for (const auto& x : waiting_)
      given_back_.push_back(x.row);
    waiting_.clear();
    intake = intake_;
    reader = std::exchange(reader_, {});
    sender_ = {};
  }
  if (intake)
    intake->interrupt();
  wake(reader);
}

std::optional<IncomingMessage> IncomingDesk::next() {
  const std::lock_guard lock{mutex_};
  if (waiting_.empty())
    return std::nullopt;
  auto result = std::move(waiting_.front());
  waiting_.pop_front();
  ++taken_;
  return result;
}

void IncomingDesk::put_back(IncomingMessage message) {
  const std::lock_guard lock{mutex_};
  waiting_.push_front(std::move(message));
  --taken_;
}

void IncomingDesk::give_back(std::uint64_t row) {
  caf::actor reader;
  {
    const std::lock_guard lock{mutex_};
    given_back_.push_back(row);
    if (std::exchange(waits_for_room_, false))
      reader = reader_;
  }
  wake(reader);
}

void IncomingDesk::call_sender(bool waits_elsewhere) {
  caf::actor sender;
  {
    const std::lock_guard lock{mutex_};
    if ((waiting_.empty() && !waits_elsewhere) || std::exchange(is_sender_called_, true))
      return;
    sender = caf::actor_cast<caf::actor>(sender_);
  }
  if (sender)
    compat::enqueue(sender, StoreNews{});
}

// -- the writer ---------------------------------------------------------------------------

void IncomingDesk::settle(std::span<const StoreChange> changes) {
  caf::actor reader;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& x : changes) {
      const auto row = row_of(x);
      if (row == 0)
        continue;
      settled_.push_back(row);
      if (const auto found = bytes_of_.find(row); found != bytes_of_.end()) {
        bytes_ -= found->second;
        bytes_of_.erase(found);
      }
    }
    if (!waits_for_room_ || room() < worth_a_look)
      return;
    waits_for_room_ = false;
    reader = reader_;
  }
  wake(reader);
}

// -- the reader ---------------------------------------------------------------------------

std::size_t IncomingDesk::room() const {
  return bytes_of_.size() >= most_rows || bytes_ >= most_bytes_of_a_look
           ? 0
           : most_rows - bytes_of_.size();
}

IncomingDesk::Task IncomingDesk::next_task(std::uint64_t turn) {
  const std::lock_guard lock{mutex_};
  Task result;
  result.is_over = is_over_ || turn != turn_;
  result.is_early = at_work_ != 0 && at_work_ != turn;
  if (result.is_over || result.is_early)
    return result;
  at_work_ = turn;
  for (const auto row : settled_)
    held_.erase(row);
  settled_.clear();
  result.given_back = std::exchange(given_back_, {});
  for (const auto row : result.given_back) {
    held_.erase(row);
    if (const auto found = bytes_of_.find(row); found != bytes_of_.end()) {
      bytes_ -= found->second;
      bytes_of_.erase(found);
    }
  }
  result.is_to_catch_up = std::exchange(is_to_catch_up_, false);
  result.room = room();
  waits_for_room_ = result.room == 0;
  return result;
}

std::shared_ptr<Intake> IncomingDesk::open(std::uint64_t turn) {
  std::shared_ptr<Intake> result = open_();
  const std::lock_guard lock{mutex_};
  if (is_over_ || turn != turn_)
    return nullptr;
  intake_ = result;
  return result;
}

void IncomingDesk::put(std::uint64_t turn, std::vector<IncomingMessage> messages,
                       bool has_caught_up) {
  auto is_news = false;
  {
    const std::lock_guard lock{mutex_};
    if (is_over_ || turn != turn_)
      return;
    for (auto& x : messages) {
      held_.insert(x.row);
      bytes_of_[x.row] = x.size();
      bytes_ += x.size();
      waiting_.push_back(std::move(x));
      ++put_;
    }
    is_news = has_caught_up && !caught_up_after_ && !is_to_catch_up_;
    if (is_news)
      caught_up_after_ = put_;
  }
  call_sender(is_news);
}

void IncomingDesk::leave(std::uint64_t turn) {
  std::shared_ptr<Intake> intake; // destroyed without the lock
  const std::lock_guard lock{mutex_};
  if (at_work_ != turn)
    return;
  at_work_ = 0;
  if (turn == turn_)
    intake = std::exchange(intake_, nullptr);
}

} // namespace backoff_actor
