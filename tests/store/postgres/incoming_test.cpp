// The table `incoming`: what the owner of an outbox reads.

#include "common/becomes_true.hpp"
#include "store/postgres/control.hpp"
#include "store/postgres/incoming_fixture.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace {

constexpr auto is_waited_for =
  "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted)";

} // namespace

TEST_F(PostgresIncoming, rows_are_taken_once_in_order_with_all_their_parts) {
  query(
    "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload, context) VALUES"
    "('orders', 'customer', 'once', 'order.v1', convert_to('{\"a\": \"\\n\"}', 'UTF8'), 'trace')");
  insert();
  EXPECT_THAT(take(), ElementsAre(1, 2));
  EXPECT_THAT(take(), IsEmpty());
  const std::string payload(reinterpret_cast<const char*>(taken[0].payload.data()),
                            taken[0].payload.size());
  EXPECT_EQ(payload, "{\"a\": \"\\n\"}");
  EXPECT_EQ(taken[0].key, "customer");
  EXPECT_EQ(taken[0].idempotency_key, "once");
  EXPECT_EQ(taken[0].type, "order.v1");
  EXPECT_EQ(taken[0].context, "trace");
  EXPECT_FALSE(taken[0].time_to_live);
}

TEST_F(PostgresIncoming, a_commit_inserts_the_delivery_and_deletes_its_row) {
  insert();
  insert();
  ASSERT_THAT(take(), SizeIs(2));
  commit(*store, {change::Insert{delivery(1), 1}, change::DropIncoming{2}});
  EXPECT_EQ(query("SELECT count(*) FROM backoff.incoming"), "0");
  EXPECT_EQ(query("SELECT count(*) FROM backoff.delivery"), "1");
}

TEST_F(PostgresIncoming, what_cancels_a_key_takes_the_older_rows_with_it_along) {
  const auto insert_with = [&](const std::string& key, const std::string& not_before) {
    query("INSERT INTO backoff.incoming(outbox, type, payload, idempotency_key, not_before) VALUES"
          "('orders', 't', '', '"
          + key + "', " + not_before + ")");
  };
  insert_with("once", "now() + interval '1 hour'");
  insert_with("other", "now() + interval '1 hour'");
  insert_with("once", "NULL");
  insert_with("once", "now() + interval '1 hour'");
  commit(*store, {change::DropIncoming{3, "once"}});
  EXPECT_EQ(query("SELECT id FROM backoff.incoming ORDER BY id"), "2\n4");
}

TEST_F(PostgresIncoming, a_row_that_waits_is_found_by_its_key_by_the_owner_and_by_who_reads) {
  query(
    "INSERT INTO backoff.incoming(outbox, type, payload, idempotency_key, not_before, at) VALUES"
    "('orders', 't', '', 'later', '2100-01-01 00:00:00Z', '2026-01-01 00:00:00Z'), "
    "('orders', 't', '', 'soon', NULL, '2026-01-01 00:00:01Z'), "
    "('orders', 'backoff.cancel', '', 'no message', NULL, now())");
  query("INSERT INTO backoff.incoming(outbox, type, payload, idempotency_key, context) VALUES"
        "('orders', 't', '', 'no message', E'a: 1\nreplace: waiting')");
  const auto reader = postgres_store(address(), options())->open_to_read();
  for (auto* const one : {static_cast<DeliveryStore*>(store.get()), reader.get()}) {
    const auto later = one->find_message("later", 0);
    EXPECT_EQ(later.state, MessageState::waiting);
    EXPECT_EQ(later.since, WallTime{1'767'225'600'000'000'000});
    EXPECT_EQ(later.not_before, WallTime{4'102'444'800'000'000'000});
    const FoundMessage soon{MessageState::waiting, 0, {1'767'225'601'000'000'000}};
    EXPECT_EQ(one->find_message("soon", 0), soon);
    EXPECT_EQ(one->find_message("no message", 0), FoundMessage{});
  }
}

TEST_F(PostgresIncoming, a_reader_finds_what_the_owner_has_committed_and_changes_nothing) {
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)}, bury(2)});
  const auto reader = postgres_store(address(), options())->open_to_read();
  EXPECT_EQ(reader->find_message("order 1", 0).state, MessageState::owed);
  EXPECT_EQ(reader->find_message("order 2", 0).why, "attempts_exhausted: cannot parse it");
  commit(*store, {change::Acknowledge{1, {1000}}});
  const FoundMessage done{MessageState::done, 0, {1000}};
  EXPECT_EQ(reader->find_message("order 1", 0), done);
  EXPECT_EQ(failure_of([&] {
              commit(*reader, {change::Acknowledge{2, {1}}});
            }).failure,
            StoreFailure::read_only);
}

