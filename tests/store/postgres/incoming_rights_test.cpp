// The table `incoming`: who may write to it, and what it refuses.

#include "store/postgres/incoming_fixture.hpp"

#include <string>

namespace backoff_actor::store_test {

using ::testing::HasSubstr;

TEST_F(PostgresIncoming, a_producer_may_insert_and_nothing_else) {
  const auto denied = HasSubstr("permission denied");
  EXPECT_EQ(as("backoff_producer",
               "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, "
               "payload, deadline, not_before, context) VALUES('orders', '', "
               "'', 't', 'x', now(), now(), '')"),
            "");
  EXPECT_THAT(as("backoff_producer", "SELECT * FROM backoff.incoming"), denied);
  EXPECT_THAT(as("backoff_producer", "SELECT payload FROM backoff.incoming"), denied);
  EXPECT_THAT(as("backoff_producer", "UPDATE backoff.incoming SET key = ''"), denied);
  EXPECT_THAT(as("backoff_producer", "DELETE FROM backoff.incoming"), denied);
  EXPECT_THAT(as("backoff_producer", "TRUNCATE backoff.incoming"), denied);
  EXPECT_THAT(as("backoff_producer", "INSERT INTO backoff.incoming(outbox, type, payload, shard) "
                                     "VALUES('orders', 't', 'x', 5)"),
              denied);
  for (const auto* const table :
       {"meta", "outbox", "shard", "delivery", "dead_letter", "acknowledged_key", "node",
        "outbox_state", "owed", "dead", "message"})
    EXPECT_THAT(as("backoff_producer", std::string{"SELECT * FROM backoff."} + table), denied)
      << table;
  EXPECT_THAT(as("backoff_producer", "SELECT backoff.fence(1, 0, 1, 1, 1, 1)"), denied);
}

// As programs write it that map objects to rows.
TEST_F(PostgresIncoming, a_producer_may_leave_columns_null_and_ask_for_the_number_of_its_row) {
  const std::string insertion = "INSERT INTO backoff.incoming(id, outbox, key, idempotency_key, "
                                "type, payload, deadline, not_before, context) VALUES(";
  const std::string rest = ", 'orders', NULL, NULL, 't', 'x', NULL, NULL, NULL) RETURNING id";
  EXPECT_EQ(as("backoff_producer", insertion + "DEFAULT" + rest), "1");
  EXPECT_EQ(as("backoff_producer", insertion + "NULL" + rest), "2");
  EXPECT_EQ(as("backoff_producer", insertion + "900" + rest), "3") << "the trigger says which";
  ASSERT_THAT(take(), ::testing::ElementsAre(1, 2, 3));
  EXPECT_EQ(taken[0].key, "");
  EXPECT_EQ(taken[0].idempotency_key, "");
}

TEST_F(PostgresIncoming, a_producers_own_search_path_and_tables_do_not_deceive_the_trigger) {
  EXPECT_EQ(
    as("backoff_producer",
       "CREATE TEMP TABLE outbox(id int, name text); INSERT INTO outbox VALUES(7, 'forged'); "
       "SET search_path = pg_temp, public; INSERT INTO backoff.incoming(outbox, type, "
       "payload) VALUES('orders', 't', 'x')"),
    "");
  EXPECT_EQ(query("SELECT outbox_id = (SELECT id FROM backoff.outbox WHERE name = 'orders') FROM "
                  "backoff.incoming"),
            "t");
}

TEST_F(PostgresIncoming, operators_and_functions_of_others_do_not_deceive_the_trigger) {
  query(
    "CREATE SCHEMA hostile; "
    "CREATE FUNCTION hostile.yes(text, text) RETURNS bool LANGUAGE sql AS 'SELECT true'; "
    "CREATE FUNCTION hostile.yes(int, int) RETURNS bool LANGUAGE sql AS 'SELECT true'; "
    "CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.yes); "
    "CREATE OPERATOR hostile.= (LEFTARG = int, RIGHTARG = int, FUNCTION = hostile.yes); "
    "CREATE FUNCTION hostile.nextval(regclass) RETURNS bigint LANGUAGE sql AS 'SELECT 7::int8'; "
    "CREATE FUNCTION hostile.pg_current_xact_id() RETURNS int LANGUAGE sql AS 'SELECT 1 / 0'; "
    "CREATE FUNCTION hostile.pg_notify(text, text) RETURNS int LANGUAGE sql AS 'SELECT 1 / 0'; "
    "CREATE FUNCTION hostile.concat(text, int, text, int) RETURNS text LANGUAGE sql AS "
    "'SELECT (1 / 0)::text'; "
    "CREATE DOMAIN hostile.xid8 AS int; "
    "GRANT USAGE ON SCHEMA hostile TO backoff_producer; "
    "UPDATE backoff.outbox SET is_asleep = true");
  const std::string insertion = "SET search_path = hostile, pg_catalog; "
                                "INSERT INTO backoff.incoming(outbox, type, payload) ";
  EXPECT_THAT(as("backoff_producer", insertion + "VALUES('nowhere', 't', 'x')"),
              HasSubstr("there is no outbox \"nowhere\""));
  EXPECT_EQ(as("backoff_producer", insertion + "VALUES('orders', 't', 'x')"), "");
  EXPECT_EQ(query("SELECT id FROM backoff.incoming"), "1");
}

TEST_F(PostgresIncoming, what_cannot_be_is_refused_while_the_producer_has_its_transaction) {
  EXPECT_THAT(as("backoff_producer", "INSERT INTO backoff.incoming(outbox, type, payload) "
                                     "VALUES('nowhere', 't', 'x')"),
              HasSubstr("there is no outbox \"nowhere\""));
  EXPECT_THAT(as("backoff_producer", "INSERT INTO backoff.incoming(outbox, type, payload) "
                                     "VALUES('orders', '', 'x')"),
              HasSubstr("violates check constraint"));
  EXPECT_THAT(as("backoff_producer",
                 "INSERT INTO backoff.incoming(outbox, type, payload, deadline) "
                 "VALUES('orders', 't', 'x', 'infinity')"),
              HasSubstr("violates check constraint"));
  EXPECT_THAT(as("backoff_producer", "INSERT INTO backoff.incoming(outbox, type) VALUES('orders', "
                                     "'t')"),
              HasSubstr("null value"));
}

TEST_F(PostgresIncoming,
       a_row_that_is_too_large_is_refused_while_the_producer_has_its_transaction) {
  store = nullptr;
  intake = nullptr;
  auto limited = options();
  limited.max_row = 10'000;
  ASSERT_TRUE(postgres_store(address(), limited)->own(test::patience));
  const auto insertion = [&](const std::string& column, const std::string& bytes) {
    const auto payload = column == "payload" ? "" : ", payload";
    const auto value = column == "payload" ? "" : ", ''";
    return as("backoff_producer", "INSERT INTO backoff.incoming(outbox, " + column + payload
                                    + (column == "type" ? "" : ", type") + ") VALUES('orders', "
                                    + (column == "payload" ? "convert_to(" : "(") + "repeat('x', "
                                    + bytes + ")" + (column == "payload" ? ", 'UTF8')" : ")")
                                    + value + (column == "type" ? "" : ", 't'") + ")");
  };
  const std::string range = " bytes, allowed for all columns together are 0..10000";
  EXPECT_EQ(insertion("payload", "9999"), "");
  EXPECT_THAT(insertion("payload", "10000"), HasSubstr("payload has 10000" + range));
  for (const std::string column : {"key", "idempotency_key", "type", "context"}) {
    EXPECT_EQ(insertion(column, "9999"), "") << column;
    EXPECT_THAT(insertion(column, "10001"), HasSubstr(column + " has 10001" + range));
  }
  EXPECT_EQ(query("SELECT count(*) FROM backoff.incoming"), "5");
}

TEST_F(PostgresIncoming, without_an_option_a_row_may_have_16_MB_and_its_texts_1_MB) {
  const std::string into = "INSERT INTO backoff.incoming(outbox, type, payload, key) VALUES"
                           "('orders', 't', convert_to(repeat('x', ";
  EXPECT_EQ(as("backoff_producer", into + "16777215), 'UTF8'), '')"), "");
  EXPECT_THAT(as("backoff_producer", into + "16777216), 'UTF8'), '')"),
              HasSubstr("payload has 16777216 bytes, allowed for all columns together are "
                        "0..16777216, for the texts 0..1048576"));
  EXPECT_EQ(as("backoff_producer", into + "2000000), 'UTF8'), repeat('k', 1048575))"), "");
  EXPECT_THAT(as("backoff_producer", into + "2000000), 'UTF8'), repeat('k', 1048576))"),
              HasSubstr("key has 1048576 bytes"));
}

} // namespace backoff_actor::store_test
