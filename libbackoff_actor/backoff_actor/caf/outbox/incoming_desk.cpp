#include "backoff_actor/caf/outbox/internal/incoming_desk.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace backoff_actor {

namespace {

void wake(const caf::actor& reader) {
  if (reader)
    compat::enqueue(reader, GoOn{});
}

void call(const caf::actor& sender) {
  if (sender)
    compat::enqueue(sender, IncomingNews{});
}

} // namespace

// -- the sender ---------------------------------------------------------------------------

std::uint64_t IncomingDesk::begin(const caf::actor_addr& sender) {
  const detail::Lock lock{mutex_};
  sender_ = sender;
  is_over_ = false;
  is_sender_called_ = false;
  rows_.begin();
  return ++turn_;
}

void IncomingDesk::catch_up() {
  caf::actor reader;
  {
    const detail::Lock lock{mutex_};
    rows_.catch_up();
    reader = reader_;
  }
  wake(reader);
}

void IncomingDesk::catch_up_later() {
  const detail::Lock lock{mutex_};
  rows_.catch_up();
}

bool IncomingDesk::has_caught_up() const {
  const detail::Lock lock{mutex_};
  return rows_.has_caught_up();
}

void IncomingDesk::keep(caf::actor reader) {
  const detail::Lock lock{mutex_};
  reader_ = std::move(reader);
}

void IncomingDesk::end() {
  std::shared_ptr<Intake> intake;
  caf::actor reader;
  {
    const detail::Lock lock{mutex_};
    if (std::exchange(is_over_, true))
      return;
    rows_.end();
    intake = intake_;
    reader = std::exchange(reader_, {});
    sender_ = {};
  }
  if (intake)
    intake->interrupt();
  wake(reader);
}

std::vector<IncomingMessage> IncomingDesk::take() {
  const detail::Lock lock{mutex_};
  is_sender_called_ = false;
  return rows_.take();
}

void IncomingDesk::give_back(std::uint64_t row) {
  caf::actor reader;
  {
    const detail::Lock lock{mutex_};
    if (rows_.give_back(row))
      reader = reader_;
  }
  wake(reader);
}

void IncomingDesk::call_sender(bool waits_elsewhere) {
  caf::actor sender;
  {
    const detail::Lock lock{mutex_};
    sender = whom_to_tell(waits_elsewhere);
  }
  call(sender);
}

// The sender, if it has to be called.
caf::actor IncomingDesk::whom_to_tell(bool waits_elsewhere) {
  if ((!rows_.is_waiting() && !waits_elsewhere) || std::exchange(is_sender_called_, true))
    return {};
  return caf::actor_cast<caf::actor>(sender_);
}

// -- the writer ---------------------------------------------------------------------------

void IncomingDesk::settle(std::span<const StoreChange> changes) {
  caf::actor reader;
  {
    const detail::Lock lock{mutex_};
    if (rows_.settle(changes))
      reader = reader_;
  }
  wake(reader);
}

// -- the reader ---------------------------------------------------------------------------

IncomingDesk::Task IncomingDesk::next_task(std::uint64_t turn) {
  const detail::Lock lock{mutex_};
  Task result;
  result.is_over = is_over_ || turn != turn_;
  result.is_early = at_work_ != 0 && at_work_ != turn;
  if (result.is_over || result.is_early)
    return result;
  at_work_ = turn;
  result.look = rows_.begin_look();
  return result;
}

std::shared_ptr<Intake> IncomingDesk::open(std::uint64_t turn) {
  std::shared_ptr<Intake> result = open_();
  const detail::Lock lock{mutex_};
  if (is_over_ || turn != turn_)
    return nullptr;
  intake_ = result;
  return result;
}

void IncomingDesk::put(std::uint64_t turn, std::vector<IncomingMessage> messages,
                       bool has_caught_up) {
  caf::actor sender;
  {
    const detail::Lock lock{mutex_};
    if (is_over_ || turn != turn_)
      return;
    sender = whom_to_tell(rows_.put(std::move(messages), has_caught_up));
  }
  call(sender);
}

void IncomingDesk::leave(std::uint64_t turn) {
  std::shared_ptr<Intake> intake; // destroyed without the lock
  const detail::Lock lock{mutex_};
  if (at_work_ != turn)
    return;
  at_work_ = 0;
  if (turn == turn_)
    intake = std::exchange(intake_, nullptr);
}

} // namespace backoff_actor
