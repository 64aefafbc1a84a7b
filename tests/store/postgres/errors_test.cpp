// What a store says when the server, the network or the user is not as it should be. No text holds
// the password.

#include "backoff_actor/testing/proxy/tcp_proxy.hpp"
#include "common/becomes_true.hpp"
#include "common/patience.hpp"
#include "common/process.hpp"
#include "control.hpp"
#include "fixture.hpp"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include <unistd.h>

namespace backoff_actor::store_test {

namespace {

constexpr auto password = "correct-horse";

constexpr auto no_schema =
  ": the database has no schema backoff of this library; run backoffctl outbox migrate "
  "'postgres://user@host:port/database' once, as a user that may make schemas and roles";

} // namespace

class postgres_errors : public PostgresTest {
protected:
  Failure opening(const std::string& connection) const {
    const PostgresAddress where{connection, "orders"};
    const auto found = failure_of([&] { open_postgres_store(where, {.node = "node-a"}); });
    EXPECT_EQ(found.text.find(password), std::string::npos) << found.text;
    return found;
  }

  // A connection of a user with that password.
  std::string as(const std::string& user, const std::string& in_database = {}) const {
    return "host=127.0.0.1 port=" + std::to_string(server()->port()) + " user=" + user
           + " password=" + password
           + " dbname=" + (in_database.empty() ? database() : in_database);
  }

  void expect(const Failure& found, StoreFailure failure, const std::string& text) {
    EXPECT_EQ(to_string(found.failure), to_string(failure));
    EXPECT_EQ(found.text, text);
  }

  // Roles belong to the server, and so to all tests.
  void make_role(const std::string& role, const std::string& options) const {
    query("DROP OWNED BY " + role + " CASCADE", role);
    query("DROP ROLE IF EXISTS " + role + "; CREATE ROLE " + role + " LOGIN " + options);
  }

  // Every insertion raises this error until `calls` of them did.
  void strike(const std::string& state, int calls) const {
    query("CREATE SEQUENCE strikes; GRANT ALL ON SEQUENCE strikes TO PUBLIC; "
          "CREATE FUNCTION strike() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
          "IF nextval('public.strikes') <= "
          + std::to_string(calls) + " THEN RAISE EXCEPTION 'told to fail' USING ERRCODE = '" + state
          + "'; END IF; RETURN NULL; END $$;"
            "CREATE TRIGGER strike AFTER INSERT ON backoff.delivery EXECUTE FUNCTION strike()");
  }

