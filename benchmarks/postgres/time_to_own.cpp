#include "common/machine.hpp"
#include "postgres/measures.hpp"
#include "postgres/server.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace postgres_benchmarks {

namespace {

using namespace backoff_actor;

constexpr auto linear_goal = benchmarks::at_most(1.5);

PostgresAddress outbox_of(const std::string& connection, std::uint64_t backlog) {
  return {connection, "owed-" + std::to_string(backlog)};
}

void fill(const PostgresAddress& address, std::uint64_t backlog) {
  const auto store = new_outbox(address);
  constexpr std::uint64_t batch = 1000;
  for (std::uint64_t id = 1; id <= backlog; id += batch)
    store->commit(insertions(id, std::min(batch, backlog + 1 - id)));
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

void measure_time_to_own(Rows& rows, const Server& server, const Extent& extent) {
  const auto most = extent.backlog;
  const std::vector<std::uint64_t> backlogs{0, most / 10, most * 3 / 10, most};
  Rows owned;
  Row linear{"time to own, each of " + benchmarks::grouped(most) + " / each of "
               + benchmarks::grouped(backlogs[1]),
             "us", linear_goal};
  in_new_database(server, [&](const std::string& connection) {
    for (const auto backlog : backlogs) {
      fill(outbox_of(connection, backlog), backlog);
      owned.push_back({"time to own, " + benchmarks::grouped(backlog) + " owed", "ms"});
    }
    server.query("CHECKPOINT");
    for (std::uint64_t round = 0; round < extent.rounds; ++round) {
      for (std::size_t i = 0; i < backlogs.size(); ++i)
        owned[i].ours.push_back(time_to_own(outbox_of(connection, backlogs[i]), backlogs[i]));
      const auto each = [&](std::size_t i) {
        return (owned[i].ours.back() - owned.front().ours.back()) * 1000
               / static_cast<double>(backlogs[i]);
      };
      linear.ours.push_back(each(3));
      linear.beside.push_back(each(1));
    }
  });
  owned.push_back(std::move(linear));
  rows.insert(rows.end(), owned.begin(), owned.end());
}

} // namespace postgres_benchmarks
