#pragma once

// A session of a test's own, beside those of the stores.

#include "common/patience.hpp"
#include "fixture.hpp"

#include <libpq-fe.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace backoff_actor::store_test {

/// A session of the superuser.
class Control {
public:
  explicit Control(const std::string& connection)
    : session_(PQconnectdb(connection.c_str()), &PQfinish) {
    EXPECT_EQ(PQstatus(session_.get()), CONNECTION_OK) << PQerrorMessage(session_.get());
  }

  /// The first value that a statement returns; empty: none.
  std::string query(const std::string& statement) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> result{
      PQexec(session_.get(), statement.c_str()), &PQclear};
    const auto status = PQresultStatus(result.get());
    EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      << statement << ": " << PQresultErrorMessage(result.get());
    return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
  }

  /// Waits until a statement returns `wanted`.
  void await(const std::string& statement, const std::string& wanted) {
    const auto end = std::chrono::steady_clock::now() + test::patience;
    while (query(statement) != wanted)
      if (std::chrono::steady_clock::now() > end)
        FAIL() << statement << " is not " << wanted;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }

  PGconn* session() const { return session_.get(); }

private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> session_;
};

} // namespace backoff_actor::store_test
