#include "postgres/sql_session.hpp"

#include <cstddef>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

constexpr std::size_t size_of_a_payload = 256;

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

void check(PGconn* session, PGresult* result) {
  if (const auto status = PQresultStatus(result);
      status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(session));
}

} // namespace

SqlSession::SqlSession(const std::string& connection, const std::string& statement)
  : session_(PQconnectdb(connection.c_str()), &PQfinish) {
  if (PQstatus(session_.get()) != CONNECTION_OK)
    throw std::runtime_error(PQerrorMessage(session_.get()));
  const Result result{PQprepare(session_.get(), "it", statement.c_str(), 0, nullptr), &PQclear};
  check(session_.get(), result.get());
}

void SqlSession::run(const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const auto& value : values)
    pointers.push_back(value.c_str());
  const Result result{PQexecPrepared(session_.get(), "it", static_cast<int>(values.size()),
                                     pointers.data(), nullptr, nullptr, 0),
                      &PQclear};
  check(session_.get(), result.get());
}

std::string SqlSession::query(const std::string& statements) {
  const Result result{PQexec(session_.get(), statements.c_str()), &PQclear};
  check(session_.get(), result.get());
  return PQntuples(result.get()) > 0 && PQnfields(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0)
                                                                    : std::string{};
}

std::string payload_of_a_job() {
  const std::string begin = R"({"text": ")";
  const std::string end = "\"}";
  return begin + std::string(size_of_a_payload - begin.size() - end.size(), 'x') + end;
}

} // namespace postgres_benchmarks