  using PostgresTest::query;
  // Of a role that may not be there.
  void query(const std::string& statements, const std::string& role) const {
    if (query("SELECT count(*) FROM pg_roles WHERE rolname = '" + role + "'") == "1")
      query(statements);
  }
};

TEST_F(postgres_errors, a_server_that_does_not_answer) {
  const example::ReservedPort closed;
  const auto port = std::to_string(closed.number());
  expect(opening("host=127.0.0.1 user=a password=correct-horse dbname=b port=" + port),
         StoreFailure::unreachable,
         "postgres://127.0.0.1:" + port + "/b#orders: cannot connect: Connection refused");
}

TEST_F(postgres_errors, a_server_that_says_nothing_is_given_up_after_the_limit) {
  const testing::TcpProxy silent{"127.0.0.1", static_cast<std::uint16_t>(server()->port()),
                                 testing::ConnectionPlan{"drop..."}};
  const auto port = std::to_string(silent.port());
  const auto begin = std::chrono::steady_clock::now();
  const auto found = failure_of([&] {
    open_postgres_store({"host=127.0.0.1 user=a dbname=b port=" + port, "orders"},
                        {.connect_timeout = std::chrono::seconds{1}});
  });
  expect(found, StoreFailure::unreachable,
         "postgres://127.0.0.1:" + port + "/b#orders: cannot connect: no answer within 1s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, test::patience);
}

TEST_F(postgres_errors, of_several_hosts_the_first_that_answers_is_used) {
  const example::ReservedPort closed;
  const auto ports = std::to_string(closed.number()) + "," + std::to_string(server()->port());
  const auto store = open_postgres_store(
    {"host=127.0.0.1,127.0.0.1 port=" + ports + " user=postgres dbname=" + database(), "orders"});
  EXPECT_EQ(store->name(), "postgres://127.0.0.1:" + std::to_string(closed.number()) + ",127.0.0.1:"
                             + std::to_string(server()->port()) + "/" + database() + "#orders");
  commit(*store, {change::Insert{delivery(1)}});
}

TEST_F(postgres_errors, of_several_hosts_an_owner_passes_those_that_are_read_only) {
  example::PrivatePostgres other;
  other.query("CREATE DATABASE " + database());
  migrate_postgres(other.connection(database()));
  other.query("ALTER DATABASE " + database() + " SET default_transaction_read_only = on");
  const auto ports = std::to_string(other.port()) + "," + std::to_string(server()->port());
  const auto store = open_postgres_store(
    {"host=127.0.0.1,127.0.0.1 port=" + ports + " user=postgres dbname=" + database(), "orders"});
  commit(*store, {change::Insert{delivery(1)}});
  EXPECT_EQ(query("SELECT id FROM backoff.delivery"), "1");
}

TEST_F(postgres_errors, a_wrong_password) {
  make_role("locked", "PASSWORD 'another'");
  expect(opening(as("locked")), StoreFailure::refused,
         name() + ": the server refused the password");
  expect(opening("host=127.0.0.1 port=" + std::to_string(server()->port())
                 + " user=locked dbname=" + database() + " passfile=/nonexistent"),
         StoreFailure::refused, name() + ": the server wants a password, and there is none");
}

TEST_F(postgres_errors, an_unknown_user) {
  expect(opening(as("nobody_at_all")), StoreFailure::refused,
         name()
           + ": the server refused the user; see pg_hba.conf, and whether the role may log in");
}

TEST_F(postgres_errors, an_unknown_database) {
  expect(opening(as("postgres", "nowhere")), StoreFailure::cannot_open,
         "postgres://127.0.0.1:" + std::to_string(server()->port())
           + "/nowhere#orders: the server has no such database");
}

TEST_F(postgres_errors, too_many_connections) {
  make_role("crowd", "CONNECTION LIMIT 0");
  expect(opening(as("crowd")), StoreFailure::unreachable,
         name() + ": the server has too many connections already");
}

TEST_F(postgres_errors, a_user_without_the_right) {
  make_role("stranger", "");
  expect(opening(as("stranger")), StoreFailure::refused,
         name()
           + ": the user may not do that; grant it the role backoff_worker (permission denied for "
             "schema backoff)");
  make_role("reader", "IN ROLE backoff_reader");
  expect(opening(as("reader")), StoreFailure::refused,
         name()
           + ": the user may not do that; grant it the role backoff_worker (permission denied for "
             "table outbox)");
}

TEST_F(postgres_errors, a_worker_needs_its_role_alone) {
  make_role("worker", "IN ROLE backoff_worker");
  const PostgresAddress where{as("worker"), "orders"};
  const auto store = open_postgres_store(where, options());
  store->set_message_format("caf 1");
  commit(*store, {change::Insert{delivery(1)}, change::Insert{delivery(2)},
                  change::Insert{delivery(3)}, bury(3)});
  commit(*store,
         {change::Acknowledge{1, {1}}, change::CountAttempts{2, 3}, change::ForgetKeys{{2}}});
  const std::vector<std::uint64_t> dead{3};
  EXPECT_EQ(store->resubmit_dead_letters(dead), 1U);
  EXPECT_EQ(contents_of(*open_postgres_store_to_read(where)), contents_of(*store));
  EXPECT_EQ(postgres_outboxes(where.connection).size(), 1U);
  EXPECT_EQ(postgres_store(where, options("node-b"))->own(std::chrono::milliseconds{10}), nullptr);
}

TEST_F(postgres_errors, no_schema) {
  const auto empty = fresh_database("template1");
  const auto where = "postgres://127.0.0.1:" + std::to_string(server()->port()) + "/" + empty;
  expect(opening(server()->connection(empty)), StoreFailure::cannot_open,
         where + "#orders" + no_schema);
  expect(failure_of([&] { postgres_outboxes(server()->connection(empty)); }),
         StoreFailure::cannot_open, where + no_schema);
  EXPECT_EQ(server()->query("SELECT count(*) FROM pg_namespace WHERE nspname = 'backoff'", empty),
            "0\n")
    << "nobody has migrated it unasked";
}

TEST_F(postgres_errors, a_schema_of_another_program) {
  const auto other = fresh_database("template1");
  server()->query("CREATE SCHEMA backoff", other);
  expect(opening(server()->connection(other)), StoreFailure::foreign,
         "postgres://127.0.0.1:" + std::to_string(server()->port()) + "/" + other
           + "#orders: the database has a schema backoff that is not this library's");
}

TEST_F(postgres_errors, a_newer_schema) {
  query("UPDATE backoff.meta SET version = 9");
  expect(opening(address().connection), StoreFailure::newer,
         name()
           + ": its schema has version 9, and this library knows versions up to 3; use a newer "
             "version of this library");
}

TEST_F(postgres_errors, no_such_outbox_to_read) {
  expect(failure_of([&] { open_postgres_store_to_read(address()); }), StoreFailure::cannot_open,
         name()
           + ": the database has no such outbox; its first owner makes it, or "
             "backoffctl outbox create");
}

TEST_F(postgres_errors, a_server_that_is_read_only) {
  query("ALTER DATABASE " + database() + " SET default_transaction_read_only = on");
  expect(opening(address().connection), StoreFailure::read_only,
         name() + ": the server is read-only, as a replica is; connect to the primary");
}

TEST_F(postgres_errors, a_server_that_becomes_read_only_is_left) {
  const auto store = open();
  strike("25006", 1);
  expect(failure_of([&] { commit(*store, {change::Insert{delivery(1)}}); }),
         StoreFailure::read_only,
         name() + ": the server is read-only, as a replica is; connect to the primary");
  commit(*store, {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

TEST_F(postgres_errors, a_full_disk_changes_nothing_and_the_next_commit_may_succeed) {
  const auto store = open();
  strike("53100", 2);
  for (auto i = 0; i < 2; ++i)
    expect(failure_of([&] { commit(*store, {change::Insert{delivery(1)}}); }), StoreFailure::full,
           name() + ": the disk of the server is full");
  EXPECT_EQ(contents_of(*store), Contents{});
  EXPECT_EQ(store->last_id(), 0U);
  commit(*store, {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(*store).last_id, 1U);
}

TEST_F(postgres_errors, what_other_sessions_were_in_the_way_of_is_made_at_once) {
  const auto store = open();
  strike("40001", 2);
  commit(*store, {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
  EXPECT_EQ(query("SELECT last_value FROM strikes"), "3");
}

TEST_F(postgres_errors, an_error_that_nobody_expects_is_told_with_its_number) {
  const auto store = open();
  strike("XX001", 1);
  expect(failure_of([&] { commit(*store, {change::Insert{delivery(1)}}); }),
         StoreFailure::input_output, name() + ": the server failed: told to fail (SQLSTATE XX001)");
}

TEST_F(postgres_errors, a_user_whose_right_is_taken_away_changes_nothing) {
  make_role("worker", "IN ROLE backoff_worker");
  const auto store = open_postgres_store({as("worker"), "orders"}, options());
  query("REVOKE backoff_worker FROM worker");
  expect(failure_of([&] { commit(*store, {change::Insert{delivery(1)}}); }), StoreFailure::refused,
         name()
           + ": the user may not do that; grant it the role backoff_worker (permission denied for "
             "function fence)");
  query("GRANT backoff_worker TO worker");
  commit(*store, {change::Insert{delivery(1)}});
}

TEST_F(postgres_errors, as_long_as_an_owner_cannot_connect_nobody_knows_who_owns_the_outbox) {
  make_role("worker", "IN ROLE backoff_worker");
  const auto store = open_postgres_store({as("worker"), "orders"}, options());
  query("ALTER ROLE worker CONNECTION LIMIT 0; "
        "SELECT pg_terminate_backend(owner_pid) FROM backoff.shard");
  expect(failure_of([&] { store->renew(); }), StoreFailure::unreachable,
         name() + ": the server has too many connections already");
  query("ALTER ROLE worker CONNECTION LIMIT -1");
  store->renew();
}

TEST_F(postgres_errors, a_text_of_libpq_that_holds_the_password_is_not_shown) {
  const auto port = std::to_string(server()->port());
  const auto where = "host=127.0.0.1 user=a dbname=b port=" + port;
  const auto begin = "postgres://127.0.0.1:" + port + "/b#orders: cannot connect: ";
  expect(opening(where + " password=correct-horse sslmode=correct-horse"),
         StoreFailure::unreachable, begin + "libpq says why, but its text holds the password");
  expect(opening(where + " password=correct-horse sslmode=battery"), StoreFailure::unreachable,
         begin + "invalid sslmode value: \"battery\"");
}

TEST_F(postgres_errors, settings_that_lose_commits_are_told) {
  query("ALTER DATABASE " + database() + " SET synchronous_commit = off");
  const auto store = open();
  EXPECT_THAT(
    store->take_notices(),
    ::testing::ElementsAre(
      name() + ": the database has synchronous_commit = off; the owner's session sets it to on"));
  EXPECT_THAT(store->take_notices(), ::testing::IsEmpty());
}

TEST_F(postgres_errors, a_database_that_does_not_wait_for_its_log_waits_for_that_of_an_owner) {
  query("ALTER DATABASE " + database() + " SET synchronous_commit = off");
  query("CREATE TABLE setting(value text); GRANT ALL ON setting TO PUBLIC; "
        "CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "INSERT INTO public.setting VALUES(current_setting('synchronous_commit')); "
        "RETURN NULL; END $$;"
        "CREATE TRIGGER look AFTER INSERT ON backoff.delivery EXECUTE FUNCTION look()");
  commit(*open(), {change::Insert{delivery(1)}});
  EXPECT_EQ(query("SELECT value FROM setting"), "on");
}

TEST_F(postgres_errors, a_pooler_between_is_refused) {
  const std::string program = "/usr/sbin/pgbouncer";
  if (access(program.c_str(), X_OK) != 0)
    GTEST_SKIP() << "pgbouncer is not installed";
  const example::ReservedPort port;
  const auto file = server()->folder() / "pgbouncer.ini";
  std::ofstream{file} << "[databases]\n* = host=127.0.0.1 port=" << server()->port()
                      << " user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = "
                      << port.number()
                      << "\nauth_type = any\npool_mode = transaction\nunix_socket_dir =\n";
  std::filesystem::permissions(file, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  std::vector<std::string> command{program, "-q"};
  if (geteuid() == 0)
    command.insert(command.end(), {"-u", "postgres"});
  command.push_back(file.string());
  const example::Process pooler{command, {}};
  const auto connection =
    "host=127.0.0.1 port=" + std::to_string(port.number()) + " user=postgres dbname=" + database();
  auto found = opening(connection);
  test::becomes_true([&] { // the pooler is there
    found = opening(connection);
    return found.failure != StoreFailure::unreachable;
  });
  expect(found, StoreFailure::cannot_open,
         "postgres://127.0.0.1:" + std::to_string(port.number()) + "/" + database()
           + "#orders: what answers is not PostgreSQL itself; connect directly to PostgreSQL, and "
             "not through a pooler such as PgBouncer");
}

// -- arguments, without a server -----------------------------------------------------------------

TEST(postgres_arguments, every_problem_is_named_and_no_secret) {
  try {
    postgres_store({"host=db password='correct-horse", "Orders!"},
                   {.lease = std::chrono::milliseconds{10},
                    .connect_timeout = std::chrono::milliseconds{1500},
                    .node = std::string(200, 'x'),
                    .max_row = 999});
    FAIL() << "there was no error";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(
      error.what(),
      "PostgresAddress: connection: got a text that libpq cannot read, allowed libpq's key=value "
      "pairs, or a URL postgres://user@host:port/database\n"
      "PostgresAddress: outbox: got 7 characters, allowed 1 to 64 characters of a-z, 0-9, _, . and "
      "-\n"
      "PostgresAddress: options.lease: got 10ms, allowed 1s..5min\n"
      "PostgresAddress: options.connect_timeout: got 1.5s, allowed 1s..1min, in whole seconds\n"
      "PostgresAddress: options.node: got 200 characters, allowed up to 128 printable characters\n"
      "PostgresAddress: options.max_row: got 999, allowed 1000..1000000000");
  }
}

TEST(postgres_arguments, a_url_is_taken_apart_at_its_last_hash) {
  EXPECT_EQ(parse_postgres_address("postgres://a:b%40c@db:5433/shop?sslmode=require#orders.eu"),
            (PostgresAddress{"postgres://a:b%40c@db:5433/shop?sslmode=require", "orders.eu"}));
  EXPECT_EQ(parse_postgres_address("postgresql:///shop#o"),
            (PostgresAddress{"postgresql:///shop", "o"}));
  for (const auto* const bad :
       {"", "http://db/shop#orders", "postgres://correct-horse@db/shop",
        "postgres://u:correct-horse@db/shop#Or ders", "postgres://u:correct@horse@db/shop#orders",
        "postgres://u:x@db:correct-horse/shop#orders"}) {
    try {
      parse_postgres_address(bad);
      ADD_FAILURE() << bad;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(std::string{error.what()}.find("horse"), std::string::npos) << error.what();
    }
  }
}

// The server waits for a replica that is not there. Then somebody cancels the wait: the server says
// that the commit was made, and warns that it may be on no replica.
TEST_F(postgres_errors, a_commit_whose_wait_for_a_replica_is_cancelled_waits_again) {
  const auto store = open();
  Control control{server()->connection(database())};
  const auto standbys = [&](const std::string& names) {
    control.query("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    control.query("SELECT pg_reload_conf()");
    control.await("SHOW synchronous_standby_names", names);
  };
  const std::string waiting = " FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND "
                              "application_name = 'backoff_actor node-a'";
  const auto again = waiting + " AND query LIKE '%lease_ms = lease_ms%'";
  standbys("nobody");
  auto commits =
    std::async(std::launch::async, [&] { commit(*store, {change::Insert{delivery(1)}}); });
  control.await("SELECT count(*)" + waiting, "1");
  control.query("SELECT pg_cancel_backend(pid)" + waiting);
  control.await("SELECT count(*)" + again, "1");
  control.query("SELECT pg_cancel_backend(pid)" + again);
  EXPECT_EQ(commits.wait_for(std::chrono::milliseconds{200}), std::future_status::timeout);
  standbys("");
  commits.get();
  EXPECT_THAT(store->take_notices(),
              ::testing::ElementsAre(name()
                                     + ": somebody has cancelled a commit that waited for a "
                                       "replica; it was made, and is on the replica now"));
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

} // namespace backoff_actor::store_test
