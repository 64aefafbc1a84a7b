// What a store does when its session is lost, to keep its ownership. The server refuses the commits
// of one that is no owner any more: `backoff.fence` in pg_schema.cpp.

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_statements.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"
#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"

#include <chrono>
#include <utility>

namespace backoff_actor::detail {

namespace {

// What the last commits may take, to be made again after a failover. A commit of 100 deliveries of
// 256 bytes takes 40 kB.
constexpr std::size_t most_recent_bytes = 4U << 20;

// How long a lock may take to come free once its session was ended.
constexpr std::chrono::milliseconds after_end{200};

} // namespace

StoreOwnership PostgresDeliveryStore::ownership() const {
  return StoreOwnership{row_.epoch, wish_->options.lease};
}

void PostgresDeliveryStore::renew() {
  if (!session_)
    return reach();
  reach();
  std::uint64_t epoch = 0;
  try {
    const auto rows = session_->connection().run({&pg::read_epoch, {pg_int4(session_->outbox())}});
    epoch = rows.size() == 0 ? 0 : static_cast<std::uint64_t>(rows.number(0, 0));
  } catch (const PgRefusal& refusal) {
    throw pg_store_error(name(), refusal);
  } catch (const PgLost&) {
    session_.reset();
    return reach();
  }
  if (epoch != row_.epoch)
    disown(who_owns(*session_));
}

// Afterwards there is a session that owns the outbox.
void PostgresDeliveryStore::reach() {
  if (disowned_)
    throw StoreError{*disowned_};
  if (!session_)
    reconnect();
}

void PostgresDeliveryStore::reconnect() {
  try {
    auto session = std::make_unique<PgSession>(wish_, PgSession::Purpose::own, nullptr);
    if (!take_lock(*session)) {
      const auto owner = session->owner();
      if (owner && owner->epoch == row_.epoch)
        throw StoreError(StoreFailure::unreachable,
                         name() + ": the session is lost, and another one holds the lock");
      disown(who_owns(*session));
    }
    const auto found = session->resume(row_.epoch, row_.claim);
    if (!found)
      disown(who_owns(*session));
    settle(*session, *found);
    pid_ = session->connection().pid();
    session_ = std::move(session);
  } catch (const PgRefusal& refusal) {
    throw StoreError(StoreFailure::unreachable, pg_store_error(name(), refusal).what());
  } catch (const PgLost& lost) {
    throw pg_store_error(name(), lost);
  } catch (const StoreError& error) {
    // As long as there is no session, nobody knows who owns the outbox.
    if (error.failure() == StoreFailure::disowned)
      throw;
    throw StoreError(StoreFailure::unreachable, error.what());
  }
}

bool PostgresDeliveryStore::take_lock(PgSession& session) {
  if (session.try_lock())
    return true;
  // The server may not have noticed yet that the session before is over.
  if (!session.end_own_session(pid_, row_.epoch, row_.claim))
    return false;
  return session.wait_for_lock(after_end);
}

// Finds out what became of the commits.
void PostgresDeliveryStore::settle(PgSession& session, const PgOutboxRow& found) {
  const auto known = row_.commit_no;
  auto unanswered = std::exchange(unanswered_, {});
  if (found.commit_no == known)
    return;
  if (unanswered && found.commit_no == known + 1) {
    was_made_ |= unanswered->is_of_caller;
    set_row(found);
    remember(std::move(unanswered->commit));
    return;
  }
  if (found.commit_no > known)
    disown("another program has written under this ownership");
  make_again(session, found.commit_no);
}

void PostgresDeliveryStore::make_again(PgSession& session, std::uint64_t commit_no) {
  const auto lost = row_.commit_no - commit_no;
  const auto lost_text = std::to_string(lost) + (lost == 1 ? " commit" : " commits")
                         + ", as it does after a failover to a replica that was behind";
  if (recent_.empty() || recent_.front().after.commit_no > commit_no + 1)
    disown("the server has lost " + lost_text + ", and this process no longer has all of them");
  for (const auto& one : recent_)
    if (one.after.commit_no > commit_no)
      session.connection().run(one.calls);
  notices_.push_back(name() + ": the server had lost " + lost_text
                     + "; this process has made them again");
}

void PostgresDeliveryStore::remember(PgCommit commit) {
  const auto bytes = commit.bytes();
  if (bytes > most_recent_bytes) {
    recent_.clear();
    recent_bytes_ = 0;
    return;
  }
  recent_bytes_ += bytes;
  recent_.push_back(std::move(commit));
  while (recent_bytes_ > most_recent_bytes) {
    recent_bytes_ -= recent_.front().bytes();
    recent_.pop_front();
  }
}

void PostgresDeliveryStore::disown(const std::string& why) {
  session_.reset();
  disowned_.emplace(StoreFailure::disowned, name() + ": " + why);
  throw StoreError{*disowned_};
}

std::string PostgresDeliveryStore::who_owns(PgSession& session) const {
  std::optional<StoreOwner> owner;
  try {
    owner = session.owner();
  } catch (const std::exception&) {
    return "another process owns it now";
  }
  const auto own = "; this process had epoch " + std::to_string(row_.epoch);
  if (!owner || owner->epoch < row_.epoch)
    return "the server does not know this ownership, as after a failover to a replica that was "
           "behind"
           + own;
  return owner->node + " owns it now, with epoch " + std::to_string(owner->epoch) + own;
}

} // namespace backoff_actor::detail
