#include "backoff_actor/store/postgres/internal/pg_session.hpp"

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/internal/pg_schema.hpp"
#include "backoff_actor/store/postgres/internal/pg_statements.hpp"
#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <array>
#include <bit>
#include <random>
#include <utility>

#include <unistd.h>

namespace backoff_actor::detail {

namespace {

// Two installations in one database have different classes, and so do other programs' locks, most
// probably.
constexpr std::uint32_t class_mask = 0x626f6666;

// A statement of an owner that takes longer is cancelled.
constexpr auto statement_limit = "60s";

// Plans are made once. Rows are found by their numbers, however small a table was at that time, and
// joined by hash, however small a batch was.
const PgStatement set_up_session{
  nullptr,
  "SELECT pg_backend_pid(), coalesce(to_regnamespace('backoff')::oid::int8, 0), "
  "current_setting('synchronous_commit') = 'off', current_setting('fsync') = 'off', "
  "set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), "
  "false), set_config('jit', 'off', false), set_config('enable_seqscan', 'off', false), "
  "set_config('enable_nestloop', 'off', false), "
  "set_config('plan_cache_mode', 'force_generic_plan', false), "
  "set_config('default_transaction_isolation', 'read committed', false), "
  "set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false), "
  "set_config('idle_session_timeout', '0', false), "
  "set_config('idle_in_transaction_session_timeout', '0', false)",
  {}};

// Servers on some operating systems refuse this setting.
const PgStatement look_at_client{
  nullptr, "SELECT set_config('client_connection_check_interval', '1s', false)", {}};

const PgStatement set_owner_limits{nullptr,
                                   "SELECT set_config('idle_session_timeout', $1, false), "
                                   "set_config('idle_in_transaction_session_timeout', $1, false), "
                                   "set_config('statement_timeout', $2, false)",
                                   {pg_type::text, pg_type::text}};

const PgStatement select_outbox{
  nullptr,
  "SELECT o.id FROM backoff.outbox o JOIN backoff.shard s ON s.outbox = o.id WHERE o.name = "
  "$1",
  {pg_type::text}};
const PgStatement insert_outbox{
  nullptr, "INSERT INTO backoff.outbox(name) VALUES($1) ON CONFLICT DO NOTHING", {pg_type::text}};
const PgStatement insert_row{
  nullptr,
  "INSERT INTO backoff.shard(outbox, shard) SELECT id, 0 FROM backoff.outbox WHERE name = $1 "
  "ON CONFLICT DO NOTHING",
  {pg_type::text}};

// Whoever gets the lock may freeze before it claims the epoch. So the session has its limit as soon
// as it has the lock.
const PgStatement try_advisory_lock{
  nullptr,
  "SELECT CASE WHEN pg_try_advisory_lock($1, $2) THEN set_config('idle_session_timeout', $3, "
  "false) IS NOT NULL ELSE false END",
  {pg_type::int4, pg_type::int4, pg_type::text}};
const PgStatement set_wait_limit{nullptr,
                                 "SELECT set_config('lock_timeout', $1, true), "
                                 "set_config('backoff.has_lock', '', true)",
                                 {pg_type::text}};
const PgStatement has_lock{nullptr, "SELECT current_setting('backoff.has_lock') = 'yes'", {}};

// Of the sessions that hold the lock, of class $1, in this database.
#define BACKOFF_ACTOR_HOLDERS                                                                      \
  "pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2 AND l.classid = $1 "  \
  "AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"

const PgStatement terminate_frozen{
  nullptr,
  "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a, backoff.shard s WHERE "
  "s.outbox = $2 AND s.shard = 0 AND a.state = 'active' AND a.wait_event IN ('ClientRead', "
  "'ClientWrite') AND a.state_change < clock_timestamp() - s.lease_ms * interval '1 ms' AND a.pid "
  "IN (SELECT l.pid FROM " BACKOFF_ACTOR_HOLDERS " AND l.objid = $2::int8::oid)",
  {pg_type::oid, pg_type::int4}};

const PgStatement terminate_own{
  nullptr,
  "SELECT pg_terminate_backend(s.owner_pid) FROM backoff.shard s WHERE s.outbox = $2 AND s.shard "
  "= 0 AND s.epoch = $3 AND s.claim = $4 AND s.owner_pid = $5 AND s.owner_pid IN (SELECT l.pid "
  "FROM " BACKOFF_ACTOR_HOLDERS " AND l.objid = $2::int8::oid)",
  {pg_type::oid, pg_type::int4, pg_type::int8, pg_type::int8, pg_type::int4}};

// A column of the last commit: of `last_commit` or, until there was one with version 2 of the
// tables, of `shard`.
std::string of_last_commit(const std::string& column) {
  const auto newest = [](const std::string& name) {
    return "(SELECT c." + name
           + " FROM backoff.last_commit c WHERE c.outbox = s.outbox AND c.shard = 0 ORDER BY "
             "c.commit_no DESC LIMIT 1)";
  };
  return "CASE WHEN " + newest("commit_no") + " > s.commit_no THEN coalesce(" + newest(column)
         + ", s." + column + ") ELSE s." + column + " END";
}

std::string look_at_row(const std::string& of_commit) {
  return "SELECT s.epoch, s.claim, " + of_commit
         + ", (SELECT k.number FROM backoff.acknowledged_key k WHERE k.outbox = s.outbox AND "
           "k.shard = 0 ORDER BY k.number DESC LIMIT 1), (SELECT k.at FROM "
           "backoff.acknowledged_key k WHERE k.outbox = s.outbox AND k.shard = 0 ORDER BY k.number "
           "DESC LIMIT 1), (SELECT o.message_format FROM backoff.outbox o WHERE o.id = s.outbox) "
           "FROM backoff.shard s WHERE s.outbox = $1 AND s.shard = 0";
}

const auto look_at_row_1 = look_at_row("s.commit_no, s.last_id, s.oldest_id, s.keys_since");
const auto look_at_row_2 =
  look_at_row(of_last_commit("commit_no") + ", " + of_last_commit("last_id") + ", "
              + of_last_commit("oldest_id") + ", " + of_last_commit("keys_since"));
const PgStatement look_at_version_1{nullptr, look_at_row_1.c_str(), {pg_type::int4}};
const PgStatement look_at_version_2{nullptr, look_at_row_2.c_str(), {pg_type::int4}};

const PgStatement claim_row{
  nullptr,
  "UPDATE backoff.shard s SET epoch = s.epoch + 1, claim = $3, owner = $4, owner_pid = "
  "pg_backend_pid(), owned_since = clock_timestamp(), lease_ms = $5 WHERE s.outbox = $2 AND "
  "s.shard = 0 AND EXISTS (SELECT FROM " BACKOFF_ACTOR_HOLDERS
  " AND l.objid = $2::int8::oid AND l.pid = pg_backend_pid()) RETURNING 1",
  {pg_type::oid, pg_type::int4, pg_type::int8, pg_type::text, pg_type::int8}};

// Changes nothing, but is a commit that waits for the replicas, and so for all commits before it.
const PgStatement touch_row{
  nullptr,
  "UPDATE backoff.shard SET lease_ms = lease_ms WHERE outbox = $1 AND shard = 0",
  {pg_type::int4}};

const PgStatement set_row_limit{
  nullptr,
  "UPDATE backoff.outbox SET row_limit = $2 WHERE id = $1 AND row_limit <> $2",
  {pg_type::int4, pg_type::int4}};

const PgStatement resume_row{
  nullptr,
  "UPDATE backoff.shard s SET owner_pid = pg_backend_pid() WHERE s.outbox = $1 AND s.shard = 0 "
  "AND s.epoch = $2 AND s.claim = $3 RETURNING 1",
  {pg_type::int4, pg_type::int8, pg_type::int8}};

std::int32_t lock_class_of(std::int64_t schema_oid) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(schema_oid) ^ class_mask);
}

