#include "worker_pool/costs.hpp"

#include "common/instructions.hpp"
#include "worker_pool/pool_engine.hpp"

namespace worker_pool {

namespace {

constexpr std::uint64_t counted = 200;
constexpr std::uint64_t crashes = 8;
constexpr std::uint64_t backlog = 1000;

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

void count(std::uint32_t workers) {
  using benchmarks::mark;
  Work work{workers};
  work.submit(workers / 2);
  work.submit_and_acknowledge(2 * counted); // its tables grow
  mark();
  work.submit_and_acknowledge(counted);
  mark();

  work.submit(workers - workers / 2 + backlog);
  work.submit_and_acknowledge(2 * counted);
  mark();
  work.submit_and_acknowledge(counted);
  mark();

  Work crashing{workers};
  crashing.crash(0);
  mark();
  for (std::uint32_t i = 0; i < crashes; ++i)
    crashing.crash(i % workers);
  mark();
}

} // namespace

Costs costs_of(std::uint32_t workers) {
  const auto counts = benchmarks::instructions_of([=] { count(workers); });
  const auto each = [&](std::size_t part, std::uint64_t of) {
    return static_cast<double>(counts.at(part)) / static_cast<double>(of);
  };
  return {each(0, counted), each(1, counted), each(2, crashes)};
}

} // namespace worker_pool
