#include "backoff_actor/store/postgres/internal/pg_schema.hpp"

#include "backoff_actor/store/postgres/internal/pg_errors.hpp"
#include "backoff_actor/store/postgres/postgres_store.hpp"

#include <array>

namespace backoff_actor {

namespace detail {

namespace {

// Version 1.
//
// Times are nanoseconds since 1970, UTC, as in the port: PostgreSQL's own have microseconds. Texts
// of users are bytea, for they may hold any bytes. `delivery` has one index, so an acknowledgement
// touches two pages. Its rows come and go. Nobody reads it as a whole, so it may stay as large as
// it was once. It is vacuumed by the number of its dead rows. A `vacuum_truncate` would take a lock
// that stops the owner.
//
// An outbox is owned as a whole, so each `shard` is 0. shard.epoch: see `StoreOwnership::epoch`.
// shard.claim: which process claimed the epoch, if a failover has lost one. shard.commit_no: how
// many commits the outbox has had. shard.oldest_id: no delivery below is owed; a reader that begins
// there passes no dead entries of the index. shard.keys_since: older acknowledged keys are
// forgotten, even if their rows are still there.
// delivery.context, incoming.context: see `StoredDelivery::context`. delivery.not_before and node:
// for later versions.
//
// incoming: other programs write here, and the owner makes deliveries of it. incoming.outbox_id: a
// trigger sets it, and refuses an outbox that is not there. incoming.id: the trigger sets it when
// the transaction has its own number, for a default would be drawn before. The intake needs that.
// outbox.is_asleep: whether the owner wants to be notified of new rows in `incoming`.
constexpr auto tables_1 = R"(CREATE SCHEMA backoff;

CREATE TABLE backoff.meta(
  only_row boolean PRIMARY KEY DEFAULT true CHECK(only_row),
  version int NOT NULL,
  made_by text NOT NULL,
  made_at timestamptz NOT NULL DEFAULT now());

CREATE TABLE backoff.outbox(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  shards int NOT NULL DEFAULT 1,
  message_format text NOT NULL DEFAULT '',
  is_asleep boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()) WITH (fillfactor = 10);

CREATE TABLE backoff.shard(
  outbox int NOT NULL REFERENCES backoff.outbox(id),
  shard int NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  claim bigint NOT NULL DEFAULT 0,
  commit_no bigint NOT NULL DEFAULT 0,
  last_id bigint NOT NULL DEFAULT 0,
  oldest_id bigint NOT NULL DEFAULT 1,
  keys_since bigint NOT NULL DEFAULT -9223372036854775808,
  owner text NOT NULL DEFAULT '',
  owner_pid int NOT NULL DEFAULT 0,
  owned_since timestamptz,
  lease_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY(outbox, shard)) WITH (fillfactor = 10);

CREATE TABLE backoff.delivery(
  outbox int NOT NULL,
  shard int NOT NULL,
  id bigint NOT NULL,
  submitted_at bigint NOT NULL,
  deadline bigint,
  not_before bigint,
  attempts bigint NOT NULL DEFAULT 0,
  hand_overs bigint NOT NULL DEFAULT 0,
  key bytea NOT NULL DEFAULT '',
  idempotency_key bytea NOT NULL DEFAULT '',
  types bytea NOT NULL,
  payload bytea NOT NULL,
  context bytea,
  PRIMARY KEY(outbox, shard, id))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
ALTER TABLE backoff.delivery ALTER payload SET STORAGE EXTERNAL;

CREATE TABLE backoff.dead_letter(
  outbox int NOT NULL,
  shard int NOT NULL,
  id bigint NOT NULL,
  submitted_at bigint NOT NULL,
  deadline bigint,
  attempts bigint NOT NULL,
  key bytea NOT NULL,
  idempotency_key bytea NOT NULL,
  types bytea NOT NULL,
  payload bytea NOT NULL,
  context bytea,
  reason text NOT NULL,
  cause bytea NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY(outbox, shard, id));
ALTER TABLE backoff.dead_letter ALTER payload SET STORAGE EXTERNAL;

CREATE TABLE backoff.acknowledged_key(
  outbox int NOT NULL,
  shard int NOT NULL,
  number bigint NOT NULL,
  idempotency_key bytea NOT NULL,
  at bigint NOT NULL,
  PRIMARY KEY(outbox, shard, number))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);

CREATE TABLE backoff.incoming(
  id bigint PRIMARY KEY,
  outbox text NOT NULL,
  outbox_id int NOT NULL DEFAULT 0,
  shard int NOT NULL DEFAULT 0,
  key text NOT NULL DEFAULT '',
  idempotency_key text NOT NULL DEFAULT '',
  type text NOT NULL CHECK(type <> ''),
  payload bytea NOT NULL,
  deadline timestamptz CHECK(isfinite(deadline)),
  not_before timestamptz CHECK(isfinite(not_before)),
  context text,
  at timestamptz NOT NULL DEFAULT now())
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
CREATE SEQUENCE backoff.incoming_id_seq OWNED BY backoff.incoming.id;
ALTER TABLE backoff.incoming ALTER payload SET STORAGE EXTERNAL;
CREATE INDEX incoming_new ON backoff.incoming(outbox_id, shard, id) WHERE not_before IS NULL;
CREATE INDEX incoming_due ON backoff.incoming(outbox_id, shard, not_before, id)
  WHERE not_before IS NOT NULL;

CREATE TABLE backoff.node(
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  address text NOT NULL DEFAULT '',
  since timestamptz NOT NULL DEFAULT now());
)";

// Views and checks keep the functions and operators that were found when they were made: those of
// pg_catalog, for the migration has no other schema in its search path. A function finds them anew
// in each session, by the search path of that session. So functions name the schema of everything,
// operators included.
//
// Every commit begins with `fence`. It locks the row of the outbox until the commit ends.
// `step_to_2` has what it does today.
constexpr auto functions_1 = R"(
CREATE FUNCTION backoff.fence(outbox_id int, shard_no int, own_epoch bigint, new_commit_no bigint,
                              new_last_id bigint, new_oldest_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE backoff.shard SET commit_no = new_commit_no, last_id = new_last_id,
                           oldest_id = new_oldest_id
    WHERE outbox OPERATOR(pg_catalog.=) outbox_id AND shard OPERATOR(pg_catalog.=) shard_no
      AND epoch OPERATOR(pg_catalog.=) own_epoch;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'epoch % is over', own_epoch USING ERRCODE = 'BA001';
  END IF;
END $$;

CREATE VIEW backoff.outbox_state AS
  SELECT o.name, s.owner, s.epoch, s.owned_since,
         (SELECT count(*) FROM backoff.delivery d WHERE d.outbox = o.id) AS owed,
         (SELECT to_timestamp(min(d.submitted_at) / 1e9) FROM backoff.delivery d
            WHERE d.outbox = o.id) AS oldest,
         (SELECT count(*) FROM backoff.dead_letter d WHERE d.outbox = o.id) AS dead
    FROM backoff.outbox o JOIN backoff.shard s ON s.outbox = o.id;

CREATE VIEW backoff.owed AS
  SELECT o.name AS outbox, d.id, to_timestamp(d.submitted_at / 1e9) AS submitted_at,
         to_timestamp(d.deadline / 1e9) AS deadline, d.attempts, d.hand_overs,
         encode(d.key, 'escape') AS key, encode(d.idempotency_key, 'escape') AS idempotency_key,
         encode(d.types, 'escape') AS types, length(d.payload) AS bytes
    FROM backoff.delivery d JOIN backoff.outbox o ON o.id = d.outbox;

CREATE VIEW backoff.dead AS
  SELECT o.name AS outbox, d.id, to_timestamp(d.submitted_at / 1e9) AS submitted_at, d.attempts,
         encode(d.key, 'escape') AS key, encode(d.idempotency_key, 'escape') AS idempotency_key,
         encode(d.types, 'escape') AS types, length(d.payload) AS bytes, d.reason,
         encode(d.cause, 'escape') AS cause, to_timestamp(d.at / 1e9) AS at
    FROM backoff.dead_letter d JOIN backoff.outbox o ON o.id = d.outbox;

CREATE VIEW backoff.message AS
  SELECT i.outbox, 'waiting' AS state, i.id, i.key, i.idempotency_key, i.type AS types, i.at,
         0::bigint AS attempts, NULL AS cause
    FROM backoff.incoming i
  UNION ALL SELECT w.outbox, 'owed', w.id, w.key, w.idempotency_key, w.types, w.submitted_at,
                   w.attempts, NULL
    FROM backoff.owed w
  UNION ALL SELECT d.outbox, 'dead', d.id, d.key, d.idempotency_key, d.types, d.at, d.attempts,
                   concat_ws(': ', d.reason, nullif(d.cause, ''))
    FROM backoff.dead d
  UNION ALL SELECT o.name, 'done', NULL, NULL, encode(k.idempotency_key, 'escape'), NULL,
                   to_timestamp(k.at / 1e9), NULL, NULL
    FROM backoff.acknowledged_key k JOIN backoff.outbox o ON o.id = k.outbox;
)";

// Roles belong to the whole server: another database may have made them, or be making them now.
constexpr auto roles_1 = R"(
DO $$
DECLARE
  one text;
BEGIN
  FOREACH one IN ARRAY ARRAY['backoff_producer', 'backoff_worker', 'backoff_reader'] LOOP
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles
                     WHERE rolname OPERATOR(pg_catalog.=) one::pg_catalog.name) THEN
      BEGIN
        EXECUTE pg_catalog.format('CREATE ROLE %I NOLOGIN', one);
      EXCEPTION WHEN duplicate_object OR unique_violation THEN
        NULL;
      END;
    END IF;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION backoff.fence FROM PUBLIC;
