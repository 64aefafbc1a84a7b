// The schema is made when it is asked for, and once.

#include "control.hpp"
#include "fixture.hpp"

#include "backoff_actor/store/postgres/calendar/postgres_calendar.hpp"

#include <chrono>
#include <fstream>
#include <future>
#include <sstream>
#include <stdexcept>
#include <string>

namespace backoff_actor::store_test {

class postgres_schema : public PostgresTest {
protected:
  void SetUp() override {
    BACKOFF_ACTOR_NEEDS_POSTGRES();
    empty_ = fresh_database("template1");
  }

  std::string connection() const { return server()->connection(empty_); }

  std::string in_empty(const std::string& statements) const {
    auto result = server()->query(statements, empty_);
    if (result.ends_with('\n'))
      result.pop_back();
    return result;
  }

  // The schema as it was before it had a calendar and answers.
  void make_version_2() const {
    in_empty("DROP TABLE backoff.calendar; DROP FUNCTION backoff.check_calendar; "
             "DROP TABLE backoff.answer; "
             "UPDATE backoff.meta SET version = 2");
  }

  // The schema as the first version of this library with PostgreSQL has made it.
  void make_version_1() const {
    migrate_postgres(connection());
    make_version_2();
    in_empty("ALTER TABLE backoff.dead_letter DROP COLUMN text; "
             "ALTER TABLE backoff.outbox DROP COLUMN row_limit; "
             "DROP FUNCTION backoff.fence(int, int, bigint, bigint, bigint, bigint, bigint); "
             "DROP TABLE backoff.last_commit; "
             "CREATE OR REPLACE FUNCTION backoff.fence(outbox_id int, shard_no int, own_epoch "
             "bigint, new_commit_no bigint, new_last_id bigint, new_oldest_id bigint) RETURNS void "
             "LANGUAGE plpgsql AS $$ BEGIN UPDATE backoff.shard SET commit_no = new_commit_no, "
             "last_id = new_last_id, oldest_id = new_oldest_id WHERE outbox = outbox_id AND shard "
             "= shard_no AND epoch = own_epoch; IF NOT FOUND THEN RAISE EXCEPTION 'over' USING "
             "ERRCODE = 'BA001'; END IF; END $$; "
             "CREATE OR REPLACE FUNCTION backoff.check_incoming() RETURNS trigger "
             "LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN "
             "SELECT id INTO NEW.outbox_id FROM backoff.outbox WHERE name = NEW.outbox; "
             "NEW.id := nextval('backoff.incoming_id_seq'); RETURN NEW; END $$; "
             "UPDATE backoff.meta SET version = 1");
  }

