#pragma once

#include "backoff_actor/store/postgres/postgres_store.hpp"
#include "common/patience.hpp"
#include "common/private_postgres.hpp"
#include "store/deliveries.hpp"
#include "store/reference_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

namespace backoff_actor::store_test {

/// The server of this program; null: PostgreSQL is not installed.
inline example::PrivatePostgres* server() {
  static const auto one = [] {
    std::unique_ptr<example::PrivatePostgres> result;
    if (!example::PrivatePostgres::is_installed())
      return result;
    // Who is called `locked` needs a password.
    result = std::make_unique<example::PrivatePostgres>(
      example::PrivatePostgresOptions{.settings = {{"max_prepared_transactions", "10"}},
                                      .access = {"host all locked 127.0.0.1/32 scram-sha-256"}});
    result->query("CREATE DATABASE with_schema");
    migrate_postgres(result->connection("with_schema"));
    return result;
  }();
  return one.get();
}

/// Makes a database with the schema, and nothing in it; returns its name.
inline std::string fresh_database(const std::string& from = "with_schema") {
  // To copy the files takes a third of what it takes to write all pages to the log.
  static const std::string strategy =
    std::stoi(server()->query("SHOW server_version_num")) >= 150'000 ? " STRATEGY file_copy" : "";
  static int count = 0;
  const auto name = "test_" + std::to_string(++count);
  server()->query("CREATE DATABASE " + name + " TEMPLATE " + from + strategy);
  return name;
}

/// What is needed before tests with a server.
#define BACKOFF_ACTOR_NEEDS_POSTGRES()                                                             \
  if (server() == nullptr)                                                                         \
  GTEST_SKIP() << "PostgreSQL is not installed: nothing is tested with a server"

/// A database of its own.
class PostgresTest : public ::testing::Test {
protected:
  void SetUp() override {
    BACKOFF_ACTOR_NEEDS_POSTGRES();
    database_ = fresh_database();
  }

  const std::string& database() const { return database_; }
  PostgresAddress address() const { return {server()->connection(database_), "orders"}; }

  /// Owns the outbox as soon as the server has noticed the end of the session before.
  std::shared_ptr<OwnedStore> open(const std::string& node = "node-a") {
    auto result = postgres_store(address(), options(node))->own(test::patience);
    EXPECT_NE(result, nullptr);
    return result;
  }

  PostgresOptions options(const std::string& node = "node-a") const {
    return {.lease = lease_, .connect_timeout = std::chrono::minutes{1}, .node = node};
  }

  /// The result of statements by the superuser, without the end of the last line.
  std::string query(const std::string& statements) const {
    auto result = server()->query(statements, database_);
    if (result.ends_with('\n'))
      result.pop_back();
    return result;
  }

  /// How a store of this test begins its errors.
  std::string name() const {
    return "postgres://127.0.0.1:" + std::to_string(server()->port()) + "/" + database_ + "#orders";
  }

  /// Long: a busy machine may let a store wait for a minute.
  Duration lease_ = std::chrono::minutes{5};

private:
  std::string database_{};
};

} // namespace backoff_actor::store_test