GRANT USAGE ON SCHEMA backoff TO backoff_producer, backoff_worker, backoff_reader;
GRANT INSERT (outbox, key, idempotency_key, type, payload, deadline, not_before, context)
  ON backoff.incoming TO backoff_producer;
GRANT SELECT ON backoff.meta TO backoff_worker, backoff_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON backoff.outbox, backoff.shard, backoff.delivery,
  backoff.dead_letter, backoff.acknowledged_key, backoff.incoming, backoff.node
  TO backoff_worker;
GRANT EXECUTE ON FUNCTION backoff.fence TO backoff_worker;
GRANT SELECT ON backoff.outbox_state, backoff.owed, backoff.dead, backoff.message
  TO backoff_worker, backoff_reader;
)";

// Version 2: `dead_letter.text` has the message in words, as `StoredDeadLetter::text`. It is in no
// view: readers see no messages. `outbox.row_limit`: see `PostgresOptions::max_row`.
//
// `last_commit` has what `fence` knows of the last commit of an outbox. In version 1 that was in
// `shard`, and each commit made a new version of the one row there. The server can remove none of
// these versions while anybody has an old snapshot, and each commit had to pass all of them. Now
// `fence` only locks the row in `shard`, which makes no version. Each commit has a row of its own
// in `last_commit`, with a key by which it is found without those before it.
//
// Owners that worked with version 1 call `fence` with six parameters. The columns in `shard` count
// until there is a later commit in `last_commit`. After a commit of such an owner,
// `last_commit.keys_since` is null, and then that of `shard` counts.
//
// The trigger of `incoming` runs with the rights of the schema's owner, and with the search path of
// the producer. To set another would cost a fifth of the producers' throughput. It has one query,
// for each costs the producers 5 %. An expression without a table costs next to nothing.
//
// `own_xid` comes first: the transaction has its number before it looks whether the owner sleeps,
// and before it looks at the clock. A row is due later than that, or has its place in the order of
// numbers. The intake relies on both.
//
// Producers may read `id`, and name it: programs that map objects to rows do both. The trigger sets
// it all the same. A transaction that notifies cannot be prepared, and holds a lock of the whole
// server while it waits for a replica. So `backoff.notify` lets a producer go without.
constexpr auto step_to_2 = R"(
ALTER TABLE backoff.dead_letter ADD COLUMN text bytea NOT NULL DEFAULT '';
ALTER TABLE backoff.outbox ADD COLUMN row_limit int NOT NULL DEFAULT 16777216;

