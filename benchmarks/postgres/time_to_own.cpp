#include "common/time.hpp"
#include "postgres/measures.hpp"
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
constexpr auto linear_goal = benchmarks::at_most(1.5);

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
  const auto seconds = benchmarks::seconds_of([&] {
    const auto store = shared->own(std::chrono::seconds{10});
    if (store == nullptr)
      throw std::runtime_error("nobody owns the outbox, and yet this process cannot");
    store->for_each_owed([&read](const StoredDelivery&) { ++read; });
  });
  if (read != backlog)
    throw std::runtime_error("read " + std::to_string(read) + " deliveries of "
                             + std::to_string(backlog));
  return seconds * 1e3;
}

} // namespace

Rows measure_time_to_own(const Server& server, const Extent& extent) {
  const auto text = [](std::uint64_t count) {
    return benchmarks::grouped(static_cast<std::int64_t>(count));
  };
  const auto most = extent.backlog;
  const std::vector<std::uint64_t> backlogs{0, most / 10, most * 3 / 10, most};
  Rows rows;
  in_new_database(server, [&](const std::string& connection) {
    for (const auto backlog : backlogs) {
      fill({connection, outbox_of(backlog)}, backlog);
      rows.push_back({"time to own, " + text(backlog) + " owed", "ms"});
    }
    server.query("CHECKPOINT");
    for (std::uint64_t round = 0; round < extent.rounds; ++round)
      for (std::size_t i = 0; i < backlogs.size(); ++i)
        rows[i].ours.push_back(time_to_own({connection, outbox_of(backlogs[i])}, backlogs[i]));
  });
  Row linear{"time to own, each of " + text(most) + " / each of " + text(backlogs[1]), "us",
             linear_goal};
  for (std::uint64_t round = 0; round < extent.rounds; ++round) {
    const auto each = [&](std::size_t i) {
      return (rows[i].ours[round] - rows.front().ours[round]) * 1000
             / static_cast<double>(backlogs[i]);
    };
    linear.ours.push_back(each(3));
    linear.beside.push_back(each(1));
  }
  rows.push_back(std::move(linear));
  return rows;
}

} // namespace postgres_benchmarks
