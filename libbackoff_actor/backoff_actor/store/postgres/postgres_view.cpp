// An outbox that is open for reading, and the list of the outboxes.

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_reading.hpp"
#include "backoff_actor/store/postgres/internal/pg_schema.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"
#include "backoff_actor/store/postgres/internal/postgres_messages.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace backoff_actor {

namespace detail {

namespace {

class PostgresView final : public DeliveryStore {
public:
  explicit PostgresView(std::shared_ptr<const PgWish> wish) : wish_(std::move(wish)) { connect(); }

  std::string name() const override { return wish_->target.name; }

  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override {
    read_parts([&](PgConnection& connection, const PgOutboxRow& row) {
      read_pg_owed(connection, session_->outbox(), row.oldest_id, row.last_id, name(), visit);
    });
  }

  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override {
    read([&](PgConnection& connection, const PgOutboxRow& row) {
      read_pg_keys(connection, session_->outbox(), row.keys.since, visit);
      return 0;
    });
  }

  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override {
    read_parts([&](PgConnection& connection, const PgOutboxRow& row) {
      read_pg_dead_letters(connection, session_->outbox(), session_->schema(), row.last_id, name(),
                           visit);
    });
  }

  void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                   const std::function<void(StoredDeadLetter)>& visit) override {
    read([&](PgConnection& connection, const PgOutboxRow&) {
      read_newest_pg_dead_letters(connection, session_->outbox(), session_->schema(), below,
                                  at_most, name(), visit);
      return 0;
    });
  }

  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override {
    return read([&](PgConnection& connection, const PgOutboxRow& row) {
      return find_pg_message(connection, session_->outbox(), session_->schema(), row.keys.since,
                             idempotency_key, delivery, name());
    });
  }

  DeadLetterTally count_dead_letters() override {
    return read([&](PgConnection& connection, const PgOutboxRow&) {
      return count_pg_dead_letters(connection, session_->outbox());
    });
  }

  std::uint64_t last_id() override {
    return read([](PgConnection&, const PgOutboxRow& row) { return row.last_id; });
  }

  std::string message_format() override {
    return read([](PgConnection&, const PgOutboxRow& row) { return row.message_format; });
  }

  void commit(std::span<const StoreChange> /*changes*/) override { refuse(); }
  void set_message_format(const std::string& /*format*/) override { refuse(); }
  std::size_t remove_dead_letters(std::span<const std::uint64_t> /*ids*/) override { refuse(); }
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> /*ids*/) override { refuse(); }

private:
  [[noreturn]] void refuse() const {
    throw StoreError(
      StoreFailure::read_only,
      name() + ": is open for reading only; open it with open_postgres_store to change it");
  }

  void connect() {
    session_ = std::make_unique<PgSession>(wish_, PgSession::Purpose::read, nullptr);
  }

  // Reads all parts from the same instant.
  template <class F>
  auto read(const F& f) -> decltype(f(std::declval<PgConnection&>(), PgOutboxRow{})) {
    return translate([&] {
      begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      auto result = f(session_->connection(), session_->look());
      session_->connection().run_script("COMMIT");
      return result;
    });
  }

  // Reads each part in a transaction of its own. As long as somebody has a snapshot, the server
  // removes nothing that was deleted since, and who looks at each row may take long.
  template <class F>
  void read_parts(const F& f) {
    translate([&] {
      begin("SELECT 1");
      f(session_->connection(), session_->look());
      return 0;
    });
  }

  template <class F>
  auto translate(const F& f) -> decltype(f()) {
    try {
      return f();
    } catch (const PgRefusal& refusal) {
      session_.reset();
      throw pg_store_error(name(), refusal);
    } catch (const PgLost& lost) {
      session_.reset();
      throw pg_store_error(name(), lost);
    } catch (...) {
      session_.reset(); // with its transaction
      throw;
    }
  }

  // Runs the first statement on a session that is there.
  void begin(const char* statement) {
    if (session_) {
      try {
        return session_->connection().run_script(statement);
      } catch (const PgLost&) {
        // It has ended since the last call.
      }
    }
    connect();
    session_->connection().run_script(statement);
  }

  std::shared_ptr<const PgWish> wish_;
  std::unique_ptr<PgSession> session_{}; // null: it was lost
};

} // namespace

std::shared_ptr<DeliveryStore> pg_view(std::shared_ptr<const PgWish> wish) {
  return std::make_shared<PostgresView>(std::move(wish));
}

