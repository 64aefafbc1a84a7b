// What the owner of an outbox makes of the table `calendar`.

#include "store/postgres/calendar_fixture.hpp"

#include "backoff_actor/testing/proxy/tcp_proxy.hpp"
#include "common/patience.hpp"

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <thread>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

namespace {

// The first of these nights has no 02:30.
constexpr auto nightly = "at(02:30, Europe/Berlin)";
constexpr auto in_march = "'2026-03-28 18:00Z'";

// Due once within 400 days, and not at the hour of these tests.
constexpr auto yearly = "every(8760h, offset 4321h)";

} // namespace

TEST_F(PostgresCalendarTest, a_time_becomes_a_message_with_the_key_of_entry_and_time) {
  add("report", nightly, in_march, "run_all", ", key, context, time_to_live",
      ", 'k', 'a: b', '1 hour'");
  const auto taken = take();
  ASSERT_GE(taken.size(), 3u);
  EXPECT_EQ(taken[0].idempotency_key, "report@2026-03-29T01:00:00Z");
  EXPECT_EQ(taken[1].idempotency_key, "report@2026-03-30T00:30:00Z");
  EXPECT_EQ(taken[2].idempotency_key, "report@2026-03-31T00:30:00Z");
  EXPECT_EQ(taken[0].type, "t");
  EXPECT_EQ(taken[0].key, "k");
  EXPECT_EQ(taken[0].context, "a: b");
  EXPECT_EQ(taken[0].payload, std::vector{std::byte{'x'}});
  ASSERT_TRUE(taken[0].time_to_live);
  EXPECT_GT(*taken[0].time_to_live, 50min);
  EXPECT_LE(*taken[0].time_to_live, 1h);
}

TEST_F(PostgresCalendarTest, a_time_runs_once_whoever_owns_the_outbox) {
  add("report", yearly, "now() - interval '400 days'");
  const auto first = take_keys();
  EXPECT_THAT(first, ElementsAre(StartsWith("report@20")));
  EXPECT_THAT(take_keys(), IsEmpty());
  take_over();
  EXPECT_EQ(take_keys(), first) << "its row is there still";
  query("DELETE FROM backoff.incoming");
  take_over();
  EXPECT_THAT(take_keys(), IsEmpty());
}

TEST_F(PostgresCalendarTest, missed_times_run_by_the_rule_of_the_entry) {
  store = nullptr; // nobody owns the outbox while three times pass
  const auto then = "to_timestamp((floor(extract(epoch FROM now()) / 31536000) - 3) * 31536000)";
  add("all", "every(8760h)", then, "run_all");
  add("once", "every(8760h)", then, "run_once");
  add("skipped", "every(8760h)", then, "skip");
  add("late", "every(8760h)", then, "skip", ", grace", ", '366 days'");
  take_over();
  EXPECT_THAT(take_keys(), SizeIs(5));
  EXPECT_EQ(query("SELECT string_agg(name || ' ' || runs, ', ' ORDER BY name) FROM (SELECT "
                  "split_part(idempotency_key, '@', 1) AS name, count(*) AS runs FROM "
                  "backoff.incoming GROUP BY 1) a"),
            "all 3, late 1, once 1");
}

TEST_F(PostgresCalendarTest, all_missed_times_of_an_entry_run_if_they_are_more_than_a_step_makes) {
  add("report", "every(1h)", "date_trunc('hour', now()) - interval '1234 hours'", "run_all");
  add("other", yearly, "now() - interval '400 days'");
  const auto keys = take_keys(40);
  EXPECT_GE(keys.size(), 1235u);
  EXPECT_LE(keys.size(), 1236u) << "an hour may have begun";
  EXPECT_EQ(std::set(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(query("SELECT count(DISTINCT idempotency_key) FROM backoff.incoming"),
            std::to_string(keys.size()));
}

TEST_F(PostgresCalendarTest, a_thousand_entries_at_once_run_once_each) {
  query("INSERT INTO backoff.calendar(outbox, name, schedule, type, payload, decided_until) SELECT "
        "'orders', 'e' || i, 'every(8760h, offset 4321h)', 't', 'x', now() - interval '400 days' "
        "FROM generate_series(1, 2500) i");
  take(20);
  EXPECT_EQ(query("SELECT count(*), count(DISTINCT idempotency_key) FROM backoff.incoming"),
            "2500|2500");
}

TEST_F(PostgresCalendarTest, nothing_is_due_while_the_clock_is_behind_what_was_decided) {
  add("report", "every(1h)", "now() + interval '90 minutes'", "run_all");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "decided_until > now() + interval '85 minutes' AND next_at > "
                              "decided_until AND next_at < now() + interval '3 hours'"),
            "1");
}

