// Programs hand work over in transactions of their own, and an owner does it: real threads and a
// real server.

#include "common/becomes_true.hpp"
#include "common/private_postgres.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

namespace {

// What the children have done, in order.
struct Done {
  std::mutex mutex;
  std::vector<std::string> orders;
  std::vector<std::chrono::steady_clock::time_point> at;

  std::size_t count() {
    const std::lock_guard lock{mutex};
    return orders.size();
  }
};

class HandedOver : public ::testing::Test {
protected:
  void SetUp() override {
    if (!example::PrivatePostgres::is_installed())
      GTEST_SKIP() << "PostgreSQL is not installed";
    server.emplace();
    migrate_postgres(server->connection());
    sql("CREATE TABLE orders(name text PRIMARY KEY); GRANT INSERT ON orders TO backoff_producer; "
        "CREATE ROLE shop LOGIN IN ROLE backoff_producer");
    init(config);
    system = std::make_unique<caf::actor_system>(config);
    SharedOutbox outbox;
    outbox.store = postgres_store({server->connection(), "orders"}, {.node = "node-a"});
    outbox.foreign("order.v1", [](std::span<const std::byte> bytes) {
      return caf::make_message(
        std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    });
    SenderOptions options;
    options.ordering = Ordering::per_key;
    options.max_in_flight = 8;
    auto& results = done;
    sender = spawn_owned_sender(
      *system,
      [&results](caf::event_based_actor* self) {
        return self->spawn([&results]() -> caf::behavior {
          return {[&results](const std::string& order) {
            const std::lock_guard lock{results.mutex};
            results.orders.push_back(order);
            results.at.push_back(std::chrono::steady_clock::now());
            return true;
          }};
        });
      },
      options, outbox);
    wait_for([&] { return sql("SELECT count(*) FROM backoff.outbox WHERE is_asleep") == "1"; });
  }

  void TearDown() override {
    if (!server)
      return;
    {
      caf::scoped_actor self{*system};
      self->request(sender, 1min, Stop{}).receive([](const SenderStatus&) {}, [](caf::error&) {});
    }
    sender = nullptr;
    system = nullptr;
    server.reset();
  }

  std::string sql(const std::string& statements) {
    auto result = server->query(statements);
    while (result.ends_with('\n'))
      result.pop_back();
    return result;
  }

  template <class Condition>
  void wait_for(const Condition& condition) {
    EXPECT_TRUE(test::becomes_true(condition));
  }

  // Each transaction inserts an order into a table of the producer's own and hands it over. One in
  // ten rolls back.
  static std::string producer(const std::string& name, int transactions) {
    std::ostringstream out;
    out << "DO $$ DECLARE order_name text; BEGIN PERFORM set_config('role', 'shop', false); FOR i "
           "IN 1.."
        << transactions << " LOOP order_name := '" << name
        << "-' || i; INSERT INTO orders VALUES(order_name); "
        << "INSERT INTO backoff.incoming(outbox, key, type, payload) VALUES('orders', '" << name
        << "', 'order.v1', convert_to(order_name, 'UTF8')); IF i % 10 = 3 THEN ROLLBACK; ELSE "
           "COMMIT; END IF; END LOOP; END $$";
    return out.str();
  }

  std::vector<std::string> committed() {
    std::istringstream lines{sql("SELECT name FROM orders ORDER BY name COLLATE \"C\"")};
    std::vector<std::string> result;
    for (std::string line; std::getline(lines, line);)
      result.push_back(line);
    std::sort(result.begin(), result.end());
    return result;
  }

  bool is_all_done() {
    return sql("SELECT (SELECT count(*) FROM backoff.incoming) + (SELECT count(*) FROM "
               "backoff.delivery)")
           == "0";
  }

  // By producer, as each inserted them.
  void expect_order_per_key(const std::vector<std::string>& orders) {
    std::map<std::string, int> last;
    for (const auto& order : orders) {
      const auto dash = order.find('-');
      const auto number = std::stoi(order.substr(dash + 1));
      auto& before = last[order.substr(0, dash)];
      EXPECT_GE(number, before) << order;
      before = std::max(before, number);
    }
  }

  caf::actor_system_config config;
  std::optional<example::PrivatePostgres> server;
  std::unique_ptr<caf::actor_system> system;
  caf::actor sender;
  Done done;
};

} // namespace

TEST_F(HandedOver, what_three_producers_commit_is_done_once_in_order_and_nothing_else) {
  std::vector<std::thread> producers;
  for (const auto* const name : {"a", "b", "c"})
    producers.emplace_back([this, name] { sql(producer(name, 500)); });
  for (auto& one : producers)
    one.join();
  const auto expected = committed();
  EXPECT_EQ(expected.size(), 1350u);
  wait_for([&] { return done.count() >= expected.size() && is_all_done(); });

  auto orders = done.orders;
  expect_order_per_key(orders);
  std::sort(orders.begin(), orders.end());
  EXPECT_EQ(orders, expected);
  EXPECT_EQ(sql("SELECT count(*) FROM backoff.dead_letter"), "0");
}

TEST_F(HandedOver, nothing_is_lost_when_the_sessions_of_the_owner_are_ended_again_and_again) {
  std::vector<std::thread> producers;
  for (const auto* const name : {"a", "b", "c"})
    producers.emplace_back([this, name] { sql(producer(name, 500)); });
  for (auto i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(50ms);
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE "
        "'backoff_actor%'");
  }
  for (auto& one : producers)
    one.join();
  const auto expected = committed();
  EXPECT_EQ(expected.size(), 1350u);
  wait_for([&] { return done.count() >= expected.size() && is_all_done(); });

  auto orders = done.orders;
  std::sort(orders.begin(), orders.end());
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  EXPECT_EQ(orders, expected);
}

TEST_F(HandedOver, a_thousand_rows_of_one_statement_are_done) {
  sql("INSERT INTO backoff.incoming(outbox, type, payload) SELECT 'orders', 'order.v1', "
      "convert_to(i::text, 'UTF8') FROM generate_series(1, 1000) AS i");
  wait_for([&] { return done.count() == 1000 && is_all_done(); });
}

TEST_F(HandedOver, an_unknown_type_is_a_dead_letter_and_holds_up_nothing) {
  sql("INSERT INTO backoff.incoming(outbox, type, payload) VALUES('orders', 'order.v9', 'x'), "
      "('orders', 'order.v1', 'y')");
  wait_for([&] { return done.count() == 1 && is_all_done(); });
  EXPECT_EQ(sql("SELECT reason, encode(types, 'escape'), encode(payload, 'escape') FROM "
                "backoff.dead_letter"),
            "unreadable|order.v9|x");
}

} // namespace backoff_actor::system_test