PgOutboxRow read_pg_outbox_row(const PgRows& rows) {
  PgOutboxRow result;
  result.epoch = static_cast<std::uint64_t>(rows.number(0, 0));
  result.claim = rows.number(0, 1);
  result.commit_no = static_cast<std::uint64_t>(rows.number(0, 2));
  result.last_id = static_cast<std::uint64_t>(rows.number(0, 3));
  result.oldest_id = static_cast<std::uint64_t>(rows.number(0, 4));
  result.keys.since = rows.number(0, 5);
  result.last_key_number = rows.optional_number(0, 6).value_or(0);
  result.keys.last = rows.optional_number(0, 7).value_or(result.keys.since);
  result.message_format = rows.text(0, 8);
  return result;
}

std::string this_machine() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0)
    return "unknown";
  return name.data();
}

std::int64_t random_claim() {
  std::random_device random;
  return std::bit_cast<std::int64_t>(std::uint64_t{random()} << 32 | random());
}

} // namespace

std::shared_ptr<const PgWish> pg_wish(const PostgresAddress& address, PostgresOptions options) {
  auto problems = check(address);
  problems.add_nested("options", check(options));
  problems.raise_if_any();
  if (options.node.empty())
    options.node = this_machine() + ":" + std::to_string(getpid());
  return std::make_shared<const PgWish>(
    PgWish{pg_target(address), address.outbox, std::move(options)});
}