// However much of the answers comes through.
TEST_F(PostgresCalendarTest, a_time_runs_once_if_an_answer_is_lost) {
  testing::TcpProxy proxy{"127.0.0.1", static_cast<std::uint16_t>(server()->port())};
  const PostgresAddress through_proxy{"host=127.0.0.1 port=" + std::to_string(proxy.port())
                                        + " user=postgres dbname=" + database(),
                                      "orders"};
  const auto run = [&](const std::string& plan) {
    query("DELETE FROM backoff.incoming; DELETE FROM backoff.calendar");
    add("report", yearly, "now() - interval '400 days'");
    proxy.set_plan(testing::ConnectionPlan{plan});
    take_over(through_proxy, with_zones());
    std::vector<std::string> keys;
    auto lost = 0;
    for (auto i = 0; i < 4; ++i) {
      try {
        const auto taken = take_keys(1);
        keys.insert(keys.end(), taken.begin(), taken.end());
      } catch (const StoreError& error) {
        EXPECT_EQ(error.failure(), StoreFailure::unreachable);
        ++lost;
      }
    }
    intake = nullptr;
    EXPECT_THAT(keys, ElementsAre(StartsWith("report@20"))) << plan;
    EXPECT_EQ(count("incoming"), "1") << plan;
    return lost;
  };
  const auto before = proxy.statistics().bytes_to_client;
  EXPECT_EQ(run("ok..."), 0);
  const auto bytes = proxy.statistics().bytes_to_client - before; // of the owner's session, too
  auto lost = 0;
  for (std::uint64_t after = 100; after < bytes; after += bytes / 25)
    lost += run("ok, cut(after " + std::to_string(after) + "), ok...");
  EXPECT_GT(lost, 5);
}

TEST_F(PostgresCalendarTest, an_owner_that_is_replaced_submits_nothing) {
  EXPECT_THAT(take_keys(), IsEmpty());
  query("UPDATE backoff.shard SET epoch = epoch + 1");
  add("report", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("incoming"), "0");
  EXPECT_EQ(count("calendar", "next_at = '-infinity'"), "1") << "it is due for the owner";
}

TEST_F(PostgresCalendarTest, an_entry_that_somebody_has_locked_holds_up_no_other) {
  add("locked", yearly, "now() - interval '400 days'");
  add("free", yearly, "now() - interval '400 days'");
  Control other{server()->connection(database())};
  other.query("BEGIN");
  other.query("UPDATE backoff.calendar SET missed = 'run_all' WHERE name = 'locked'");
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("free@")));
  other.query("COMMIT");
  std::this_thread::sleep_for(50ms);
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("locked@")));
}

// Each of them has 100 runs in a step, which has room for 1000.
TEST_F(PostgresCalendarTest, what_locked_entries_have_missed_takes_no_room_from_others) {
  for (auto i = 0; i < 10; ++i)
    add("locked" + std::to_string(i), "every(1min)", "now() - interval '2 hours'", "run_all");
  add("free", yearly, "now() - interval '400 days'");
  Control other{server()->connection(database())};
  other.query("BEGIN");
  other.query("UPDATE backoff.calendar SET type = 'u' WHERE name LIKE 'locked%'");
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("free@")));
}

// A step decides about 1000.
TEST_F(PostgresCalendarTest, many_locked_entries_hold_up_no_other) {
  query("INSERT INTO backoff.calendar(outbox, name, schedule, type, payload, decided_until) SELECT "
        "'orders', 'locked' || i, 'every(8760h, offset 4321h)', 't', 'x', now() - interval '400 "
        "days' FROM generate_series(1, 1000) i");
  add("free", yearly, "now() - interval '400 days'");
  Control other{server()->connection(database())};
  other.query("BEGIN");
  other.query("UPDATE backoff.calendar SET type = 'u' WHERE name LIKE 'locked%'");
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("free@")));
}

