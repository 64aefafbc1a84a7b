#include "postgres/time_to_own.hpp"

#include "common/table.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

constexpr std::size_t owed_payload_size = 256;
constexpr std::uint64_t fill_batch = 1000;
constexpr Goal linear_goal{false, 1.5};
constexpr auto owed_database = "bench_owed";

std::string outbox_of(std::uint64_t backlog) { return "owed-" + std::to_string(backlog); }

void fill(const PostgresAddress& address, std::uint64_t backlog) {
  const auto store = open_postgres_store(address, {.lease = std::chrono::minutes{5}});
  store->set_message_format("benchmark");
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= backlog;) {
    changes.clear();
    for (const auto end = std::min(id + fill_batch, backlog + 1); id < end; ++id) {
      change::Insert insert{};
      insert.delivery.id = id;
      insert.delivery.message = {"std::string", std::vector<std::byte>(owed_payload_size)};
      changes.emplace_back(std::move(insert));
    }
    store->commit(changes);
  }
}

// Milliseconds until all is read. The caller's process owned nothing before.
double time_to_own(const PostgresAddress& address, std::uint64_t backlog) {
  const auto shared = postgres_store(address);
  std::uint64_t read = 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto store = shared->own(std::chrono::seconds{10});
  if (store == nullptr)
    throw std::runtime_error("nobody owns the outbox, and yet this process cannot");
  store->for_each_owed([&read](const StoredDelivery&) { ++read; });
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  if (read != backlog)
    throw std::runtime_error("read " + std::to_string(read) + " deliveries of "
                             + std::to_string(backlog));
  return took.count();
}

} // namespace

std::vector<Row> measure_time_to_own(const example::PrivatePostgres& server,
                                     const BacklogPlan& plan) {
  make_database(server, owed_database);
  const auto connection = server.connection(owed_database);
  std::vector<Row> rows;
  for (const auto backlog : plan.backlogs) {
    fill({connection, outbox_of(backlog)}, backlog);
    rows.push_back(
      {"time to own, " + benchmarks::grouped(static_cast<std::int64_t>(backlog)) + " owed",
       "ms",
       {}});
  }
  server.query("CHECKPOINT");
  for (std::uint64_t round = 0; round < plan.rounds; ++round)
    for (std::size_t i = 0; i < plan.backlogs.size(); ++i)
      rows[i].ours.push_back(
        time_to_own({connection, outbox_of(plan.backlogs[i])}, plan.backlogs[i]));
  const auto least = plan.backlogs[1];
  const auto most = plan.backlogs.back();
  Row linear{"time to own, each of " + benchmarks::grouped(static_cast<std::int64_t>(most))
               + " / each of " + benchmarks::grouped(static_cast<std::int64_t>(least)),
             "us",
             {},
             {},
             linear_goal};
  for (std::uint64_t round = 0; round < plan.rounds; ++round) {
    const auto each = [&](std::size_t row, std::uint64_t backlog) {
      return (rows[row].ours[round] - rows.front().ours[round]) * 1000
             / static_cast<double>(backlog);
    };
    linear.ours.push_back(each(rows.size() - 1, most));
    linear.beside.push_back(each(1, least));
  }
  rows.push_back(std::move(linear));
  server.query(std::string{"DROP DATABASE "} + owed_database);
  return rows;
}

} // namespace postgres_benchmarks