  std::string empty_{};
};

TEST_F(postgres_schema, makes_the_schema_once_and_says_what_was_there) {
  EXPECT_EQ(migrate_postgres(connection()), 0);
  EXPECT_EQ(migrate_postgres(connection()), 3);
  EXPECT_EQ(in_empty("SELECT version, made_by LIKE 'backoff_actor %' FROM backoff.meta"), "3|t");
  EXPECT_EQ(in_empty("SELECT string_agg(tablename, ' ' ORDER BY tablename) FROM pg_tables WHERE "
                     "schemaname = 'backoff'"),
            "acknowledged_key answer calendar dead_letter delivery incoming last_commit meta node "
            "outbox shard");
  EXPECT_NE(open_postgres_store({connection(), "orders"}), nullptr);
}

TEST_F(postgres_schema, two_at_once_make_one) {
  auto other = std::async(std::launch::async, [&] { return migrate_postgres(connection()); });
  const auto own = migrate_postgres(connection());
  EXPECT_EQ(own + other.get(), 3) << "one of them found nothing, the other one version 3";
}

TEST_F(postgres_schema, one_waits_for_another_that_takes_longer_than_a_second) {
  Control slow{connection()};
  slow.query("BEGIN");
  slow.query("SELECT pg_advisory_xact_lock(hashtext('backoff_actor migration'))");
  auto other = std::async(std::launch::async, [&] { return migrate_postgres(connection()); });
  Control look{connection()};
  look.await("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted", "1");
  EXPECT_EQ(other.wait_for(std::chrono::milliseconds{1500}), std::future_status::timeout);
  slow.query("COMMIT");
  EXPECT_EQ(other.get(), 0);
}

TEST_F(postgres_schema, roles_that_are_there_are_used) {
  EXPECT_EQ(in_empty("SELECT count(*) FROM pg_roles WHERE rolname IN ('backoff_producer', "
                     "'backoff_worker', 'backoff_reader')"),
            "3")
    << "of another database";
  EXPECT_EQ(migrate_postgres(connection()), 0);
}

TEST_F(postgres_schema, its_statements_can_be_run_by_hand) {
  EXPECT_EQ(postgres_migration(postgres_schema_version), "");
  EXPECT_THROW(postgres_migration(-1), InvalidArgument);
  EXPECT_THROW(postgres_migration(postgres_schema_version + 1), InvalidArgument);
  in_empty(postgres_migration());
  EXPECT_EQ(migrate_postgres(connection()), 3);
  EXPECT_NE(open_postgres_store({connection(), "orders"}), nullptr);
}

// What it offers is a comment.
TEST_F(postgres_schema, its_statements_offer_to_leave_the_locks_to_the_owners) {
  const auto all = postgres_migration();
  in_empty(all);
  EXPECT_EQ(in_empty("SET ROLE backoff_producer; SELECT pg_try_advisory_lock(1, 2)"), "t");
  std::istringstream lines{all.substr(all.find("-- REVOKE"))};
  std::string offered;
  for (std::string line; std::getline(lines, line);)
    offered += line.substr(3) + "\n";
  in_empty(offered);
  for (const auto* const kind : {"", "_shared"})
    for (const auto* const name : {"pg_advisory_lock", "pg_try_advisory_lock",
                                   "pg_advisory_xact_lock", "pg_try_advisory_xact_lock"})
      EXPECT_THROW(
        in_empty("SET ROLE backoff_producer; SELECT " + std::string{name} + kind + "(1, 2)"),
        std::runtime_error)
        << name << kind;
  EXPECT_EQ(in_empty("SET ROLE backoff_worker; SELECT pg_try_advisory_lock(1, 2), "
                     "pg_advisory_lock(1, 2) IS NULL"),
            "t|f");
}

TEST_F(postgres_schema, of_version_1_works_and_has_texts_from_version_2_on) {
  make_version_1();
  const auto end = [](std::uint64_t id) {
    return change::Bury{id, DeadLetterReason::rejected, 1, "no", {5}, "(order)"};
  };
  const auto texts = [](DeliveryStore& store) {
    std::vector<std::string> result;
    for (const auto& x : contents_of(store).dead)
      result.push_back(x.text);
    return result;
  };
  {
    const auto store = open_postgres_store({connection(), "orders"}, {});
    commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
    commit(*store, {change::Insert{delivery(3)}, end(1), end(3)});
    EXPECT_EQ(texts(*store), (std::vector<std::string>{"", ""}));
    EXPECT_EQ(texts(*open_postgres_store_to_read({connection(), "orders"})),
              (std::vector<std::string>{"", ""}));
  }
  EXPECT_EQ(in_empty("SELECT version FROM backoff.meta"), "1") << "only migrate changes it";
  EXPECT_EQ(migrate_postgres(connection()), 1);
  const auto store = open_postgres_store({connection(), "orders"}, {});
  commit(*store, {end(2)});
  EXPECT_EQ(texts(*store), (std::vector<std::string>{"", "(order)", ""}));
  EXPECT_EQ(contents_of(*store).dead.at(2).cause, "no") << "the others are as they were";
}

TEST_F(postgres_schema, has_a_limit_for_rows_from_version_2_on) {
  make_version_1();
  const auto address = PostgresAddress{connection(), "orders"};
  const auto large = "INSERT INTO backoff.incoming(outbox, type, payload) VALUES('orders', 't', "
                     "convert_to(repeat('x', 20000), 'UTF8'))";
  open_postgres_store(address, {.max_row = 10'000});
  in_empty(large);
  EXPECT_EQ(migrate_postgres(connection()), 1);
  in_empty(large);
  open_postgres_store(address, {.max_row = 10'000});
  EXPECT_THROW(in_empty(large), std::runtime_error);
}

TEST_F(postgres_schema, of_version_2_works_and_has_a_calendar_from_version_3_on) {
  migrate_postgres(connection());
  make_version_2();
  const PostgresAddress address{connection(), "orders"};
  const PostgresCalendar calendar{address};
  IncomingMessage message;
  message.type = "t";
  const CalendarEntry entry{.name = "report", .schedule = every(1h)};
  const auto store = open_postgres_store(address, {});
  commit(*store, {change::Insert{delivery(1)}});
  const auto found = failure_of([&] { calendar.put(entry, message); });
  EXPECT_EQ(found.failure, StoreFailure::cannot_open);
  EXPECT_THAT(found.text, ::testing::EndsWith("its tables have no calendar; run backoffctl outbox "
                                              "migrate"));
  EXPECT_EQ(migrate_postgres(connection()), 2);
  EXPECT_EQ(calendar.put(entry, message), CalendarChange::added);
  commit(*store, {change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(*store).owed.size(), 2U);
}

TEST_F(postgres_schema, goes_on_when_it_is_migrated_while_an_owner_works) {
  make_version_1();
  const auto store = open_postgres_store({connection(), "orders"}, {});
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  in_empty(postgres_migration(1));
  commit(*store, {change::Bury{1, DeadLetterReason::rejected, 1, "", {5}, "(order)"}});
  EXPECT_EQ(contents_of(*store).dead.at(0).text, "") << "until it connects anew";
}

// What an owner of version 1 commits after the migration counts, and what it committed before.
TEST_F(postgres_schema, of_version_1_loses_no_commit_when_it_is_migrated) {
  make_version_1();
  const PostgresAddress address{connection(), "orders"};
  auto old = open_postgres_store(address, {});
  auto keyed = delivery(1);
  keyed.idempotency_key = "once";
  commit(*old, {change::Insert{keyed}, change::Acknowledge{1, {100}}});
  commit(*old, {change::ForgetKeys{{200}}, change::Insert{delivery(2)}});
  EXPECT_EQ(in_empty("SELECT commit_no, last_id, keys_since FROM backoff.shard"), "2|2|200");
  in_empty(postgres_migration(1));
  old = nullptr;
  old = open_postgres_store(address, {});
  EXPECT_EQ(old->last_id(), 2u);
  EXPECT_EQ(contents_of(*old).keys.size(), 0u);
  old = nullptr;

  make_version_1();
  in_empty("UPDATE backoff.shard SET commit_no = 2, last_id = 2, keys_since = 200");
  old = open_postgres_store(address, {});
  in_empty(postgres_migration(1));
  commit(*old, {change::Insert{delivery(3)}, change::ForgetKeys{{300}}});
  commit(*old, {change::Insert{delivery(4)}});
  EXPECT_EQ(in_empty("SELECT commit_no, last_id, keys_since IS NULL FROM backoff.last_commit"),
            "4|4|t");
  EXPECT_EQ(in_empty("SELECT commit_no, keys_since FROM backoff.shard"), "2|300");
  old = nullptr;
  const auto store = open_postgres_store(address, {});
  EXPECT_EQ(store->last_id(), 4u);
  commit(*store, {change::Insert{delivery(5)}, change::ForgetKeys{{400}}});
  EXPECT_EQ(in_empty("SELECT commit_no, last_id, keys_since FROM backoff.last_commit"), "5|5|400");
  EXPECT_EQ(in_empty("SELECT commit_no, keys_since FROM backoff.shard"), "2|300");
}

TEST_F(postgres_schema, of_version_2_works_without_answers_and_keeps_them_from_version_3_on) {
  migrate_postgres(connection());
  make_version_2();
  const KeptAnswer answer{{"std::string", bytes("yes")}, 3};
  const PostgresAddress address{connection(), "orders"};
  auto store = open_postgres_store(address, {});
  commit(*store,
         {change::Insert{delivery(1)}, change::Insert{delivery(2)}, change::Insert{delivery(3)}});
  for (std::uint64_t id = 1; id <= 2; ++id)
    commit(*store, {change::KeepAnswer{"order " + std::to_string(id), answer, {1000}},
                    change::Acknowledge{id, {1000}}});
  EXPECT_EQ(store->find_message("order 1", 0).state, MessageState::done);
  EXPECT_EQ(store->find_message("order 1", 0).answer, std::nullopt);
  const auto notices = store->take_notices();
  ASSERT_EQ(notices.size(), 1U) << "it says so once";
  EXPECT_TRUE(notices[0].ends_with("it keeps no answers, for its schema has version 2; run "
                                   "backoffctl outbox migrate, and then start the program anew"));
  store = nullptr;
  in_empty(postgres_migration(2));
  store = open_postgres_store(address, {});
  commit(*store, {change::KeepAnswer{"order 3", answer, {1001}}, change::Acknowledge{3, {1001}}});
  EXPECT_EQ(store->find_message("order 3", 0).answer, answer);
  EXPECT_EQ(open_postgres_store_to_read(address)->find_message("order 3", 0).answer, answer);
  EXPECT_EQ(store->find_message("order 1", 0).answer, std::nullopt);
}

TEST_F(postgres_schema, leaves_a_newer_schema_alone) {
  migrate_postgres(connection());
  in_empty("UPDATE backoff.meta SET version = 4");
  EXPECT_EQ(failure_of([&] { migrate_postgres(connection()); }).failure, StoreFailure::newer);
}

TEST_F(postgres_schema, leaves_a_schema_of_another_program_alone) {
  in_empty("CREATE SCHEMA backoff; CREATE TABLE backoff.mine(a int)");
  EXPECT_EQ(failure_of([&] { migrate_postgres(connection()); }).failure, StoreFailure::foreign);
  EXPECT_EQ(in_empty("SELECT count(*) FROM pg_tables WHERE schemaname = 'backoff'"), "1");
}

TEST_F(postgres_schema, does_not_wait_long_for_others) {
  Control other{connection()};
  other.query("BEGIN");
  other.query("SELECT pg_advisory_xact_lock(hashtext('backoff_actor migration'))");
  const auto found = failure_of([&] { migrate_postgres(connection()); });
  EXPECT_EQ(found.failure, StoreFailure::unreachable);
  EXPECT_EQ(found.text, "postgres://127.0.0.1:" + std::to_string(server()->port()) + "/" + empty_
                          + ": another session holds a lock that the statement needs");
}

TEST_F(postgres_schema, a_reader_sees_the_views_and_no_payload_and_a_producer_nothing) {
  migrate_postgres(connection());
  const auto store = open_postgres_store({connection(), "orders"}, {.node = "node-a"});
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  in_empty("DROP ROLE IF EXISTS looker; CREATE ROLE looker IN ROLE backoff_reader");
  EXPECT_EQ(in_empty("SET ROLE looker; SELECT name, owner, epoch, owed, dead FROM "
                     "backoff.outbox_state"),
            "orders|node-a|1|1|1");
  EXPECT_EQ(in_empty("SET ROLE looker; SELECT outbox, id, key, types, bytes FROM backoff.owed"),
            "orders|1|customer|order,int32_t|7");
  EXPECT_EQ(in_empty("SET ROLE looker; SELECT id, reason, cause FROM backoff.dead"),
            "2|attempts_exhausted|cannot parse it");
  EXPECT_THROW(in_empty("SET ROLE looker; SELECT * FROM backoff.delivery"), std::runtime_error);
  EXPECT_THROW(in_empty("SET ROLE backoff_producer; SELECT * FROM backoff.delivery"),
               std::runtime_error);
  in_empty("DROP OWNED BY looker; DROP ROLE looker");
}

} // namespace backoff_actor::store_test