TEST_F(PostgresCalendarTest, an_entry_that_was_locked_when_it_was_due_is_looked_at_afterwards) {
  add("locked", yearly, "now() - interval '400 days'");
  add("free", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), SizeIs(2));
  query("UPDATE backoff.calendar SET next_at = now()"); // as no owner does it
  Control other{server()->connection(database())};
  other.query("BEGIN");
  other.query("SELECT name FROM backoff.calendar WHERE name = 'locked' FOR UPDATE");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "name = 'free' AND next_at > now()"), "1");
  EXPECT_EQ(count("calendar", "next_at > now()"), "1");
  other.query("COMMIT");
  std::this_thread::sleep_for(50ms);
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "next_at > now()"), "2");
}

TEST_F(PostgresCalendarTest, an_owner_pauses_while_all_that_is_due_is_locked) {
  add("locked", yearly, "now() - interval '400 days'");
  Control other{server()->connection(database())};
  other.query("BEGIN");
  other.query("SELECT name FROM backoff.calendar FOR UPDATE");
  EXPECT_THAT(take(1), IsEmpty());
  intake->wait(0s); // says that it sleeps
  const auto begin = std::chrono::steady_clock::now();
  auto looks = 0;
  for (; std::chrono::steady_clock::now() - begin < 300ms; ++looks) {
    EXPECT_THAT(take(1), IsEmpty());
    intake->wait(1s);
  }
  EXPECT_LT(looks, 60) << "it waits for 10 ms after each";
}

TEST_F(PostgresCalendarTest, an_entry_that_is_wrong_is_told_once_and_harms_no_other) {
  add("typo", "every(5 parsecs)");
  add("nowhere", "at(02:30, Europe/Berlni)", in_march);
  add("report", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("report@")));
  EXPECT_THAT(
    take_problems(),
    ::testing::UnorderedElementsAre(
      name()
        + ": calendar entry 'typo' does not run: schedule: column 7: expected a span such as "
          "100ms, 1.5s or 2min; found '5'",
      name() + ": calendar entry 'nowhere' does not run: there is no zone 'Europe/Berlni'"));
  EXPECT_EQ(query("SELECT problem FROM backoff.calendar WHERE name = 'nowhere'"),
            "there is no zone 'Europe/Berlni'");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_THAT(store->take_notices(), IsEmpty());

  // Its times since it was changed count.
  query("UPDATE backoff.calendar SET schedule = 'at(02:30, Europe/Berlin)' WHERE name = 'nowhere'");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "name = 'nowhere' AND problem = '' AND next_at > now()"), "1");
}

// The next owner may know the zone.
TEST_F(PostgresCalendarTest, an_entry_that_was_wrong_is_tried_again_by_the_next_owner) {
  auto without = options();
  without.find_zone = [](const std::string&) -> Zone { throw std::runtime_error("no zones here"); };
  take_over(address(), without);
  add("report", nightly, in_march);
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_THAT(store->take_notices(),
              ElementsAre(name() + ": calendar entry 'report' does not run: no zones here"));
  take_over();
  EXPECT_THAT(take_keys(), SizeIs(1));
  EXPECT_EQ(count("calendar", "problem = ''"), "1");
}

// The limit of the rows is the owner's.
TEST_F(PostgresCalendarTest, a_run_that_the_server_refuses_harms_no_other) {
  auto small = with_zones();
  small.max_row = 1000;
  take_over(address(), small);
  add("large", yearly, "now() - interval '400 days'", "run_once", ", context",
      ", repeat('x', 2000)");
  add("report", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), ElementsAre(StartsWith("report@")));
  EXPECT_THAT(take_problems(),
              ElementsAre(StartsWith(name()
                                     + ": calendar entry 'large' does not run: the server refuses "
                                       "a run: ")));
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_THAT(store->take_notices(), IsEmpty());
}

TEST_F(PostgresCalendarTest, an_owner_that_waits_is_woken_by_a_new_entry_and_by_its_time) {
  EXPECT_THAT(take(1), IsEmpty());
  intake->wait(0s); // says that it sleeps
  EXPECT_THAT(take(1), IsEmpty());
  add("tick", "every(1s)");
  EXPECT_LT(test::time_of([&] { intake->wait(2 * test::patience); }), test::patience);
  std::vector<std::string> keys;
  const auto begin = std::chrono::steady_clock::now();
  while (keys.empty()) {
    keys = take_keys(1);
    if (keys.empty())
      intake->wait(2 * test::patience);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::patience);
  EXPECT_THAT(keys.front(), StartsWith("tick@20"));
}

