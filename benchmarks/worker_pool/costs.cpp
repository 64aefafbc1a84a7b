#include "worker_pool/costs.hpp"

#include "common/instructions.hpp"
#include "worker_pool/pool_engine.hpp"

#include <algorithm>
#include <cstdint>

namespace worker_pool {

namespace {

constexpr std::uint64_t until_tables_have_grown = 400;

constexpr std::uint64_t backlog = 1000;

std::uint64_t crashes(std::uint64_t counted) { return std::max<std::uint64_t>(counted / 25, 1); }

// Submits and acknowledges so many messages, the oldest first.
class Work {
public:
  explicit Work(std::uint32_t workers) : engine_(workers) {}

  void submit(std::uint64_t count) {
    for (; count > 0; --count)
      engine_.submit(now_, next_++);
  }

  void submit_and_acknowledge(std::uint64_t count) {
    for (; count > 0; --count) {
      engine_.submit(now_, next_++);
      engine_.acknowledge(now_, oldest_++);
    }
  }

  void crash(std::uint32_t worker) { now_ = engine_.crash(now_, worker); }

private:
  PoolEngine engine_;
  backoff_actor::Instant now_{};
  std::uint64_t next_ = 0;
  std::uint64_t oldest_ = 0;
};

void count(std::uint32_t workers, std::uint64_t counted) {
  using benchmarks::mark;
  Work work{workers};
  work.submit(workers / 2);
  work.submit_and_acknowledge(until_tables_have_grown);
  mark();
  work.submit_and_acknowledge(counted);
  mark();

  work.submit(workers - workers / 2 + backlog);
  work.submit_and_acknowledge(until_tables_have_grown);
  mark();
  work.submit_and_acknowledge(counted);
  mark();

  Work crashing{workers};
  crashing.crash(0);
  mark();
  for (std::uint32_t i = 0; i < crashes(counted); ++i)
    crashing.crash(i % workers);
  mark();
}

} // namespace

Costs costs_of(std::uint32_t workers, std::uint64_t counted) {
  const auto counts = benchmarks::instructions_of([=] { count(workers, counted); });
  const auto each = [&](std::size_t part, std::uint64_t of) {
    return static_cast<double>(counts.at(part)) / static_cast<double>(of);
  };
  return {each(0, counted), each(1, counted), each(2, crashes(counted))};
}

} // namespace worker_pool
