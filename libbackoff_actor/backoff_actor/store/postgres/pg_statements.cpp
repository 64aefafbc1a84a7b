// The statements of an owner. Each takes the number of the outbox as its first parameter. Arrays
// have one element for each delivery.

#include "backoff_actor/store/postgres/internal/pg_statements.hpp"

#include "backoff_actor/store/postgres/internal/pg_values.hpp"

#include <array>

namespace backoff_actor::detail::pg {

using namespace pg_type;

// The rows with the numbers $2. `id = ANY($2)` would do the same, but PostgreSQL 15 looks for the
// numbers one by one only if it knows that the table is large. Otherwise it reads all rows of the
// outbox, and this table grows from nothing while the plan stays. So each number is looked up by a
// subquery that cannot be planned otherwise, and the rows are then found by their places.
#define BACKOFF_ACTOR_FOUND_IN(table)                                                              \
  "ctid = ANY(ARRAY(SELECT f.ctid FROM unnest($2) AS a(id), LATERAL (SELECT r.ctid FROM "          \
  "backoff." table " r WHERE r.outbox = $1 AND r.shard = 0 AND r.id = a.id OFFSET 0) f))"

// What `backoff.fence` does is in pg_schema.cpp.
const PgStatement fence_1{
  "fence_1", "SELECT backoff.fence($1, 0, $2, $3, $4, $5)", {int4, int8, int8, int8, int8}};
const PgStatement fence{
  "fence", "SELECT backoff.fence($1, 0, $2, $3, $4, $5, $6)", {int4, int8, int8, int8, int8, int8}};

const PgStatement insert{
  "insert",
  "INSERT INTO backoff.delivery(outbox, shard, id, submitted_at, deadline, attempts, hand_overs, "
  "key, idempotency_key, types, payload, context) SELECT $1, 0, t.* FROM unnest($2, $3, $4, $5, "
  "$6, $7, $8, $9, $10, $11) AS t",
  {int4, int8_array, int8_array, int8_array, int8_array, int8_array, bytea_array, bytea_array,
   bytea_array, bytea_array, bytea_array}};

// $4: the rows of `incoming` whose parts the deliveries get.
const PgStatement insert_left{
  "insert_left",
  "WITH gone AS (DELETE FROM backoff.incoming WHERE outbox_id = $1 AND id = ANY($4) RETURNING id, "
  "key, idempotency_key, type, payload, context) INSERT INTO backoff.delivery(outbox, shard, id, "
  "submitted_at, key, idempotency_key, types, payload, context) SELECT $1, 0, t.id, "
  "t.submitted_at, convert_to(g.key, 'UTF8'), convert_to(g.idempotency_key, 'UTF8'), "
  "convert_to(g.type, 'UTF8'), g.payload, convert_to(g.context, 'UTF8') FROM unnest($2, $3, $4) AS "
  "t(id, submitted_at, place) JOIN gone g ON g.id = t.place",
  {int4, int8_array, int8_array, int8_array}};

const PgStatement acknowledge{
  "acknowledge",
  "DELETE FROM backoff.delivery WHERE " BACKOFF_ACTOR_FOUND_IN("delivery"),
  {int4, int8_array}};

// $4: the key of a delivery that was inserted by the same batch; null: the row has it. $5, $6:
// number and time of the last key before.
const PgStatement acknowledge_keys{
  "acknowledge_keys",
  "WITH asked AS (SELECT * FROM unnest($2, $3, $4) WITH ORDINALITY AS t(id, at, key, place)), "
  "gone AS (DELETE FROM backoff.delivery WHERE " BACKOFF_ACTOR_FOUND_IN(
    "delivery") " "
                "RETURNING id, idempotency_key), "
                "keyed AS (SELECT coalesce(a.key, g.idempotency_key) AS key, a.at, a.place FROM "
                "asked a LEFT "
                "JOIN "
                "gone g USING (id)), "
                "kept AS (INSERT INTO backoff.acknowledged_key(outbox, shard, number, "
                "idempotency_key, at) "
                "SELECT $1, 0, $5 + row_number() OVER (ORDER BY place), key, greatest($6, max(at) "
                "OVER (ORDER BY "
                "place)) FROM keyed WHERE key <> '' RETURNING number, at) "
                "SELECT max(number), max(at) FROM kept",
  {int4, int8_array, int8_array, bytea_array, int8, int8}};

// What becomes of deliveries that are given up. The second form keeps a text of each message as $7;
// the tables of version 1 have no place for it.
#define BACKOFF_ACTOR_BURY(parameters, names, column, value)                                       \
  "WITH asked AS (SELECT * FROM unnest($2, $3, $4, $5, $6" parameters                              \
  ") AS t(id, attempts, reason, cause, at" names ")), "                                            \
  "gone AS (DELETE FROM backoff.delivery WHERE " BACKOFF_ACTOR_FOUND_IN(                           \
    "delivery") " "                                                                                \
                "RETURNING *) INSERT INTO backoff.dead_letter(outbox, shard, id, submitted_at, "   \
                "deadline, "                                                                       \
                "attempts, key, idempotency_key, types, payload, context, reason, cause, "         \
                "at" column ") "                                                                   \
                "SELECT $1, 0, g.id, g.submitted_at, g.deadline, a.attempts, g.key, "              \
                "g.idempotency_key, "                                                              \
                "g.types, g.payload, g.context, a.reason, a.cause, a.at" value                     \
                " FROM gone g JOIN asked a "                                                       \
                "USING (id)"

const PgStatement bury{"bury",
                       BACKOFF_ACTOR_BURY("", "", "", ""),
                       {int4, int8_array, int8_array, text_array, bytea_array, int8_array}};
const PgStatement bury_with_text{
  "bury_with_text",
  BACKOFF_ACTOR_BURY(", $7", ", text", ", text", ", a.text"),
  {int4, int8_array, int8_array, text_array, bytea_array, int8_array, bytea_array}};

// The arrays of `insert`, without hand_overs, and those of `bury`.
#define BACKOFF_ACTOR_INSERT_DEAD(column, parameter)                                               \
  "INSERT INTO backoff.dead_letter(outbox, shard, id, submitted_at, deadline, attempts, key, "     \
  "idempotency_key, types, payload, context, reason, cause, at" column ") SELECT $1, 0, t.* FROM " \
  "unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13" parameter ") AS t"

const PgStatement insert_dead{"insert_dead",
                              BACKOFF_ACTOR_INSERT_DEAD("", ""),
                              {int4, int8_array, int8_array, int8_array, int8_array, bytea_array,
                               bytea_array, bytea_array, bytea_array, bytea_array, text_array,
                               bytea_array, int8_array}};
const PgStatement insert_dead_with_text{
  "insert_dead_with_text",
  BACKOFF_ACTOR_INSERT_DEAD(", text", ", $14"),
  {int4, int8_array, int8_array, int8_array, int8_array, bytea_array, bytea_array, bytea_array,
   bytea_array, bytea_array, text_array, bytea_array, int8_array, bytea_array}};

// A null leaves a count as it is.
const PgStatement count{
  "count",
  "UPDATE backoff.delivery d SET attempts = coalesce(t.attempts, d.attempts), "
  "hand_overs = coalesce(t.hand_overs, d.hand_overs) FROM unnest($2, $3, $4) AS t(id, attempts, "
  "hand_overs) WHERE d.id = t.id AND d." BACKOFF_ACTOR_FOUND_IN("delivery"),
  {int4, int8_array, int8_array, int8_array}};

const PgStatement set_contexts{
  "set_contexts",
  "UPDATE backoff.delivery d SET context = t.context FROM unnest($2, $3) AS t(id, context) WHERE "
  "d.id = t.id AND d." BACKOFF_ACTOR_FOUND_IN("delivery"),
  {int4, int8_array, bytea_array}};

const PgStatement set_messages{
  "set_messages",
  "UPDATE backoff.delivery d SET types = t.types, payload = t.payload FROM unnest($2, $3, $4) AS "
  "t(id, types, payload) WHERE d.id = t.id AND d." BACKOFF_ACTOR_FOUND_IN("delivery"),
  {int4, int8_array, bytea_array, bytea_array}};

const PgStatement set_keys_back{
  "set_keys_back",
  "UPDATE backoff.acknowledged_key SET at = $2 WHERE outbox = $1 AND shard = 0 AND at > $2",
  {int4, int8}};
const PgStatement set_keys_back_1{
  "set_keys_back_1",
  "WITH since AS (UPDATE backoff.shard SET keys_since = $2 WHERE outbox = $1 AND shard = 0 AND "
  "keys_since > $2) UPDATE backoff.acknowledged_key SET at = $2 WHERE outbox = $1 AND shard = 0 "
  "AND "
  "at > $2",
  {int4, int8}};

// The times of keys never go back. So those that are forgotten have the lowest numbers. $3: the
// lowest that may be there, to pass no dead entries of the index.
#define BACKOFF_ACTOR_DROP_KEYS                                                                    \
  "gone AS (DELETE FROM backoff.acknowledged_key WHERE ctid = ANY(ARRAY(SELECT f.ctid FROM "       \
  "(SELECT k.ctid, k.at FROM backoff.acknowledged_key k WHERE k.outbox = $1 AND k.shard = 0 AND "  \
  "k.number >= $3 ORDER BY k.number LIMIT 1000) f WHERE f.at < $2)) RETURNING number) SELECT "     \
  "count(*), coalesce(max(number) + 1, $3) FROM gone"

const PgStatement drop_keys{"drop_keys", "WITH " BACKOFF_ACTOR_DROP_KEYS, {int4, int8, int8}};
const PgStatement drop_keys_1{"drop_keys_1",
                              "WITH since AS (UPDATE backoff.shard SET keys_since = $2 WHERE "
                              "outbox = $1 AND shard = 0), " BACKOFF_ACTOR_DROP_KEYS,
                              {int4, int8, int8}};

const PgStatement keep_answers{
  "keep_answers",
  "INSERT INTO backoff.answer(outbox, shard, idempotency_key, at, bytes, types, payload) SELECT "
  "$1, 0, t.* FROM unnest($2, $3, $4, $5, $6) AS t ON CONFLICT (outbox, shard, "
  "sha256(idempotency_key)) DO UPDATE SET at = excluded.at, bytes = excluded.bytes, types = "
  "excluded.types, payload = excluded.payload",
  {int4, bytea_array, int8_array, int8_array, bytea_array, bytea_array}};
const PgStatement drop_answers{
  "drop_answers",
  "WITH gone AS (DELETE FROM backoff.answer WHERE ctid = ANY(ARRAY(SELECT ctid FROM backoff.answer "
  "WHERE outbox = $1 AND shard = 0 AND at < $2 ORDER BY at LIMIT 1000)) RETURNING 1) SELECT "
  "count(*) FROM gone",
  {int4, int8}};
const PgStatement set_answers_back{
  "set_answers_back",
  "UPDATE backoff.answer SET at = $2 WHERE outbox = $1 AND shard = 0 AND at > $2",
  {int4, int8}};

const PgStatement find_oldest{"find_oldest",
                              "SELECT id FROM backoff.delivery WHERE outbox = $1 AND shard = 0 AND "
                              "id >= $2 ORDER BY id LIMIT 1",
                              {int4, int8}};

const PgStatement read_epoch{
  "read_epoch", "SELECT epoch FROM backoff.shard WHERE outbox = $1 AND shard = 0", {int4}};

// The first $3 rows from $2 on, up or down, as far as those before each have less than $4 bytes.
#define BACKOFF_ACTOR_PART_OF(table, range, order)                                                 \
  " FROM (SELECT *, sum(size) OVER (ORDER BY " order ") - size AS bytes_before FROM (SELECT *, "   \
  "least(octet_length(payload)::int8 + octet_length(key) + octet_length(idempotency_key) + "       \
  "octet_length(types) + coalesce(octet_length(context), 0), 2147483647)::int4 AS size FROM "      \
  "backoff." table " WHERE outbox = $1 AND shard = 0 AND " range " ORDER BY " order                \
  " LIMIT $3) a) b WHERE bytes_before < $4 ORDER BY " order

const PgStatement read_owed{
  "read_owed",
  "SELECT id, submitted_at, deadline, attempts, hand_overs, key, idempotency_key, types, payload, "
  "coalesce(context, '')" BACKOFF_ACTOR_PART_OF("delivery", "id >= $2", "id"),
  {int4, int8, int8, int8}};

#define BACKOFF_ACTOR_READ_DEAD(text_column)                                                       \
  "SELECT id, submitted_at, deadline, attempts, 0::int8, key, idempotency_key, types, payload, "   \
  "coalesce(context, ''), reason, cause, at, " text_column

const PgStatement read_dead{"read_dead",
                            BACKOFF_ACTOR_READ_DEAD("''::bytea")
                              BACKOFF_ACTOR_PART_OF("dead_letter", "id >= $2", "id"),
                            {int4, int8, int8, int8}};
const PgStatement read_dead_with_text{"read_dead_with_text",
                                      BACKOFF_ACTOR_READ_DEAD("text")
                                        BACKOFF_ACTOR_PART_OF("dead_letter", "id >= $2", "id"),
                                      {int4, int8, int8, int8}};
const PgStatement read_newest_dead{"read_newest_dead",
                                   BACKOFF_ACTOR_READ_DEAD("''::bytea")
                                     BACKOFF_ACTOR_PART_OF("dead_letter", "id < $2", "id DESC"),
                                   {int4, int8, int8, int8}};
const PgStatement read_newest_dead_with_text{
  "read_newest_dead_with_text",
  BACKOFF_ACTOR_READ_DEAD("text") BACKOFF_ACTOR_PART_OF("dead_letter", "id < $2", "id DESC"),
  {int4, int8, int8, int8}};

const PgStatement count_dead{
  "count_dead",
  "SELECT count(*), coalesce(min(at), 0) FROM backoff.dead_letter WHERE outbox = $1 AND shard = 0",
  {int4}};

const PgStatement read_keys{"read_keys",
                            "SELECT number, idempotency_key, at FROM backoff.acknowledged_key "
                            "WHERE outbox = $1 AND shard = 0 "
                            "AND number >= $2 AND at >= $4 ORDER BY number LIMIT $3",
                            {int4, int8, int8, int8}};

// What became of one message: the kind of row, its number, time, attempts, context, the time that a
// row of `incoming` waits for, and why it is dead.
#define BACKOFF_ACTOR_FIND(condition, others)                                                      \
  "SELECT * FROM (SELECT 1::int8 AS kind, id, submitted_at, attempts, coalesce(context, '') AS "   \
  "context, NULL::int8, '', ''::bytea FROM backoff.delivery WHERE outbox = $1 AND shard = 0 "      \
  "AND " condition others                                                                          \
  " UNION ALL SELECT 4, id, at, attempts, coalesce(context, ''), NULL, reason, cause FROM "        \
  "backoff.dead_letter WHERE outbox = $1 AND shard = 0 AND " condition                             \
  ") f ORDER BY kind, id DESC LIMIT 1"

// $3: older keys are forgotten. Rows of `incoming` that say what to do about others are none.
const PgStatement find_key{
  nullptr,
  BACKOFF_ACTOR_FIND(
    "idempotency_key = $2",
    " UNION ALL SELECT 2, number, at, 0, '', NULL, '', '' FROM backoff.acknowledged_key WHERE "
    "outbox = $1 AND shard = 0 AND at >= $3 AND idempotency_key = $2 UNION ALL SELECT 3, id, "
    "(extract(epoch FROM at) * 1e9)::int8, 0, '', (extract(epoch FROM not_before) * 1e9)::int8, "
    "'', '' FROM backoff.incoming WHERE outbox_id = $1 AND convert_to(idempotency_key, 'UTF8') = "
    "$2 AND type <> 'backoff.cancel' AND coalesce(context, '') !~ '(?n)^replace: waiting$'"),
  {int4, bytea, int8}};
// $3: older ones are forgotten. They are found by their index, however many rows there are.
const PgStatement find_answer{
  nullptr,
  "SELECT at, bytes, types, payload FROM backoff.answer WHERE outbox = $1 AND shard = 0 AND "
  "sha256(idempotency_key) = sha256($2) AND at >= $3",
  {int4, bytea, int8}};
const PgStatement has_answers{
  nullptr, "SELECT EXISTS (SELECT FROM backoff.answer WHERE outbox = $1 AND shard = 0)", {int4}};
const PgStatement find_number{nullptr, BACKOFF_ACTOR_FIND("id = $2", ""), {int4, int8}};

const PgStatement remove_dead{
  "remove_dead",
  "DELETE FROM backoff.dead_letter WHERE " BACKOFF_ACTOR_FOUND_IN("dead_letter"),
  {int4, int8_array}};

const PgStatement find_dead{
  "find_dead",
  "SELECT id, reason = 'unreadable' FROM backoff.dead_letter WHERE " BACKOFF_ACTOR_FOUND_IN(
    "dead_letter"),
  {int4, int8_array}};

// $3: the new numbers.
const PgStatement resubmit_dead{
  "resubmit_dead",
  "WITH asked AS (SELECT * FROM unnest($2, $3) AS t(id, new_id)), "
  "gone AS (DELETE FROM backoff.dead_letter WHERE " BACKOFF_ACTOR_FOUND_IN(
    "dead_letter") " "
                   "RETURNING *) "
                   "INSERT INTO backoff.delivery(outbox, shard, id, submitted_at, key, "
                   "idempotency_key, types, "
                   "payload, context) SELECT $1, 0, a.new_id, g.submitted_at, g.key, "
                   "g.idempotency_key, g.types, "
                   "g.payload, g.context FROM gone g JOIN asked a USING (id)",
  {int4, int8_array, int8_array}};

const PgStatement set_format{
  "set_format", "UPDATE backoff.outbox SET message_format = $2 WHERE id = $1", {int4, text}};

const PgStatement delete_incoming{
  "delete_incoming",
  "DELETE FROM backoff.incoming WHERE outbox_id = $1 AND id = ANY($2)",
  {int4, int8_array}};

const PgStatement delete_cancelled{
  "delete_cancelled",
  "DELETE FROM backoff.incoming i USING unnest($2, $3) AS t(id, key) WHERE i.outbox_id = $1 AND "
  "i.idempotency_key = t.key AND i.id < t.id",
  {int4, int8_array, text_array}};

// Of several rows with a key the last counts. One that cancels stays what it is.
const PgStatement replace_incoming{
  "replace_incoming",
  "UPDATE backoff.incoming i SET type = t.type, payload = t.payload FROM (SELECT DISTINCT ON "
  "(idempotency_key) id, idempotency_key, type, payload FROM backoff.incoming WHERE outbox_id = $1 "
  "AND id = ANY($2) ORDER BY idempotency_key, id DESC) t WHERE i.outbox_id = $1 AND "
  "i.idempotency_key = t.idempotency_key AND i.id < t.id AND i.type <> 'backoff.cancel'",
  {int4, int8_array}};

// What no decoder could read comes in once more.
const PgStatement resubmit_incoming{
  "resubmit_incoming",
  "WITH gone AS (DELETE FROM backoff.dead_letter WHERE outbox = $1 AND shard = 0 AND id = ANY($2) "
  "RETURNING *), asked AS (SELECT * FROM unnest($2) WITH ORDINALITY AS t(id, place)) "
  "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload, context) SELECT "
  "(SELECT name FROM backoff.outbox WHERE id = $1), convert_from(g.key, 'UTF8'), "
  "convert_from(g.idempotency_key, 'UTF8'), convert_from(g.types, 'UTF8'), g.payload, "
  "convert_from(g.context, 'UTF8') FROM gone g JOIN asked a USING (id) ORDER BY a.place",
  {int4, int8_array}};

std::span<const PgStatement* const> all(int schema) {
  static constexpr std::array statements{&fence_1,
                                         &insert,
                                         &insert_left,
                                         &acknowledge,
                                         &acknowledge_keys,
                                         &bury,
                                         &insert_dead,
                                         &count,
                                         &set_contexts,
                                         &set_messages,
                                         &drop_keys_1,
                                         &set_keys_back_1,
                                         &find_oldest,
                                         &read_epoch,
                                         &read_owed,
                                         &read_dead,
                                         &read_newest_dead,
                                         &count_dead,
                                         &read_keys,
                                         &remove_dead,
                                         &find_dead,
                                         &resubmit_dead,
                                         &set_format,
                                         &delete_incoming,
                                         &delete_cancelled,
                                         &replace_incoming,
                                         &resubmit_incoming,
                                         &fence,
                                         &drop_keys,
                                         &set_keys_back,
                                         &bury_with_text,
                                         &insert_dead_with_text,
                                         &read_dead_with_text,
                                         &read_newest_dead_with_text,
                                         &keep_answers,
                                         &drop_answers,
                                         &set_answers_back};
  constexpr std::size_t of_version_3 = 3; // the last
  constexpr std::size_t of_version_2 = 7; // those before
  const std::span all{statements};
  if (schema > 2)
    return all;
  return all.first(all.size() - of_version_3 - (schema > 1 ? 0 : of_version_2));
}

} // namespace backoff_actor::detail::pg