StoreError pg_pooler_found(const std::string& name) {
  return pg_store_error(name, PgRefusal{"08P01", ""});
}

PgSession::PgSession(std::shared_ptr<const PgWish> wish, Purpose purpose,
                     const PgInterrupt* interrupt)
  : wish_(std::move(wish)),
    connection_(wish_->target,
                {wish_->options.connect_timeout, "backoff_actor " + wish_->options.node,
                 wish_->options.lease, purpose == Purpose::own},
                interrupt) {
  try {
    check_and_set_up();
    schema_ = check_pg_schema(connection_, wish_->target.name);
    try {
      connection_.run({&look_at_client});
    } catch (const PgRefusal&) {
      // Then a process that is killed while it waits stays in the queue for some seconds.
    }
    connection_.prepare(pg::all(schema_));
    find_outbox(purpose);
  } catch (const PgRefusal& refusal) {
    throw pg_store_error(wish_->target.name, refusal);
  } catch (const PgLost& lost) {
    throw pg_store_error(wish_->target.name, lost);
  }
}

void PgSession::check_and_set_up() {
  const auto rows = connection_.run({&set_up_session});
  // A pooler gives the client a number of its own.
  if (rows.number(0, 0) != connection_.pid())
    throw pg_pooler_found(wish_->target.name);
  class_ = lock_class_of(rows.number(0, 1));
  const auto tell = [this](const std::string& text) {
    notices_.push_back(wish_->target.name + ": " + text);
  };
  if (rows.is_true(0, 2))
    tell("the database has synchronous_commit = off; the owner's session sets it to on");
  if (rows.is_true(0, 3))
    tell("the server runs with fsync = off, so a crash of its machine can damage everything");
}

bool create_pg_outbox(PgConnection& connection, const std::string& outbox) {
  const auto is_new = connection.run({&select_outbox, {outbox}}).size() == 0;
  const std::array calls{PgCall{&insert_outbox, {outbox}}, PgCall{&insert_row, {outbox}}};
  connection.run(calls);
  return is_new;
}

void PgSession::find_outbox(Purpose purpose) {
  auto found = connection_.run({&select_outbox, {wish_->outbox}});
  if (found.size() == 0 && purpose == Purpose::read)
    throw StoreError(StoreFailure::cannot_open,
                     wish_->target.name
                       + ": the database has no such outbox; its first owner makes it, or "
                         "backoffctl outbox create");
  if (found.size() == 0) {
    create_pg_outbox(connection_, wish_->outbox);
    found = connection_.run({&select_outbox, {wish_->outbox}});
  }
  outbox_ = static_cast<std::int32_t>(found.number(0, 0));
}

// -- the lock ----------------------------------------------------------------------------------

bool PgSession::try_lock() {
  return connection_.run({&try_advisory_lock, {pg_int4(class_), pg_int4(outbox_), lease_in_ms()}})
    .is_true(0, 0);
}

bool PgSession::wait_for_lock(Duration at_most) {
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(at_most).count();
  // A wait that ends without the lock is no error, or the server would log one each time. The
  // setting of the idle time is then as before, too.
  const auto sql = "DO $$ BEGIN PERFORM pg_catalog.set_config('idle_session_timeout', '"
                   + lease_in_ms()
                   + "', false), pg_catalog.set_config('backoff.has_lock', 'yes', "
                     "true), pg_catalog.pg_advisory_lock("
                   + std::to_string(class_) + ", " + std::to_string(outbox_)
                   + "); EXCEPTION WHEN lock_not_available THEN NULL; END $$";
  const PgStatement wait{nullptr, sql.c_str(), {}};
  const std::array calls{PgCall{&set_wait_limit, {std::to_string(limit)}}, PgCall{&wait},
                         PgCall{&has_lock}};
  return connection_.run(calls).back().is_true(0, 0);
}

void PgSession::end_frozen_owner() {
  try {
    connection_.run({&terminate_frozen, {pg_int4(class_), pg_int4(outbox_)}});
  } catch (const PgRefusal&) {
    // It is another role's session.
  }
}