namespace {

const PgStatement find_schema_oid{nullptr, "SELECT to_regnamespace('backoff')::oid::int8", {}};

std::vector<PostgresOutbox> list_outboxes(PgConnection& connection, const std::string& name) {
  check_pg_schema(connection, name);
  const auto schema = connection.run({&find_schema_oid}).number(0, 0);
  const auto sql = "SELECT o.name, " + pg_owner_columns()
                   + ", (SELECT count(*) FROM backoff.delivery d WHERE d.outbox = o.id), "
                     "(SELECT min(d.submitted_at) FROM backoff.delivery d WHERE d.outbox = o.id), "
                     "(SELECT count(*) FROM backoff.dead_letter d WHERE d.outbox = o.id) "
                     "FROM backoff.outbox o JOIN backoff.shard s ON s.outbox = o.id "
                     "ORDER BY o.name COLLATE \"C\"";
  const PgStatement statement{nullptr, sql.c_str(), {pg_type::oid}};
  const auto rows = connection.run({&statement, {pg_lock_class(schema)}});
  std::vector<PostgresOutbox> result;
  for (auto row = 0; row < rows.size(); ++row)
    result.push_back({rows.text(row, 0), read_pg_owner(rows, row, 1),
                      static_cast<std::uint64_t>(rows.number(row, 6)),
                      WallTime{rows.optional_number(row, 7).value_or(0)},
                      static_cast<std::uint64_t>(rows.number(row, 8))});
  return result;
}

// $1: the outbox; empty: all. The views show bytes that are not ASCII as escapes.
const PgStatement find_messages{
  nullptr,
  "SELECT outbox, state, coalesce(id, 0), coalesce(key, ''), coalesce(idempotency_key, ''), "
  "coalesce(types, ''), (extract(epoch FROM at) * 1e9)::int8, coalesce(attempts, 0), "
  "coalesce(cause, '') FROM backoff.message WHERE ($1 = '' OR outbox = $1) AND ($2 IN (key, "
  "idempotency_key) OR encode(convert_to($2, 'UTF8'), 'escape') IN (key, idempotency_key)) ORDER "
  "BY at, outbox COLLATE \"C\", id",
  {pg_type::text, pg_type::text}};

std::vector<PostgresMessage> read_messages(PgConnection& connection, const std::string& name,
                                           const std::string& outbox, const std::string& key) {
  check_pg_schema(connection, name);
  const auto rows = connection.run({&find_messages, {outbox, key}});
  std::vector<PostgresMessage> result;
  for (auto row = 0; row < rows.size(); ++row)
    result.push_back({rows.text(row, 0), rows.text(row, 1),
                      static_cast<std::uint64_t>(rows.number(row, 2)), rows.text(row, 3),
                      rows.text(row, 4), rows.text(row, 5), WallTime{rows.number(row, 6)},
                      static_cast<std::uint64_t>(rows.number(row, 7)), rows.text(row, 8)});
  return result;
}

int migrate_pg_schema(PgConnection& connection, const std::string& name) {
  // Two migrations at once wait for each other. What works on the tables is held up for a second at
  // most.
  connection.run_script("BEGIN; SET LOCAL lock_timeout = '5s'; "
                        "SELECT pg_advisory_xact_lock(hashtext('backoff_actor migration')); "
                        "SET LOCAL lock_timeout = '1s'");
  const auto version = pg_schema_version(connection, name);
  if (version > postgres_schema_version)
    check_pg_schema(connection, name);
  connection.run_script(pg_migration_body(version) + ";COMMIT");
  return version;
}

} // namespace

} // namespace detail

std::shared_ptr<DeliveryStore> open_postgres_store_to_read(const PostgresAddress& address,
                                                           const PostgresOptions& options) {
  return detail::pg_view(detail::pg_wish(address, options));
}

std::vector<PostgresOutbox> postgres_outboxes(const std::string& connection) {
  const auto target = detail::pg_target(connection);
  return detail::with_pg_connection(target, false, [&](detail::PgConnection& open) {
    return detail::list_outboxes(open, target.name);
  });
}

std::vector<PostgresMessage> find_postgres_messages(const std::string& connection,
                                                    const std::string& outbox,
                                                    const std::string& key) {
  if (key.empty()) {
    Problems problems;
    problems.add("key", "an empty text", "a key or an idempotency key");
    problems.raise_if_any();
  }
  const auto target = detail::pg_target(connection);
  return detail::with_pg_connection(target, false, [&](detail::PgConnection& open) {
    return detail::read_messages(open, target.name, outbox, key);
  });
}

bool create_postgres_outbox(const PostgresAddress& address) {
  const auto wish = detail::pg_wish(address, {});
  return detail::with_pg_connection(wish->target, true, [&](detail::PgConnection& open) {
    detail::check_pg_schema(open, wish->target.name);
    return detail::create_pg_outbox(open, wish->outbox);
  });
}

int migrate_postgres(const std::string& connection) {
  const auto target = detail::pg_target(connection);
  return detail::with_pg_connection(target, true, [&](detail::PgConnection& open) {
    try {
      return detail::migrate_pg_schema(open, target.name);
    } catch (const detail::PgRefusal& refusal) {
      constexpr auto no_right = "42501";
      if (refusal.state != no_right)
        throw;
      throw StoreError(StoreFailure::refused,
                       target.name
                         + ": the user may not make the schema backoff and its roles; name a user "
                           "that may ("
                         + refusal.text + ")");
    }
  });
}

} // namespace backoff_actor