TEST_F(PostgresCalendarTest, times_that_were_missed_and_do_not_run_are_told_after_a_standstill) {
  add("last", "every(1h)", "date_trunc('hour', now(), 'UTC') - interval '3 hours'");
  EXPECT_THAT(take_keys(), SizeIs(1));
  const auto first = query("SELECT to_char(date_trunc('hour', now() AT TIME ZONE 'UTC') - interval "
                           "'2 hours', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
  EXPECT_THAT(store->take_notices(),
              ElementsAre(name()
                          + ": calendar entry 'last': 2 times were missed and will not run, "
                            "the first "
                          + first));

  add("none", "every(1h)", "date_trunc('hour', now(), 'UTC') - interval '150 minutes'", "skip",
      ", grace", ", '1 second'");
  add("a", "every(1h)", "now() - interval '5000 hours'", "skip");
  add("all", "every(1h)", "now() - interval '5 hours'", "run_all");
  add("only", "every(1h)", "date_trunc('hour', now(), 'UTC') - interval '1 second'");
  take();
  EXPECT_THAT(store->take_notices(),
              ElementsAre(::testing::AnyOf(
                AllOf(HasSubstr(": calendar entry 'a': 1000 or more times were missed"),
                      EndsWith("; other entries with such times: 1")),
                AllOf(HasSubstr(": calendar entry 'none': 3 times were missed"),
                      EndsWith("; other entries with such times: 1")))));
}

TEST_F(PostgresCalendarTest, a_hiccup_is_no_standstill) {
  add("often", "every(1s)", "now() - interval '20 seconds'");
  const auto offset = query("SELECT (extract(epoch FROM now())::bigint - 30) % 86400");
  add("lately", "every(24h, offset " + offset + "s)", "now() - interval '1 hour'", "skip",
      ", grace", ", '1 second'");
  EXPECT_THAT(take_keys(), AllOf(Not(IsEmpty()), ::testing::Each(StartsWith("often@"))));
  EXPECT_THAT(store->take_notices(), IsEmpty());
}

TEST_F(PostgresCalendarTest, the_owner_knows_when_the_next_entry_is_due_and_how_many_are_wrong) {
  take(1);
  EXPECT_EQ(intake->calendar(), CalendarOutlook{}) << "there is no entry";
  add("hourly", "every(1h)");
  add("daily", "every(24h)");
  add("wrong", "every(0s)");
  add("paused", "nonsense", "now()", "run_once", ", is_paused", ", true");
  take(3);
  const auto left = Duration{std::chrono::microseconds{std::stoll(
    query("SELECT (extract(epoch FROM min(next_at) - clock_timestamp()) * 1e6)::bigint FROM "
          "backoff.calendar WHERE next_at < 'infinity' AND NOT is_paused"))}};
  const auto outlook = intake->calendar();
  ASSERT_TRUE(outlook && outlook->next_in);
  EXPECT_LT(*outlook->next_in - left, 10s);
  EXPECT_GT(*outlook->next_in - left, -10s);
  EXPECT_EQ(outlook->problems, 1u);
}

TEST_F(PostgresCalendarTest, an_owner_without_zones_runs_nothing) {
  take_over(address(), options());
  add("report", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "next_at = '-infinity'"), "1");
  EXPECT_EQ(intake->calendar(), std::nullopt);
}

TEST_F(PostgresCalendarTest, an_owner_of_tables_without_a_calendar_says_so) {
  query("DROP TABLE backoff.calendar; UPDATE backoff.meta SET version = 2");
  take_over();
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_THAT(store->take_notices(),
              ElementsAre(name()
                          + ": its tables have no calendar, and no entry runs; run backoffctl "
                            "outbox migrate"));
}

// A transaction that is left open keeps all versions of the rows. The owner reads none before its
// last look.
TEST_F(PostgresCalendarTest, an_entry_that_ran_often_is_found_by_the_time_of_the_last_look) {
  add("report", yearly, "now() - interval '400 days'");
  EXPECT_THAT(take_keys(), SizeIs(1));
  query("UPDATE backoff.calendar SET next_at = now()"); // as no owner does it
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "next_at > now()"), "1") << "the owner has looked at it";
  query("UPDATE backoff.calendar SET next_at = now() - interval '1 day'");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_EQ(count("calendar", "next_at < now()"), "1") << "nobody has looked at it";
}

} // namespace backoff_actor::store_test