CREATE TABLE backoff.last_commit(
  outbox int NOT NULL,
  shard int NOT NULL,
  commit_no bigint NOT NULL,
  last_id bigint NOT NULL,
  oldest_id bigint NOT NULL,
  keys_since bigint,
  PRIMARY KEY(outbox, shard, commit_no))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
GRANT SELECT, INSERT, DELETE ON backoff.last_commit TO backoff_worker;

CREATE FUNCTION backoff.fence(outbox_id int, shard_no int, own_epoch bigint, new_commit_no bigint,
                              new_last_id bigint, new_oldest_id bigint, new_keys_since bigint)
RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM backoff.shard
    WHERE outbox OPERATOR(pg_catalog.=) outbox_id AND shard OPERATOR(pg_catalog.=) shard_no
      AND epoch OPERATOR(pg_catalog.=) own_epoch FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'epoch % is over', own_epoch USING ERRCODE = 'BA001';
  END IF;
  INSERT INTO backoff.last_commit(outbox, shard, commit_no, last_id, oldest_id, keys_since)
    VALUES(outbox_id, shard_no, new_commit_no, new_last_id, new_oldest_id, new_keys_since);
  DELETE FROM backoff.last_commit
    WHERE outbox OPERATOR(pg_catalog.=) outbox_id AND shard OPERATOR(pg_catalog.=) shard_no
      AND commit_no OPERATOR(pg_catalog.=) (new_commit_no OPERATOR(pg_catalog.-) 1);
