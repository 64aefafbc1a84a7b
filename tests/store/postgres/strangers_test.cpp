// What others may do in the same database: what they make there never runs with the rights of this
// library's users.

#include "store/postgres/control.hpp"
#include "store/postgres/fixture.hpp"

#include <backoff_actor/store/postgres/calendar/postgres_calendar.hpp>
#include <backoff_actor/store/postgres/internal/postgres_messages.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::store_test {

namespace {

/// A function that fits the arguments better than the server's own, and an operator that does.
struct Planted {
  std::string_view name;
  std::string_view arguments;
  std::string_view result;
  std::string_view value;
};

constexpr std::array planted_functions{
  Planted{"concat", "text, int, text, int", "text", "''"},
  Planted{"concat_ws", "text, text, text", "text", "''"},
  Planted{"format", "text, text", "text", "'SELECT'"},
  Planted{"to_timestamp", "numeric", "timestamptz", "pg_catalog.now()"},
  Planted{"unnest", "bigint[]", "SETOF bigint", "1::bigint"},
  Planted{"unnest", "text[]", "SETOF text", "''"},
  Planted{"unnest", "bytea[]", "SETOF bytea", "''::bytea"},
};

constexpr std::array planted_operators{
  Planted{"/", "bigint, numeric", "numeric", "0::numeric"},
  Planted{"*", "numeric, int", "numeric", "0::numeric"},
  Planted{"*", "bigint, interval", "interval", "'0'::interval"},
};

std::string body_of(const Planted& x, std::string_view what) {
  const auto is_set = x.result.starts_with("SETOF");
  std::string body = "BEGIN INSERT INTO public.ran VALUES('";
  body.append(what).append(x.name).append(1, '(').append(x.arguments).append(")'); RETURN ");
  if (is_set)
    body.append("NEXT ").append(x.value).append("; RETURN");
  else
    body.append(x.value);
  return body + "; END";
}

std::string function(std::string_view name, const Planted& x, std::string_view what) {
  std::string result = "CREATE FUNCTION public.";
  result.append(name).append(1, '(').append(x.arguments).append(") RETURNS ").append(x.result);
  return result + " LANGUAGE plpgsql SECURITY DEFINER AS $$ " + body_of(x, what) + " $$;\n";
}

/// Plants them all. What cannot be planted, cannot run either.
std::string plants() {
  std::string result = "CREATE TABLE public.ran(what text); GRANT ALL ON public.ran TO PUBLIC;\n";
  const auto attempt = [&](const std::string& statements) {
    result += "DO $plant$ BEGIN " + statements + " EXCEPTION WHEN OTHERS THEN NULL; END $plant$;\n";
  };
  for (const auto& x : planted_functions)
    attempt(function(x.name, x, ""));
  auto number = 0;
  for (const auto& x : planted_operators) {
    const auto name = "planted_" + std::to_string(++number);
    const std::string both{x.arguments};
    const auto comma = both.find(", ");
    attempt(function(name, x, "operator ") + "CREATE OPERATOR public." + std::string{x.name}
            + " (LEFTARG = " + both.substr(0, comma) + ", RIGHTARG = " + both.substr(comma + 2)
            + ", FUNCTION = public." + name + ");");
  }
  return result;
}

} // namespace

class PostgresStrangers : public ::testing::Test {
protected:
  void SetUp() override {
    BACKOFF_ACTOR_NEEDS_POSTGRES();
    database_ = fresh_database("template1");
    query(plants());
  }

  std::string query(const std::string& statements) const {
    auto result = server()->query(statements, database_);
    if (result.ends_with('\n'))
      result.pop_back();
    return result;
  }

  PostgresAddress address() const { return {connection(), "orders"}; }
  std::string connection() const { return server()->connection(database_); }

  std::string ran() const {
    return query("SELECT coalesce(string_agg(DISTINCT what, ' ' ORDER BY what), '') FROM ran");
  }