TEST_F(PostgresIncoming, what_replaces_a_payload_gives_it_to_the_older_rows_of_its_key) {
  const auto insert_with = [&](const std::string& key, const std::string& type) {
    query("INSERT INTO backoff.incoming(outbox, type, payload, idempotency_key) VALUES('orders', '"
          + type + "', '" + type + "', '" + key + "')");
  };
  for (const auto* type : {"a", "backoff.cancel", "b", "c"})
    insert_with("once", type);
  insert_with("other", "d");
  insert_with("once", "e");
  commit(*store, {change::SetMessage{0, {}, 3}, change::SetMessage{0, {}, 4}});
  EXPECT_EQ(query("SELECT id, type, convert_from(payload, 'UTF8') FROM backoff.incoming ORDER BY "
                  "id"),
            "1|c|c\n2|backoff.cancel|backoff.cancel\n5|d|d\n6|e|e");
}

TEST_F(PostgresIncoming, a_row_that_is_too_large_is_not_read_and_becomes_a_dead_letter) {
  query(
    "INSERT INTO backoff.incoming(outbox, key, idempotency_key, type, payload, context) VALUES"
    "('orders', 'customer', 'once', 'order.v1', convert_to(repeat('x', 20000), 'UTF8'), 'c: 1')");
  insert();
  store = nullptr;
  auto limited = options();
  limited.max_row = 10'000;
  store = postgres_store(address(), limited)->own(test::patience);
  intake = store->open_intake();
  EXPECT_THAT(take(), ElementsAre(1, 2));
  EXPECT_EQ(taken[0].bytes_left, 20'000u + 8 + 4 + 8 + 4);
  EXPECT_EQ(taken[0].size(), 0u);
  EXPECT_EQ(taken[1].bytes_left, 0u);

  StoredDelivery unread;
  unread.id = 1;
  unread.submitted_at = {5};
  const change::Bury end{1, DeadLetterReason::unreadable, 0, "too large", {7}, ""};
  commit(*store, {change::Insert{unread, 1, true}, end});
  EXPECT_EQ(query("SELECT convert_from(key, 'UTF8'), convert_from(idempotency_key, 'UTF8'), "
                  "convert_from(types, 'UTF8'), octet_length(payload), convert_from(context, "
                  "'UTF8'), reason, submitted_at FROM backoff.dead_letter"),
            "customer|once|order.v1|20000|c: 1|unreadable|5");
  EXPECT_EQ(query("SELECT string_agg(id::text, ' ') FROM backoff.incoming"), "2");
  EXPECT_EQ(query("SELECT count(*) FROM backoff.delivery"), "0");
}

TEST_F(PostgresIncoming, a_row_with_texts_that_are_too_large_is_not_read_either) {
  for (const std::string column : {"key", "idempotency_key", "context"})
    insert(", " + column, ", repeat('x', 20000)");
  auto limited = options();
  limited.max_row = 10'000;
  store = nullptr;
  store = postgres_store(address(), limited)->own(test::patience);
  intake = store->open_intake();
  EXPECT_THAT(take(), ElementsAre(1, 2, 3));
  for (const auto& one : taken)
    EXPECT_EQ(one.bytes_left, 20'000u + 1 + 1);
}

TEST_F(PostgresIncoming, what_nobody_has_read_may_be_stored_before_it_is_given_up) {
  insert();
  ASSERT_THAT(take(), ElementsAre(1));
  StoredDelivery unread;
  unread.id = 1;
  commit(*store, {change::Insert{unread, 1, true}});
  EXPECT_EQ(query("SELECT convert_from(types, 'UTF8'), octet_length(payload) FROM "
                  "backoff.delivery"),
            "t|1");
  commit(*store, {bury(1)});
  EXPECT_EQ(query("SELECT count(*) FROM backoff.dead_letter"), "1");
}

TEST_F(PostgresIncoming, texts_count_in_what_a_look_reads) {
  for (auto i = 0; i < 20; ++i)
    insert(", key, context", ", repeat('k', 500000), repeat('c', 500000)");
  EXPECT_THAT(take(), SizeIs(17)) << "16 MiB are less than 17 rows";
  EXPECT_THAT(take(), SizeIs(3));
}

TEST_F(PostgresIncoming, an_intake_knows_when_it_has_taken_what_was_there) {
  EXPECT_FALSE(intake->has_caught_up());
  for (auto i = 0; i < 3; ++i)
    insert();
  EXPECT_THAT(take(2), ElementsAre(1, 2));
  EXPECT_FALSE(intake->has_caught_up());
  for (auto i = 0; i < 3; ++i)
    insert();
  EXPECT_THAT(take(1), ElementsAre(3));
  EXPECT_TRUE(intake->has_caught_up()) << "the others came later";

  intake->catch_up();
  EXPECT_FALSE(intake->has_caught_up());
  EXPECT_THAT(take(2), ElementsAre(4, 5));
  EXPECT_FALSE(intake->has_caught_up());
  EXPECT_THAT(take(2), ElementsAre(6));
  EXPECT_TRUE(intake->has_caught_up());
}

TEST_F(PostgresIncoming, an_intake_without_rows_has_taken_all_after_its_first_look) {
  insert(", not_before", ", now() + interval '1 h'");
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_TRUE(intake->has_caught_up());
}

TEST_F(PostgresIncoming, an_intake_has_not_taken_all_while_a_late_row_is_left) {
  Control slow{server()->connection(database())};
  slow.query("BEGIN");
  slow.query(insertion());
  slow.query(insertion());
  insert();
  EXPECT_THAT(take(), ElementsAre(3));
  slow.query("COMMIT");
  intake->catch_up();
  EXPECT_THAT(take(1), ElementsAre(1));
  EXPECT_FALSE(intake->has_caught_up());
  EXPECT_THAT(take(1), ElementsAre(2));
  EXPECT_THAT(take(1), IsEmpty());
  EXPECT_TRUE(intake->has_caught_up());
}

TEST_F(PostgresIncoming, a_row_that_becomes_visible_after_a_higher_one_is_not_missed) {
  Control slow{server()->connection(database())};
  leave_open(slow);
  look_long();
  slow.query("COMMIT");
  EXPECT_THAT(take(), ElementsAre(2));
}

// It is left behind, and the look after its commit goes down to it.
TEST_F(PostgresIncoming, a_row_of_a_transaction_that_took_long_is_taken_when_it_is_committed) {
  Control slow{server()->connection(database())};
  leave_open(slow);
  for (auto i = 0; i < 3; ++i) {
    look_long();
    std::this_thread::sleep_for(60ms);
  }
  insert();
  EXPECT_THAT(take(), ElementsAre(4));
  slow.query(insertion()); // row 5
  insert();
  EXPECT_THAT(take(), ElementsAre(6));
  look_long();
  slow.query("COMMIT");
  insert();
  EXPECT_THAT(take(2), ElementsAre(2, 5)) << "they were committed before row 7";
  EXPECT_THAT(take(), ElementsAre(7));
}

// The first transaction to begin is the first to end. The second has the lower row.
TEST_F(PostgresIncoming, a_row_of_a_transaction_that_began_after_that_of_a_higher_is_not_missed) {
  Control first{server()->connection(database())};
  Control second{server()->connection(database())};
  first.query("BEGIN");
  first.query("SELECT pg_current_xact_id()");
  second.query("BEGIN");
  second.query(insertion());
  first.query(insertion());
  first.query("COMMIT");
  EXPECT_THAT(take(), ElementsAre(2));
  look_long();
  second.query("COMMIT");
  EXPECT_THAT(take(), ElementsAre(1));
}

// The transaction of the lower row stops where the row has its number, and is not yet written. The
// first number of a sequence would be no test: the server logs it, and so numbers the transaction.
TEST_F(PostgresIncoming, a_row_that_has_its_number_long_before_it_is_written_is_not_missed) {
  insert();
  settle(take().at(0), 1);
  query("CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM "
        "pg_advisory_xact_lock(42); RETURN NEW; END $$; "
        "CREATE TRIGGER wait BEFORE INSERT ON backoff.incoming FOR EACH ROW WHEN (NEW.key = "
        "'slow') EXECUTE FUNCTION public.wait()");
  Control lock{server()->connection(database())};
  lock.query("SELECT pg_advisory_lock(42)");
  std::thread slow{[&] { insert(", key", ", 'slow'"); }};
  lock.await(is_waited_for, "t");
  insert();
  EXPECT_THAT(take(), ElementsAre(3));
  settle(3, 2);
  look_long();
  lock.query("SELECT pg_advisory_unlock(42)");
  slow.join();
  EXPECT_THAT(take(), ElementsAre(2));
}

// What a look reads first waits for a lock, behind its snapshot. Meanwhile two transactions commit.
TEST_F(PostgresIncoming, a_look_does_not_take_what_was_committed_later_before_a_late_row) {
  query("CREATE FUNCTION public.gate() RETURNS bool STABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM "
        "pg_advisory_xact_lock(42); RETURN true; END $$; "
        "ALTER TABLE backoff.incoming RENAME TO incoming_rows; "
        "CREATE VIEW backoff.incoming AS SELECT * FROM backoff.incoming_rows WHERE public.gate()");
  Control slow{server()->connection(database())};
  slow.query("BEGIN");
  slow.query(insertion());
  insert();
  EXPECT_THAT(take(), ElementsAre(2));
  Control lock{server()->connection(database())};
  lock.query("SELECT pg_advisory_lock(42)");
  std::vector<std::uint64_t> rows;
  std::thread look{[&] { rows = take(); }};
  lock.await(is_waited_for, "t");
  slow.query("COMMIT"); // row 1
  insert();             // row 3
  lock.query("SELECT pg_advisory_unlock(42)");
  look.join();
  for (const auto row : take())
    rows.push_back(row);
  EXPECT_THAT(rows, ElementsAre(1, 3));
}

TEST_F(PostgresIncoming, a_row_that_was_given_back_is_taken_again) {
  for (auto i = 0; i < 3; ++i)
    insert();
  ASSERT_THAT(take(), SizeIs(3));
  settle(1, 1);
  settle(3, 2);
  for (auto i = 0; i < 5; ++i)
    EXPECT_THAT(take(), IsEmpty());
  const std::vector<std::uint64_t> row{2};
  held.erase(2);
  intake->give_back(row);
  EXPECT_THAT(take(), ElementsAre(2));
}

// Its time is over when it is committed, and later ones were taken before.
TEST_F(PostgresIncoming, a_due_row_that_becomes_visible_late_is_not_missed) {
  Control slow{server()->connection(database())};
  slow.query("BEGIN");
  slow.query(insertion(", not_before", ", clock_timestamp() + interval '1 ms'"));
  insert(", not_before", ", clock_timestamp() + interval '2 ms'");
  std::vector<std::uint64_t> first;
  EXPECT_TRUE(test::becomes_true([&] { return !(first = take()).empty(); }));
  EXPECT_THAT(first, ElementsAre(2));
  settle(2, 1);
  look_long();
  slow.query("COMMIT");
  EXPECT_THAT(take(), ElementsAre(1));
}

TEST_F(PostgresIncoming, a_due_row_of_a_transaction_that_took_long_is_taken_when_it_is_committed) {
  Control slow{server()->connection(database())};
  slow.query("BEGIN");
  slow.query(insertion(", not_before", ", clock_timestamp() + interval '1 ms'"));
  for (auto i = 0; i < 4; ++i) {
    insert(", not_before", ", clock_timestamp() + interval '1 ms'");
    std::this_thread::sleep_for(60ms);
    EXPECT_THAT(take(), SizeIs(1));
  }
  look_long();
  slow.query("COMMIT");
  EXPECT_THAT(take(), ElementsAre(1));
}

TEST_F(PostgresIncoming, due_rows_are_taken_in_parts_and_again_when_they_were_given_back) {
  query(
    "INSERT INTO backoff.incoming(outbox, type, payload, not_before) SELECT 'orders', 't', 'x', "
    "now() + interval '1 s' + i % 2 * interval '10 ms' FROM generate_series(1, 6) AS i");
  ASSERT_TRUE(test::becomes_true([&] {
    return query("SELECT max(not_before) < clock_timestamp() FROM backoff.incoming") == "t";
  }));
  EXPECT_THAT(take(2), ElementsAre(2, 4));
  EXPECT_THAT(take(2), ElementsAre(6, 1));
  EXPECT_THAT(take(2), ElementsAre(3, 5));
  look_long();
  const std::vector<std::uint64_t> row{4};
  held.erase(4);
  intake->give_back(row);
  EXPECT_THAT(take(), ElementsAre(4));
}

// Each time makes a version of a row that every producer reads.
TEST_F(PostgresIncoming, an_intake_says_a_few_times_at_most_that_it_is_awake) {
  std::set<std::string> versions;
  std::vector<Control> others;
  for (auto i = 0; i < 4; ++i) {
    others.emplace_back(server()->connection(database()));
    others.back().query("BEGIN");
    others.back().query(insertion());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (auto i = 0; i < 20; ++i) {
    EXPECT_TRUE(take().empty());
    intake->wait(Duration::zero());
    versions.insert(query("SELECT xmin FROM backoff.outbox"));
    query("INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'orders', 't', 'x' FROM "
          "generate_series(1, 60)");
    EXPECT_THAT(take(), SizeIs(60));
    EXPECT_TRUE(take().empty()); // says that it is awake
    versions.insert(query("SELECT xmin FROM backoff.outbox"));
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(versions.size(), 2U);
  EXPECT_LE(versions.size(), static_cast<std::size_t>(2 + 2 * (took / 2s)));
}

TEST_F(PostgresIncoming, a_row_waits_until_its_time_and_carries_what_is_left_of_its_deadline) {
  insert(", not_before", ", now() + interval '1 hour'");
  insert(", not_before, deadline", ", now() - interval '1 s', now() + interval '1 min'");
  insert(", deadline", ", now() - interval '1 s'");
  EXPECT_THAT(take(), ElementsAre(2, 3)) << "2 might have gone before, and so is in order";
  ASSERT_TRUE(taken[0].time_to_live);
  EXPECT_GT(*taken[0].time_to_live, 50s);
  EXPECT_LE(*taken[0].time_to_live, 60s);
  ASSERT_TRUE(taken[1].time_to_live);
  EXPECT_LE(*taken[1].time_to_live, 0s);
  insert(", not_before", ", now() + interval '0.2 s'");
  std::vector<std::uint64_t> later;
  EXPECT_TRUE(test::becomes_true([&] { return !(later = take()).empty(); }));
  EXPECT_THAT(later, ElementsAre(4));
  EXPECT_EQ(query("SELECT clock_timestamp() > not_before FROM backoff.incoming WHERE id = 4"), "t");
}

// Its times are taken at their word, however far they are from the server's.
TEST_F(PostgresIncoming, a_producer_whose_clock_is_off_holds_up_nobody) {
  insert(", deadline", ", '1970-01-01'");
  insert(", deadline", ", '294276-12-31'");
  insert(", not_before", ", '294276-12-31'");
  insert(", not_before, deadline", ", '4713-01-01 BC', '4713-01-02 BC'");
  insert();
  EXPECT_THAT(take(), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(taken[0].time_to_live, -1s) << "its deadline is over";
  EXPECT_EQ(taken[1].time_to_live, std::nullopt) << "it has none that anybody lives to see";
  EXPECT_EQ(taken[2].time_to_live, -1s);
  EXPECT_EQ(taken[3].time_to_live, std::nullopt);
  EXPECT_THAT(take(), IsEmpty());
  EXPECT_EQ(query("SELECT count(*) FROM backoff.incoming WHERE id = 3"), "1");
}

TEST_F(PostgresIncoming, large_messages_are_taken_in_parts) {
  query("INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'orders', 't', "
        "convert_to(repeat('x', 10000000), 'UTF8') FROM generate_series(1, 3)");
  EXPECT_THAT(take(), ElementsAre(1, 2));
  EXPECT_THAT(take(), ElementsAre(3));
  EXPECT_EQ(taken[2].payload.size(), 10'000'000u);
}

TEST_F(PostgresIncoming, a_thousand_rows_of_one_statement_are_taken_in_order) {
  query("INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'orders', 't', "
        "convert_to(i::text, 'UTF8') FROM generate_series(1, 1000) AS i");
  const auto first = take(600);
  const auto rest = take(600);
  EXPECT_THAT(first, SizeIs(600));
  EXPECT_THAT(rest, SizeIs(400));
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_TRUE(std::is_sorted(rest.begin(), rest.end()));
  EXPECT_LT(first.back(), rest.front());
}

TEST_F(PostgresIncoming, an_intake_connects_again_after_its_session_was_ended) {
  insert();
  EXPECT_THAT(take(), ElementsAre(1));
  query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%FROM "
        "backoff.incoming%' AND "
        "pid <> pg_backend_pid()");
  EXPECT_THROW(take(), StoreError);
  insert();
  EXPECT_THAT(take(), ElementsAre(2));
}

TEST_F(PostgresIncoming, what_was_unreadable_comes_in_again_when_it_is_resubmitted) {
  insert(", key", ", 'k'");
  ASSERT_THAT(take(), ElementsAre(1));
  auto broken = delivery(1);
  broken.key = "k";
  broken.idempotency_key = "";
  broken.message = {"t", {std::byte{'x'}}};
  commit(*store, {change::Insert{broken, 1},
                  change::Bury{1, DeadLetterReason::unreadable, 0, "no decoder", WallTime{1}}});
  held.clear();
  EXPECT_EQ(store->resubmit_dead_letters(std::vector<std::uint64_t>{1}), 1u);
  EXPECT_EQ(query("SELECT count(*) FROM backoff.dead_letter"), "0");
  EXPECT_EQ(query("SELECT count(*) FROM backoff.delivery"), "0");
  EXPECT_THAT(take(), ElementsAre(2));
  EXPECT_EQ(taken.back().key, "k");
  EXPECT_EQ(taken.back().type, "t");
}

TEST_F(PostgresIncoming, a_reader_sees_where_a_message_is) {
  const auto state = [&] {
    return as("backoff_reader", "SELECT state FROM backoff.message WHERE idempotency_key = 'once'");
  };
  insert(", idempotency_key", ", 'once'");
  EXPECT_EQ(state(), "waiting");
  auto one = delivery(1);
  one.idempotency_key = "once";
  commit(*store, {change::Insert{one, 1}});
  EXPECT_EQ(state(), "owed");
  commit(*store, {change::Acknowledge{1, WallTime{1}}});
  EXPECT_EQ(state(), "done");
}

class PostgresDeadRows : public PostgresIncoming, public ::testing::WithParamInterface<bool> {};

// A look must not walk over the entries of rows that were taken long ago, in either order.
TEST_P(PostgresDeadRows, a_look_past_200000_under_an_old_snapshot_reads_a_few_blocks) {
  const std::string not_before =
    GetParam() ? "clock_timestamp() - interval '1 hour' + i * interval '1 ms'" : "NULL";
  query("ALTER TABLE backoff.incoming SET (autovacuum_enabled = off)");
  query("ALTER TABLE backoff.incoming DISABLE TRIGGER ALL");
  query("INSERT INTO backoff.incoming(id, outbox, outbox_id, type, payload, not_before) SELECT i, "
        "'orders', (SELECT id FROM backoff.outbox WHERE name = 'orders'), 't', 'x', "
        + not_before + " FROM generate_series(1, 200000) AS i");
  Control snapshot{server()->connection(database())};
  snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  snapshot.query("SELECT count(*), pg_current_xact_id() FROM backoff.incoming");
  while (!take(100'000).empty()) {
  }
  query("DELETE FROM backoff.incoming");
  held.clear();
  for (auto i = 0; i < 5; ++i)
    EXPECT_THAT(take(), IsEmpty());
  // The server tells what a session has read a while later, all of it at once.
  const auto number = [this](const char* what) { return std::stol(query(what)); };
  const auto scans = [&] {
    return number("SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE relname = 'incoming'");
  };
  const auto blocks = [&] {
    return number("SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit FROM "
                  "pg_statio_user_tables WHERE relname = 'incoming'");
  };
  const auto look_until_told = [&](long more_scans) {
    const auto wanted = scans() + more_scans;
    return test::becomes_true([&] {
      EXPECT_THAT(take(), IsEmpty());
      return scans() >= wanted;
    });
  };
  ASSERT_TRUE(look_until_told(1));
  const auto scans_before = scans();
  const auto blocks_before = blocks();
  ASSERT_TRUE(look_until_told(60));
  const auto of_a_scan = (blocks() - blocks_before) / (scans() - scans_before);
  RecordProperty("blocks", static_cast<int>(of_a_scan));
  EXPECT_LT(of_a_scan, 20) << "the entries of dead rows fill hundreds";
  query("INSERT INTO backoff.incoming(id, outbox, outbox_id, type, payload) SELECT 200001, "
        "'orders', id, 't', 'x' FROM backoff.outbox WHERE name = 'orders'");
  EXPECT_THAT(take(), ElementsAre(200'001));
}

INSTANTIATE_TEST_SUITE_P(Orders, PostgresDeadRows, ::testing::Bool(), [](const auto& x) {
  return std::string{x.param ? "with_not_before" : "without_not_before"};
});

} // namespace backoff_actor::store_test