END $$;
REVOKE ALL ON FUNCTION backoff.fence(int, int, bigint, bigint, bigint, bigint, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION backoff.fence(int, int, bigint, bigint, bigint, bigint, bigint)
  TO backoff_worker;

CREATE OR REPLACE FUNCTION backoff.fence(outbox_id int, shard_no int, own_epoch bigint,
                                         new_commit_no bigint, new_last_id bigint,
                                         new_oldest_id bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM backoff.fence(outbox_id, shard_no, own_epoch, new_commit_no, new_last_id, new_oldest_id,
                        NULL::bigint);
END $$;

CREATE OR REPLACE FUNCTION backoff.check_incoming() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  own_xid pg_catalog.xid8 := pg_catalog.pg_current_xact_id();
  text_limit CONSTANT bigint := 1048576;
  is_asleep boolean;
  row_limit bigint;
  texts bigint := coalesce(pg_catalog.octet_length(NEW.key), 0)::bigint
    OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(NEW.idempotency_key), 0)
    OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(NEW.type), 0)
    OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(NEW.context), 0);
  bytes bigint := texts OPERATOR(pg_catalog.+) coalesce(pg_catalog.octet_length(NEW.payload), 0);
  largest text;
  largest_bytes bigint;
BEGIN
  SELECT o.id, o.is_asleep, o.row_limit, coalesce(NEW.key, ''), coalesce(NEW.idempotency_key, '')
    INTO NEW.outbox_id, is_asleep, row_limit, NEW.key, NEW.idempotency_key
    FROM backoff.outbox o WHERE o.name OPERATOR(pg_catalog.=) NEW.outbox;
  IF NEW.outbox_id IS NULL THEN
    RAISE EXCEPTION 'there is no outbox "%"', pg_catalog."left"(NEW.outbox, 100)
      USING ERRCODE = 'BA002', HINT = 'The first owner of an outbox makes it.';
  END IF;
  IF bytes OPERATOR(pg_catalog.>) row_limit OR texts OPERATOR(pg_catalog.>) text_limit THEN
    SELECT c.name, c.size INTO largest, largest_bytes
      FROM (VALUES ('payload', CASE WHEN bytes OPERATOR(pg_catalog.>) row_limit
                                    THEN pg_catalog.octet_length(NEW.payload) END),
                   ('key', pg_catalog.octet_length(NEW.key)),
                   ('idempotency_key', pg_catalog.octet_length(NEW.idempotency_key)),
                   ('type', pg_catalog.octet_length(NEW.type)),
                   ('context', pg_catalog.octet_length(NEW.context))) c(name, size)
      ORDER BY c.size DESC NULLS LAST LIMIT 1;
    RAISE EXCEPTION '% has % bytes, allowed for all columns together are 0..%, for the texts 0..%',
        largest, largest_bytes, row_limit, text_limit
      USING ERRCODE = 'BA003', HINT = 'Hand over where the data is, and not the data.';
  END IF;
  NEW.id := pg_catalog.nextval('backoff.incoming_id_seq');
  IF NEW.not_before OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp() THEN
    NEW.not_before := NULL;
  END IF;
  IF is_asleep AND coalesce(pg_catalog.current_setting('backoff.notify', true), '')
                     OPERATOR(pg_catalog.<>) 'off' THEN
    PERFORM pg_catalog.pg_notify(
      pg_catalog.concat('backoff_', NEW.outbox_id, '_', NEW.shard), '');
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION backoff.check_incoming FROM PUBLIC;
CREATE OR REPLACE TRIGGER check_incoming BEFORE INSERT ON backoff.incoming
  FOR EACH ROW EXECUTE FUNCTION backoff.check_incoming();