  /// Everything that this library does with a database.
  void use() const {
    create_postgres_outbox(address());
    postgres_outboxes(connection());
    {
      const auto shared = postgres_store(
        address(), {.node = "node-a", .find_zone = [](const std::string&) { return Zone{}; }});
      const auto store = shared->own(test::patience);
      ASSERT_TRUE(store);
      shared->owner();
      auto keyed = delivery(1);
      keyed.idempotency_key = "once";
      commit(*store,
             {change::Insert{keyed}, change::Insert{delivery(2)}, change::CountAttempts{2, 1}});
      commit(*store, {bury(2), change::Acknowledge{1, {5}}});
      store->count_dead_letters();
      contents_of(*store);
      store->resubmit_dead_letters(std::vector<std::uint64_t>{2});
      shared->open_writer()->write(std::vector<IncomingMessage>{IncomingMessage{.type = "t"}}, "");
      const auto intake = store->open_intake();
      EXPECT_EQ(intake->take(10, {}).size(), 1u);
      intake->wait(Duration::zero());
      const PostgresCalendar calendar{address()};
      calendar.put({.name = "report", .schedule = at("02:30")}, IncomingMessage{.type = "t"});
      query("UPDATE backoff.calendar SET is_paused = true, key = 'k'; "
            "UPDATE backoff.calendar SET is_paused = false, decided_until = now() - interval '9 "
            "days'");
      intake->take(10, {1}); // sees that an entry is due
      EXPECT_EQ(intake->take(10, {1}).size(), 1u);
      EXPECT_TRUE(calendar.run_now("report"));
      EXPECT_EQ(calendar.list().size(), 1u);
      postgres_outboxes(connection());
      const auto other = postgres_store(address(), {.node = "node-b"});
      EXPECT_EQ(other->own(Duration::zero()), nullptr);
    }
    contents_of(*open_postgres_store_to_read(address()));
    find_postgres_messages(connection(), "orders", "customer");
    for (const auto* const view : {"outbox_state", "owed", "dead", "message"})
      query(std::string{"SELECT * FROM backoff."} + view);
    migrate_postgres(connection());
  }

private:
  std::string database_{};
};

TEST_F(PostgresStrangers, functions_that_others_have_made_fit_better_where_nobody_takes_care) {
  query("SELECT 1::bigint / 1e9, concat_ws(': ', 'a'::text, 'b'::text)");
  EXPECT_EQ(ran(), "concat_ws(text, text, text) operator /(bigint, numeric)");
}

TEST_F(PostgresStrangers, nothing_that_others_have_made_runs_when_the_database_is_used) {
  EXPECT_EQ(migrate_postgres(connection()), 0);
  EXPECT_EQ(ran(), "");
  use();
  EXPECT_EQ(ran(), "");
}

TEST_F(PostgresStrangers, nor_after_a_migration_by_hand) {
  query(postgres_migration());
  EXPECT_EQ(ran(), "");
  use();
  EXPECT_EQ(ran(), "");
}

class PostgresStrangersLock : public PostgresTest {};

TEST_F(PostgresStrangersLock, that_keeps_owners_from_an_outbox_is_named) {
  open();
  query("DROP ROLE IF EXISTS nosy; CREATE ROLE nosy LOGIN");
  auto as_nosy = server()->connection(database());
  const std::string user = "user=postgres";
  as_nosy.replace(as_nosy.find(user), user.size(), "user=nosy");
  const auto waits = postgres_store(address(), options("node-b"));
  std::string holder;
  {
    Control stranger{as_nosy};
    // The numbers can be computed; here they are seen.
    std::string lock;
    {
      const auto store = open();
      lock = query("SELECT classid::int8::bit(32)::int4 || ', ' || objid FROM pg_locks WHERE "
                   "locktype = 'advisory' AND objsubid = 2 AND database = (SELECT oid FROM "
                   "pg_database WHERE datname = current_database())");
      EXPECT_EQ(waits->owner()->held_by, "");
    }
    stranger.query("SELECT pg_advisory_lock(" + lock + ")");
    holder = "process " + stranger.query("SELECT pg_backend_pid()") + " of user nosy";
    EXPECT_EQ(waits->own(Duration::zero()), nullptr);
    ASSERT_TRUE(waits->owner());
    EXPECT_EQ(waits->owner()->held_by, holder);
    EXPECT_FALSE(waits->owner()->is_alive);
    EXPECT_EQ(postgres_outboxes(server()->connection(database())).at(0).owner.held_by, holder);
    EXPECT_EQ(failure_of([&] { open_postgres_store(address(), options("node-c")); }).text,
              name() + ": " + holder + " holds its lock; end that process first");
  }
  EXPECT_TRUE(waits->own(test::patience));
  EXPECT_EQ(waits->owner()->held_by, "");
  query("DROP ROLE nosy");
}

} // namespace backoff_actor::store_test