bool PgSession::end_own_session(int pid, std::uint64_t epoch, std::int64_t claim) {
  return connection_
           .run({&terminate_own,
                 {pg_int4(class_), pg_int4(outbox_), pg_int8(epoch), pg_int8(claim), pg_int4(pid)}})
           .size()
         > 0;
}

// -- the epoch ---------------------------------------------------------------------------------

std::string PgSession::lease_in_ms() const {
  return std::to_string(std::chrono::ceil<std::chrono::milliseconds>(wish_->options.lease).count());
}

std::vector<PgCall> PgSession::owner_settings() const {
  return {{&set_owner_limits, {lease_in_ms(), statement_limit}}};
}

// The statement sees what was committed before the statements before it got their locks.
PgCall PgSession::look_at_row() const {
  return {schema_ > 1 ? &look_at_version_2 : &look_at_version_1, {pg_int4(outbox_)}};
}

PgOutboxRow PgSession::claim() {
  const auto lease = std::chrono::ceil<std::chrono::milliseconds>(wish_->options.lease).count();
  auto calls = owner_settings();
  if (schema_ > 1) // version 1 has no limit of rows
    calls.push_back(
      {&set_row_limit,
       {pg_int4(outbox_), pg_int4(static_cast<std::int32_t>(wish_->options.max_row))}});
  calls.push_back({&claim_row,
                   {pg_int4(class_), pg_int4(outbox_), pg_int8(random_claim()), wish_->options.node,
                    pg_int8(std::int64_t{lease})}});
  calls.push_back(look_at_row());
  const auto rows = connection_.run(calls);
  if (rows[rows.size() - 2].size() == 0) // the lock is not this session's
    throw pg_pooler_found(wish_->target.name);
  return read_pg_outbox_row(rows.back());
}

std::optional<PgOutboxRow> PgSession::resume(std::uint64_t epoch, std::int64_t claim) {
  auto calls = owner_settings();
  calls.push_back({&resume_row, {pg_int4(outbox_), pg_int8(epoch), pg_int8(claim)}});
  calls.push_back(look_at_row());
  const auto rows = connection_.run(calls);
  if (rows[rows.size() - 2].size() == 0)
    return std::nullopt;
  return read_pg_outbox_row(rows.back());
}

// -- who owns it -------------------------------------------------------------------------------

std::string pg_owner_columns() {
  return "s.owner, s.epoch, coalesce((extract(epoch FROM s.owned_since) * 1000000)::int8 * 1000, "
         "0), EXISTS (SELECT FROM " BACKOFF_ACTOR_HOLDERS
         " AND l.objid = s.outbox::int8::oid AND l.pid = s.owner_pid), coalesce((SELECT "
         "concat('process ', l.pid, ' of user ', coalesce((SELECT a.usename FROM pg_stat_activity "
         "a WHERE a.pid = l.pid), '?')) FROM " BACKOFF_ACTOR_HOLDERS
         " AND l.objid = s.outbox::int8::oid AND l.pid <> s.owner_pid ORDER BY l.pid LIMIT 1), '')";
}

StoreOwner read_pg_owner(const PgRows& rows, int row, int column) {
  return {rows.text(row, column), static_cast<std::uint64_t>(rows.number(row, column + 1)),
          WallTime{rows.number(row, column + 2)}, rows.is_true(row, column + 3),
          rows.text(row, column + 4)};
}

std::string pg_lock_class(std::int64_t schema_oid) { return pg_int4(lock_class_of(schema_oid)); }

bool PgSession::await_replicas() {
  auto result = false;
  for (; connection_.take_unreplicated(); result = true)
    connection_.run({&touch_row, {pg_int4(outbox_)}});
  return result;
}

PgOutboxRow PgSession::look() {
  const auto rows = connection_.run(look_at_row());
  return rows.size() == 0 ? PgOutboxRow{} : read_pg_outbox_row(rows);
}

std::optional<StoreOwner> PgSession::owner() {
  const auto sql =
    "SELECT " + pg_owner_columns() + " FROM backoff.shard s WHERE s.outbox = $2 AND s.shard = 0";
  const PgStatement statement{nullptr, sql.c_str(), {pg_type::oid, pg_type::int4}};
  const auto rows = connection_.run({&statement, {pg_int4(class_), pg_int4(outbox_)}});
  if (rows.size() == 0)
    return std::nullopt;
  auto result = read_pg_owner(rows, 0, 0);
  if (result.epoch == 0 && result.held_by.empty())
    return std::nullopt;
  return result;
}

} // namespace backoff_actor::detail
