#pragma once

#include "store/postgres/control.hpp"
#include "store/postgres/fixture.hpp"

#include "backoff_actor/delivery/incoming.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

namespace backoff_actor::store_test {

/// An owner of the outbox `orders`, and what it takes from the table `incoming`.
class PostgresIncoming : public PostgresTest {
protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped())
      return;
    store = open();
    intake = store->open_intake();
  }

  /// The numbers of the rows that a look returns.
  std::vector<std::uint64_t> take(std::size_t at_most = 100) {
    std::vector<std::uint64_t> result;
    for (auto& x : intake->take(at_most, held)) {
      result.push_back(x.row);
      held.insert(x.row);
      taken.push_back(std::move(x));
    }
    return result;
  }

  static std::string insertion(const std::string& more_columns = "",
                               const std::string& more_values = "") {
    return "INSERT INTO backoff.incoming(outbox, type, payload" + more_columns
           + ") VALUES('orders', 't', 'x'" + more_values + ")";
  }

  void insert(const std::string& more_columns = "", const std::string& more_values = "") {
    query(insertion(more_columns, more_values));
  }

  /// Looks so often and for so long that the floor rises, if nothing keeps it down.
  void look_long() {
    for (auto i = 0; i < 20; ++i) {
      EXPECT_TRUE(take().empty());
      std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
  }

  /// Returns when the intake sleeps, and knows that no transaction runs that may not know it.
  void fall_asleep() {
    EXPECT_TRUE(take().empty());
    intake->wait(Duration::zero()); // says that it sleeps
    EXPECT_EQ(query("SELECT is_asleep FROM backoff.outbox"), "t");
    const auto later = query("SELECT pg_current_xact_id()");
    while (query("SELECT pg_snapshot_xmin(pg_current_snapshot()) > '" + later + "'::xid8") != "t")
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    EXPECT_TRUE(take().empty());
  }

  /// A session writes row 2, and does not commit. Rows 1 and 3 are taken meanwhile.
  void leave_open(Control& session) {
    insert();
    settle(take().at(0), 1);
    session.query("BEGIN");
    session.query(insertion());
    insert();
    EXPECT_THAT(take(), ::testing::ElementsAre(3));
    settle(3, 2);
  }

  /// Commits that this row has become the delivery `id`.
  void settle(std::uint64_t row, std::uint64_t id) {
    commit(*store, {change::Insert{delivery(id), row}});
    held.erase(row);
  }

  /// What the server says to statements of a role.
  std::string as(const std::string& role, const std::string& statements) {
    try {
      return query("SET ROLE " + role + "; " + statements);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  static void commit(DeliveryStore& to, std::vector<StoreChange> changes) { to.commit(changes); }

  std::shared_ptr<OwnedStore> store;
  std::unique_ptr<Intake> intake;
  std::unordered_set<std::uint64_t> held;
  std::vector<IncomingMessage> taken;
};

} // namespace backoff_actor::store_test