GRANT SELECT (id), INSERT (id) ON backoff.incoming TO backoff_producer;
UPDATE backoff.meta SET version = 2;
)";

// Version 3.
//
// calendar: what is to be done again and again, see `PostgresCalendar`. The owner alone writes
// `decided_until`, `next_at` and `problem`.
//
// calendar.next_at: when the owner looks at the entry again; -infinity: as soon as it can, for the
// entry is new or was changed; infinity: when it is changed. So the owner finds what is new by one
// value, and what is due in a range that begins with its last look. It passes no versions of rows
// that are older, even if the server can remove none.
//
// The trigger runs with the rights of who changes the entry: all of them may read `outbox`.
//
// answer: answers that are kept with their idempotency keys. answer.bytes: of the answer, also
// if it was too large: then types and payload are empty. It is found by the digest of its key, for
// a key may be longer than an entry of an index. `answer_at` is for what is forgotten.
constexpr auto step_to_3 = R"(
CREATE TABLE backoff.calendar(
  outbox text NOT NULL REFERENCES backoff.outbox(name),
  name text NOT NULL CHECK(octet_length(name) BETWEEN 1 AND 200 AND name !~ '[[:cntrl:]]'),
  schedule text NOT NULL,
  missed text NOT NULL DEFAULT 'run_once' CHECK(missed IN ('run_once', 'run_all', 'skip')),
  grace interval NOT NULL DEFAULT '1 minute' CHECK(grace >= '1 second'),
  is_paused boolean NOT NULL DEFAULT false,
  type text NOT NULL CHECK(type <> ''),
  payload bytea NOT NULL,
  key text NOT NULL DEFAULT '',
  time_to_live interval CHECK(time_to_live > '0 seconds'),
  context text,
  decided_until timestamptz NOT NULL DEFAULT now()
    CHECK(decided_until BETWEEN '1700-01-01 00:00Z' AND '2262-01-01 00:00Z'),
  next_at timestamptz NOT NULL DEFAULT '-infinity',
  problem text NOT NULL DEFAULT '',
  PRIMARY KEY(outbox, name))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
CREATE INDEX calendar_next ON backoff.calendar(outbox, next_at) WHERE NOT is_paused;

CREATE FUNCTION backoff.check_calendar() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' THEN
    IF NEW.decided_until OPERATOR(pg_catalog.=) OLD.decided_until
       AND (NEW.schedule OPERATOR(pg_catalog.<>) OLD.schedule
            OR OLD.is_paused AND NOT NEW.is_paused) THEN
      NEW.decided_until := greatest(OLD.decided_until, pg_catalog.now());
    END IF;
  END IF;
  NEW.next_at := '-infinity';
  NEW.problem := '';
  IF coalesce(pg_catalog.current_setting('backoff.notify', true), '')
       OPERATOR(pg_catalog.<>) 'off' THEN
    PERFORM pg_catalog.pg_notify(pg_catalog.concat('backoff_', o.id, '_0'), '')
      FROM backoff.outbox o WHERE o.name OPERATOR(pg_catalog.=) NEW.outbox;
  END IF;
  RETURN NEW;
END $$;
REVOKE ALL ON FUNCTION backoff.check_calendar FROM PUBLIC;
CREATE TRIGGER check_calendar BEFORE INSERT
  OR UPDATE OF outbox, name, schedule, missed, grace, is_paused, type, payload, key, time_to_live,
               context
  ON backoff.calendar FOR EACH ROW EXECUTE FUNCTION backoff.check_calendar();
GRANT SELECT, INSERT, UPDATE, DELETE ON backoff.calendar TO backoff_worker;
GRANT SELECT (outbox, name, schedule, missed, grace, is_paused, type, key, time_to_live,
              decided_until, next_at, problem)
  ON backoff.calendar TO backoff_reader;

