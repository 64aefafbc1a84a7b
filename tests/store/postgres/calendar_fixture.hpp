#pragma once

#include "store/postgres/control.hpp"
#include "store/postgres/fixture.hpp"
#include "unit/calendar/zones_2026.hpp"

#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/store/postgres/calendar/postgres_calendar.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace backoff_actor::store_test {

inline Zone zone_of_2026(const std::string& name) {
  if (name == "Europe/Berlin")
    return calendar_test::berlin();
  throw std::runtime_error("there is no zone '" + name + "'");
}

/// The calendar of the outbox `orders`, and what its owner makes of it.
class PostgresCalendarTest : public PostgresTest {
protected:
  void SetUp() override {
    PostgresTest::SetUp();
    if (IsSkipped())
      return;
    take_over();
  }

  PostgresOptions with_zones() const {
    auto result = options();
    result.find_zone = zone_of_2026;
    return result;
  }

  /// Another process owns the outbox from now on.
  void take_over() { take_over(address(), with_zones()); }

  void take_over(const PostgresAddress& where, const PostgresOptions& how) {
    intake = nullptr;
    store = nullptr;
    held.clear();
    store = postgres_store(where, how)->own(test::patience);
    ASSERT_NE(store, nullptr);
    intake = store->open_intake();
  }

  /// Another program writes an entry. Its times since `decided_until` have not run yet.
  void add(const std::string& entry, const std::string& schedule,
           const std::string& decided_until = "now()", const std::string& missed = "run_once",
           const std::string& more_columns = "", const std::string& more_values = "") {
    query("INSERT INTO backoff.calendar(outbox, name, schedule, missed, type, payload, "
          "decided_until"
          + more_columns + ") VALUES('orders', '" + entry + "', '" + schedule + "', '" + missed
          + "', 't', 'x', " + decided_until + more_values + ")");
  }

  /// What the owner takes in so many looks.
  std::vector<IncomingMessage> take(int looks = 3, std::size_t at_most = 1000) {
    std::vector<IncomingMessage> result;
    for (auto i = 0; i < looks; ++i)
      for (auto& x : intake->take(at_most, held)) {
        held.insert(x.row);
        result.push_back(std::move(x));
      }
    return result;
  }

  /// The idempotency keys of these.
  std::vector<std::string> take_keys(int looks = 3, std::size_t at_most = 1000) {
    std::vector<std::string> result;
    for (const auto& x : take(looks, at_most))
      result.push_back(x.idempotency_key);
    return result;
  }

  /// What is told of entries that cannot run.
  std::vector<std::string> take_problems() {
    auto result = store->take_notices();
    std::erase_if(result, [](const auto& x) { return x.find("does not run: ") == x.npos; });
    return result;
  }

  std::string count(const std::string& table, const std::string& where = "true") const {
    return query("SELECT count(*) FROM backoff." + table + " WHERE " + where);
  }

  std::shared_ptr<OwnedStore> store;
  std::unique_ptr<Intake> intake;
  std::unordered_set<std::uint64_t> held;
};

} // namespace backoff_actor::store_test
