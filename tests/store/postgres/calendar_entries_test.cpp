// The entries of a calendar: who makes, changes, pauses, lists and removes them.

#include "store/postgres/calendar_fixture.hpp"

#include "common/patience.hpp"

#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace backoff_actor::store_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

namespace {

class PostgresCalendarEntries : public PostgresCalendarTest {
protected:
  PostgresCalendar calendar() const { return PostgresCalendar{address()}; }

  static CalendarEntry entry(const Schedule& schedule = every(1h)) {
    return {.name = "report", .schedule = schedule, .missed = Missed::skip, .grace = 90s};
  }

  static IncomingMessage message() {
    IncomingMessage result;
    result.type = "report.v1";
    result.payload = {std::byte{0}, std::byte{255}};
    return result;
  }

  // As if the entry were so many days old.
  void age(const std::string& days) const {
    query("UPDATE backoff.calendar SET decided_until = now() - interval '" + days
          + " days', next_at = '-infinity'");
  }
};

} // namespace

TEST_F(PostgresCalendarEntries, are_made_changed_and_left_alone) {
  EXPECT_EQ(calendar().put(entry(), message()), CalendarChange::added);
  EXPECT_EQ(calendar().put(entry(), message()), CalendarChange::unchanged);
  auto other = message();
  other.key = "k";
  other.time_to_live = 5min;
  other.context = "a: b";
  EXPECT_EQ(calendar().put(entry(), other), CalendarChange::changed);
  EXPECT_EQ(calendar().put(entry(), other), CalendarChange::unchanged);
  EXPECT_EQ(
    query("SELECT outbox, name, schedule, missed, grace, is_paused, type, payload, key, "
          "time_to_live, context FROM backoff.calendar"),
    "orders|report|every(1h, offset 0ns)|skip|00:01:30|f|report.v1|\\x00ff|k|00:05:00|a: b");
}

TEST_F(PostgresCalendarEntries, make_the_outbox_if_it_is_not_there) {
  const PostgresCalendar other{{address().connection, "other"}};
  EXPECT_EQ(other.put(entry(), message()), CalendarChange::added);
  EXPECT_EQ(query("SELECT outbox FROM backoff.calendar"), "other");
  EXPECT_EQ(failure_of([&] {
              PostgresCalendar{{address().connection, "third"}}.pause("report");
            }).failure,
            StoreFailure::cannot_open);
  EXPECT_EQ(count("outbox", "name = 'third'"), "0");
}

TEST_F(PostgresCalendarEntries, that_are_wrong_are_refused_with_all_problems) {
  auto wrong = entry();
  wrong.name = "a\nb";
  wrong.grace = 0s;
  IncomingMessage no_message;
  no_message.idempotency_key = "once";
  no_message.time_to_live = 0s;
  try {
    calendar().put(wrong, no_message);
    ADD_FAILURE();
  } catch (const InvalidArgument& error) {
    std::string fields;
    for (const auto& problem : error.problems().list())
      fields += problem.field + " ";
    EXPECT_EQ(fields, "name grace message.type message.idempotency_key message.time_to_live ");
  }
  EXPECT_EQ(count("calendar"), "0");
  EXPECT_THROW(PostgresCalendar({address().connection, "NO"}), InvalidArgument);
}

TEST_F(PostgresCalendarEntries, are_listed_with_their_next_time) {
  calendar().put(entry(at("02:30", calendar_test::berlin())), message());
  EXPECT_EQ(calendar().list().at(0).next, std::nullopt) << "no owner has looked at it";
  take();
  add("wrong", "never");
  take();
  const auto list = calendar().list();
  ASSERT_THAT(list, SizeIs(2));
  EXPECT_EQ(list[0].name, "report");
  EXPECT_EQ(list[0].schedule, "at(02:30, Europe/Berlin, gap run_after, twice first)");
  EXPECT_EQ(list[0].missed, Missed::skip);
  EXPECT_EQ(list[0].grace, 90s);
  EXPECT_FALSE(list[0].is_paused);
  EXPECT_EQ(list[0].type, "report.v1");
  EXPECT_EQ(list[0].problem, "");
  ASSERT_TRUE(list[0].next);
  EXPECT_EQ(list[0].next, at("02:30", calendar_test::berlin()).next_after(list[0].decided_until));
  EXPECT_EQ(list[1].name, "wrong");
  EXPECT_EQ(list[1].next, std::nullopt);
  EXPECT_NE(list[1].problem, "");
}

TEST_F(PostgresCalendarEntries, that_are_paused_do_not_run_and_miss_nothing) {
  calendar().put({.name = "report", .schedule = every(1h), .missed = Missed::run_all}, message());
  EXPECT_TRUE(calendar().pause("report"));
  age("3");
  EXPECT_THAT(take_keys(), IsEmpty());
  EXPECT_TRUE(calendar().list().at(0).is_paused);
  EXPECT_TRUE(calendar().resume("report"));
  EXPECT_THAT(take_keys(), IsEmpty()) << "what has passed meanwhile does not count";
  EXPECT_EQ(count("calendar", "next_at > now() AND next_at <= now() + interval '1 hour'"), "1");
  EXPECT_TRUE(calendar().resume("report"));
  age("1");
  EXPECT_THAT(take_keys(), SizeIs(24)) << "one that was not paused missed them";
  EXPECT_FALSE(calendar().pause("another"));
  EXPECT_FALSE(calendar().resume("another"));
}

