#pragma once

// A sender's engine with a pool of workers, for the tests of both.

#include "engine_driver.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace backoff_actor::engine_test {

inline EngineOptions pool_options(std::vector<WorkerKind> kinds,
                                  Ordering ordering = Ordering::unordered) {
  EngineOptions result;
  result.ordering = ordering;
  result.pool.kinds = std::move(kinds);
  return result;
}

/// `workers` workers that hold one each, all alive.
class PoolDriver : public EngineDriver {
public:
  explicit PoolDriver(std::uint32_t workers, EngineOptions options = {})
    : EngineDriver(with_workers(workers, std::move(options))) {
    take(input::Start{});
    for (std::uint32_t i = 1; i <= workers; ++i)
      take(input::ChildStarted{i});
  }

  Lines crash_of(std::uint32_t incarnation) {
    return take(input::ChildDown{incarnation, {7, "crash"}});
  }

  Lines submit_with_key(std::uint64_t key) {
    input::Submit submission;
    submission.key = key;
    return take(submission);
  }

  PoolStatus pool() const { return engine->status(now).pool; }

  /// The states of the workers, in order of their numbers.
  std::vector<WorkerState> states() const {
    std::vector<WorkerState> result;
    for (const auto& x : pool().workers)
      result.push_back(x.state);
    return result;
  }

  /// Crashes the worker, waits for the end of its delay, and makes its child. Returns the delay.
  Duration fail(std::size_t worker) {
    crash_of(pool().workers.at(worker - 1).incarnation);
    const auto result = delay_of(worker);
    wake_after(result);
    take(input::ChildStarted{pool().workers.at(worker - 1).incarnation});
    return result;
  }

  Duration delay_of(std::size_t worker) const { return pool().workers.at(worker - 1).due_in; }

private:
  static EngineOptions with_workers(std::uint32_t workers, EngineOptions options) {
    if (options.ordering == Ordering::strict)
      options.ordering = Ordering::unordered;
    if (options.pool.kinds.empty())
      options.pool.kinds = {{{workers, workers}, 1}};
    return options;
  }
};

} // namespace backoff_actor::engine_test
