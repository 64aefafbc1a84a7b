#include "backoff_actor/store/postgres/internal/postgres_delivery_store.hpp"

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_reading.hpp"
#include "backoff_actor/store/postgres/internal/pg_statements.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace backoff_actor::detail {

namespace {

// After so many ended deliveries the store looks for the oldest: a later reader passes about so
// many dead entries of the index.
constexpr std::size_t look_after = 2000;

// `drop_keys` drops up to so many at a time.
constexpr std::int64_t keys_at_a_time = 1000;

constexpr int most_attempts = 5; // of a statement that was in the way of others

} // namespace

PostgresDeliveryStore::PostgresDeliveryStore(std::shared_ptr<const PgWish> wish,
                                             std::unique_ptr<PgSession> session, PgOutboxRow row)
  : wish_(std::move(wish)), session_(std::move(session)), pid_(session_->connection().pid()),
    row_(std::move(row)),
    has_keys_to_drop_(row_.keys.since > std::numeric_limits<std::int64_t>::min()),
    notices_(session_->notices()), board_(std::make_shared<PgBoard>(row_)) {}

// Runs `f` on the session. A session that is lost is given up.
template <class F>
auto PostgresDeliveryStore::call(const F& f) -> decltype(f()) {
  try {
    return f();
  } catch (const PgRefusal& refusal) {
    throw pg_store_error(name(), refusal);
  } catch (const PgLost& lost) {
    session_.reset();
    throw pg_store_error(name(), lost);
  }
}

// -- changes -----------------------------------------------------------------------------------

void PostgresDeliveryStore::commit(std::span<const StoreChange> changes) {
  if (changes.empty())
    return;
  reach();
  if (std::exchange(was_made_, false))
    return;
  auto batch = new_changes();
  batch.note_time(changes);
  for (const auto& one : changes) {
    if (const auto id = too_large_in(one); id != 0)
      throw StoreError(StoreFailure::too_large, name() + ": delivery " + std::to_string(id)
                                                  + " has more than 1000000000 bytes");
    if (!std::holds_alternative<change::KeepAnswer>(one) || may_keep_answers())
      batch.add(one);
  }
  if (has_keys_to_drop_)
    batch.drop_keys();
  ended_ += batch.ended();
  if (ended_ >= look_after)
    batch.look_for_oldest();
  may_have_keys_ |= batch.has_keys();
  make(batch.take(), true);
}

PgChanges PostgresDeliveryStore::new_changes() const {
  return {session_->outbox(), row_, may_have_keys_, may_have_answers_, session_->schema()};
}

bool PostgresDeliveryStore::may_keep_answers() {
  may_have_answers_ = session_->schema() >= 3;
  if (!may_have_answers_ && !std::exchange(has_told_of_answers_, true))
    notices_.push_back(name() + ": it keeps no answers, for its schema has version "
                       + std::to_string(session_->schema())
                       + "; run backoffctl outbox migrate, and then start the program anew");
  return may_have_answers_;
}

void PostgresDeliveryStore::make(PgCommit commit, bool is_of_caller) {
  for (auto attempt = 1;; ++attempt) {
    try {
      const auto rows = session_->connection().run(commit.calls);
      if (session_->await_replicas())
        notices_.push_back(name()
                           + ": somebody has cancelled a commit that waited for a replica; it was "
                             "made, and is on the replica now");
      keep(commit, rows);
      return;
    } catch (const PgRefusal& refusal) {
      if (refusal.state == pg_epoch_is_over)
        disown(who_owns(*session_));
      if (is_worth_a_retry(refusal) && attempt < most_attempts)
        continue;
      const auto error = pg_store_error(name(), refusal);
      if (error.failure() == StoreFailure::read_only)
        session_.reset(); // another server may be the primary now
      throw error;
    } catch (const PgLost& lost) {
      session_.reset();
      unanswered_ = Unanswered{std::move(commit), is_of_caller};
      throw pg_store_error(name(), lost);
    }
  }
}

// Makes changes that the caller does not bring once more.
void PostgresDeliveryStore::make_alone(const std::function<void(PgChanges&)>& fill) {
  reach();
  const auto number = row_.commit_no + 1;
  for (auto attempt = 1; row_.commit_no < number; ++attempt) {
    auto batch = new_changes();
    fill(batch);
    try {
      make(batch.take(), false);
    } catch (const StoreError& error) {
      if (error.failure() != StoreFailure::unreachable || session_ || attempt == most_attempts)
        throw;
      reach();
    }
  }
}

void PostgresDeliveryStore::keep(PgCommit& commit, const std::vector<PgRows>& rows) {
  auto after = commit.after;
  after.message_format = row_.message_format;
  if (commit.keys && !rows[*commit.keys].is_null(0, 0)) {
    after.last_key_number = rows[*commit.keys].number(0, 0);
    after.keys.last = rows[*commit.keys].number(0, 1);
  }
  after.keys.last = std::max(after.keys.last, after.keys.since);
  if (commit.dropped_keys) {
    has_keys_to_drop_ = rows[*commit.dropped_keys].number(0, 0) >= keys_at_a_time;
    after.first_key_number = rows[*commit.dropped_keys].number(0, 1);
  }
  if (commit.dropped_answers)
    has_keys_to_drop_ |= rows[*commit.dropped_answers].number(0, 0) >= keys_at_a_time;
  if (commit.oldest) {
    const auto& found = rows[*commit.oldest];
    after.oldest_id =
      found.size() == 0 ? after.last_id + 1 : static_cast<std::uint64_t>(found.number(0, 0));
    ended_ = 0;
  }
  set_row(std::move(after));
  remember(std::move(commit));
}