CREATE TABLE backoff.answer(
  outbox int NOT NULL,
  shard int NOT NULL,
  idempotency_key bytea NOT NULL,
  at bigint NOT NULL,
  bytes bigint NOT NULL,
  types bytea NOT NULL,
  payload bytea NOT NULL)
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off);
CREATE UNIQUE INDEX answer_key ON backoff.answer(outbox, shard, sha256(idempotency_key));
CREATE INDEX answer_at ON backoff.answer(outbox, shard, at);
GRANT SELECT, INSERT, UPDATE, DELETE ON backoff.answer TO backoff_worker;
UPDATE backoff.meta SET version = 3;
)";

// The end of a printed migration.
constexpr auto hints = R"(
-- Any user of this database can take the lock that makes one process the owner of an outbox, and so
-- keep all others from it. If no other program of this database uses advisory locks of two numbers,
-- leave them to the owners:
--
-- REVOKE EXECUTE ON FUNCTION pg_catalog.pg_advisory_lock(int, int),
--   pg_catalog.pg_advisory_lock_shared(int, int), pg_catalog.pg_try_advisory_lock(int, int),
--   pg_catalog.pg_try_advisory_lock_shared(int, int), pg_catalog.pg_advisory_xact_lock(int, int),
--   pg_catalog.pg_advisory_xact_lock_shared(int, int),
--   pg_catalog.pg_try_advisory_xact_lock(int, int),
--   pg_catalog.pg_try_advisory_xact_lock_shared(int, int) FROM PUBLIC;
-- GRANT EXECUTE ON FUNCTION pg_catalog.pg_advisory_lock(int, int),
--   pg_catalog.pg_try_advisory_lock(int, int) TO backoff_worker;
)";

const PgStatement find_schema{
  nullptr,
  "SELECT to_regnamespace('backoff') IS NOT NULL, to_regclass('backoff.meta') IS NOT NULL",
  {}};
const PgStatement read_version{nullptr, "SELECT version FROM backoff.meta", {}};

} // namespace

std::string pg_migration_body(int from_version) {
  if (from_version == postgres_schema_version)
    return {};
  std::string result;
  if (from_version < 1)
    result = std::string{tables_1} + functions_1 + roles_1
             + "\nINSERT INTO backoff.meta(version, made_by) VALUES(1, "
               "'backoff_actor " BACKOFF_ACTOR_VERSION "');\n";
  if (from_version < 2)
    result += step_to_2;
  return result + step_to_3;
}

int pg_schema_version(PgConnection& connection, const std::string& name) {
  const auto found = connection.run({&find_schema});
  if (!found.is_true(0, 0))
    return 0;
  const auto foreign = [&name] {
    return StoreError(StoreFailure::foreign,
                      name + ": the database has a schema backoff that is not this library's");
  };
  if (!found.is_true(0, 1))
    throw foreign();
  const auto rows = connection.run({&read_version});
  if (rows.size() != 1)
    throw foreign();
  return static_cast<int>(rows.number(0, 0));
}

int check_pg_schema(PgConnection& connection, const std::string& name) {
  const auto version = pg_schema_version(connection, name);
  if (version == 0)
    throw pg_schema_is_missing(name);
  if (version > postgres_schema_version)
    throw StoreError(StoreFailure::newer, name + ": its schema has version "
                                            + std::to_string(version)
                                            + ", and this library knows versions up to "
                                            + std::to_string(postgres_schema_version)
                                            + "; use a newer version of this library");
  return version;
}

} // namespace detail

std::string postgres_migration(int from_version) {
  if (from_version < 0 || from_version > postgres_schema_version) {
    Problems problems;
    problems.add("from_version", std::to_string(from_version),
                 "0.." + std::to_string(postgres_schema_version));
    problems.raise_if_any();
  }
  const auto body = detail::pg_migration_body(from_version);
  if (body.empty())
    return {};
  return "BEGIN;\nSET LOCAL search_path = pg_catalog, pg_temp;\nSET LOCAL lock_timeout = '1s';\n\n"
         + body + "\nCOMMIT;\n" + detail::hints;
}

} // namespace backoff_actor