TEST_F(PostgresCalendarEntries, that_are_paused_stay_so_when_they_are_changed) {
  calendar().put(entry(), message());
  calendar().pause("report");
  EXPECT_EQ(calendar().put(entry(every(2h)), message()), CalendarChange::changed);
  EXPECT_TRUE(calendar().list().at(0).is_paused);
}

TEST_F(PostgresCalendarEntries, with_another_schedule_are_due_by_it_from_now_on) {
  calendar().put({.name = "report", .schedule = every(24h), .missed = Missed::run_all}, message());
  take();
  age("3");
  calendar().put({.name = "report", .schedule = every(1h), .missed = Missed::run_all}, message());
  EXPECT_THAT(take_keys(), IsEmpty());
  age("3");
  auto other = message();
  other.key = "k";
  calendar().put({.name = "report", .schedule = every(1h), .missed = Missed::run_all}, other);
  EXPECT_THAT(take_keys(), SizeIs(72)) << "the same schedule has missed them";
}

TEST_F(PostgresCalendarEntries, run_now_with_a_key_of_their_own) {
  calendar().put(entry(), message());
  take();
  const auto before = query("SELECT decided_until FROM backoff.calendar");
  const auto first = calendar().run_now("report");
  calendar().pause("report");
  const auto second = calendar().run_now("report");
  ASSERT_TRUE(first && second);
  EXPECT_THAT(*first, MatchesRegex("report@20..-..-..T..:..:..\\.......Z"));
  EXPECT_NE(*first, *second);
  EXPECT_THAT(take_keys(), ElementsAre(*first, *second));
  EXPECT_EQ(query("SELECT payload FROM backoff.incoming LIMIT 1"), "\\x00ff");
  EXPECT_EQ(query("SELECT decided_until FROM backoff.calendar"), before);
  EXPECT_EQ(calendar().run_now("another"), std::nullopt);
}

TEST_F(PostgresCalendarEntries, that_are_removed_do_not_run) {
  calendar().put(entry(), message());
  EXPECT_TRUE(calendar().remove("report"));
  EXPECT_FALSE(calendar().remove("report"));
  EXPECT_THAT(calendar().list(), IsEmpty());
}

TEST_F(PostgresCalendarEntries, are_for_workers_to_change_and_for_readers_to_see_without_payload) {
  calendar().put(entry(), message());
  query("DROP ROLE IF EXISTS calendar_looker; "
        "CREATE ROLE calendar_looker LOGIN IN ROLE backoff_reader");
  const auto as = [this](const std::string& role, const std::string& statement) {
    return query("SET ROLE " + role + "; " + statement);
  };
  EXPECT_EQ(as("calendar_looker", "SELECT name, is_paused FROM backoff.calendar"), "report|f");
  EXPECT_THROW(as("calendar_looker", "SELECT payload FROM backoff.calendar"), std::runtime_error);
  EXPECT_THROW(as("calendar_looker", "DELETE FROM backoff.calendar"), std::runtime_error);
  EXPECT_THROW(as("backoff_producer", "SELECT name FROM backoff.calendar"), std::runtime_error);
  EXPECT_EQ(as("backoff_worker", "UPDATE backoff.calendar SET is_paused = true RETURNING name"),
            "report");
  auto where = address();
  where.connection += " user=calendar_looker";
  EXPECT_THAT(PostgresCalendar{where}.list(), SizeIs(1));
  query("DROP OWNED BY calendar_looker; DROP ROLE calendar_looker");
}

TEST_F(PostgresCalendarEntries, are_written_by_the_statement_of_the_example) {
  std::ostringstream statement;
  statement << std::ifstream{REPORT_SQL}.rdbuf();
  for (auto i = 0; i < 2; ++i)
    query("SET ROLE backoff_worker; " + statement.str());
  take();
  const auto list = calendar().list();
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].name, "report");
  EXPECT_EQ(list[0].problem, "");
  EXPECT_TRUE(list[0].next);
}

TEST_F(PostgresCalendarEntries, of_nonsense_are_refused_by_the_server) {
  EXPECT_THROW(add("", "every(1h)"), std::runtime_error);
  EXPECT_THROW(add("a", "every(1h)", "now()", "sometimes"), std::runtime_error);
  EXPECT_THROW(add("a", "every(1h)", "'infinity'"), std::runtime_error);
  EXPECT_THROW(add("a", "every(1h)", "now()", "skip", ", grace", ", '0 s'"), std::runtime_error);
  EXPECT_THROW(query("INSERT INTO backoff.calendar(outbox, name, schedule, type, payload) "
                     "VALUES('nowhere', 'a', 'every(1h)', 't', 'x')"),
               std::runtime_error);
  EXPECT_EQ(count("calendar"), "0");
}

} // namespace backoff_actor::store_test