void PostgresDeliveryStore::set_row(PgOutboxRow row) {
  row_ = std::move(row);
  board_->set_commit_no(row_.commit_no);
}

void PostgresDeliveryStore::set_message_format(const std::string& format) {
  if (!message_format().empty())
    throw std::logic_error(name() + ": already has a message format, which cannot change");
  make_alone([&](PgChanges& changes) {
    changes.add({&pg::set_format, {pg_int4(session_->outbox()), format}});
  });
  row_.message_format = format;
}

// Those of the ids that are dead letters, and whether each is unreadable.
std::unordered_map<std::uint64_t, bool>
PostgresDeliveryStore::dead_among(std::span<const std::uint64_t> ids) {
  return call([&] {
    const auto rows =
      session_->connection().run({&pg::find_dead, {pg_int4(session_->outbox()), pg_numbers(ids)}});
    std::unordered_map<std::uint64_t, bool> result;
    for (auto row = 0; row < rows.size(); ++row)
      result.emplace(static_cast<std::uint64_t>(rows.number(row, 0)), rows.is_true(row, 1));
    return result;
  });
}

std::size_t PostgresDeliveryStore::remove_dead_letters(std::span<const std::uint64_t> ids) {
  reach();
  std::vector<std::uint64_t> found;
  for (const auto& [id, is_unreadable] : dead_among(ids))
    found.push_back(id);
  if (!found.empty())
    make_alone([&](PgChanges& changes) {
      changes.add({&pg::remove_dead, {pg_int4(session_->outbox()), pg_numbers(found)}});
    });
  return found.size();
}

std::size_t PostgresDeliveryStore::resubmit_dead_letters(std::span<const std::uint64_t> ids) {
  reach();
  auto found = dead_among(ids);
  std::vector<std::uint64_t> owed;
  std::vector<std::uint64_t> incoming;
  for (const auto id : ids)
    if (const auto one = found.extract(id))
      (one.mapped() ? incoming : owed).push_back(id);
  if (owed.empty() && incoming.empty())
    return 0;
  std::vector<std::uint64_t> new_ids;
  for (const auto last_id = row_.last_id; new_ids.size() < owed.size();)
    new_ids.push_back(last_id + new_ids.size() + 1);
  may_have_keys_ = true;
  make_alone([&](PgChanges& changes) {
    const auto outbox = pg_int4(session_->outbox());
    if (!owed.empty()) {
      changes.set_last_id(new_ids.back());
      changes.add({&pg::resubmit_dead, {outbox, pg_numbers(owed), pg_numbers(new_ids)}});
    }
    if (!incoming.empty())
      changes.add({&pg::resubmit_incoming, {outbox, pg_numbers(incoming)}});
  });
  return owed.size() + incoming.size();
}

std::unique_ptr<Intake> PostgresDeliveryStore::open_intake() {
  return open_pg_intake(wish_, board_);
}

void PostgresDeliveryStore::tidy_up() {
  if (has_keys_to_drop_)
    make_alone([](PgChanges& changes) { changes.drop_keys(); });
}

// -- reading -----------------------------------------------------------------------------------

void PostgresDeliveryStore::for_each_owed(const std::function<void(StoredDelivery)>& visit) {
  reach();
  auto has_keys = false;
  call([&] {
    read_pg_owed(session_->connection(), session_->outbox(), row_.oldest_id, row_.last_id, name(),
                 [&](StoredDelivery delivery) {
                   has_keys |= !delivery.idempotency_key.empty();
                   visit(std::move(delivery));
                 });
  });
  may_have_keys_ = has_keys;
}

void PostgresDeliveryStore::for_each_acknowledged_key(
  const std::function<void(AcknowledgedKey)>& visit) {
  reach();
  call([&] {
    read_pg_keys(session_->connection(), session_->outbox(), row_.keys.since, visit);
    if (session_->schema() >= 3)
      may_have_answers_ |=
        session_->connection().run({&pg::has_answers, {pg_int4(session_->outbox())}}).is_true(0, 0);
  });
}

void PostgresDeliveryStore::for_each_dead_letter(
  const std::function<void(StoredDeadLetter)>& visit) {
  reach();
  call([&] {
    read_pg_dead_letters(session_->connection(), session_->outbox(), session_->schema(),
                         row_.last_id, name(), visit);
  });
}

void PostgresDeliveryStore::for_each_newest_dead_letter(
  std::uint64_t below, std::size_t at_most, const std::function<void(StoredDeadLetter)>& visit) {
  reach();
  call([&] {
    read_newest_pg_dead_letters(session_->connection(), session_->outbox(), session_->schema(),
                                below, at_most, name(), visit);
  });
}

FoundMessage PostgresDeliveryStore::find_message(const std::string& idempotency_key,
                                                 std::uint64_t delivery) {
  reach();
  return call([&] {
    return find_pg_message(session_->connection(), session_->outbox(), session_->schema(),
                           row_.keys.since, idempotency_key, delivery, name());
  });
}

DeadLetterTally PostgresDeliveryStore::count_dead_letters() {
  reach();
  return call([&] { return count_pg_dead_letters(session_->connection(), session_->outbox()); });
}

std::vector<std::string> PostgresDeliveryStore::take_notices() {
  auto result = std::exchange(notices_, {});
  for (auto& one : board_->take_notices())
    result.push_back(std::move(one));
  return result;
}

} // namespace backoff_actor::detail
