#pragma once

#include "walk_command.hpp"
#include "walk_conditions.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <ostream>

namespace backoff_actor::model_test {

/// The pool of a walk as small numbers; 0 is the simplest.
struct PoolConditions {
  int least = 0;        // of the first kind
  int more = 0;         // of the first kind at the most, beyond the least and one
  int window = 0;       // of the first kind; one more than this
  int kinds = 0;        // 0, 1: whether there is a second
  int second_more = 0;  // its workers at the most; one more than this
  int second_least = 0; // 0, 1
  int backlog = 0;      // per worker, one more than this
  int grow_after = 0;   // in steps of 10 ms, the first included
  int shrink_after = 0; // in steps of 20 ms, the first included
  int visited = 0;      // 0: neither kind is of workers that come and go; 1: the last; 2: all are
};

/// Whether the workers of a kind come and go with other processes: at first there are none.
inline bool is_visited(const PoolConditions& x, std::uint16_t kind) {
  return x.visited == 2 || (x.visited == 1 && kind == (x.kinds != 0 ? 1 : 0));
}

inline WorkerPool pool_of(const PoolConditions& x) {
  using std::chrono::milliseconds;
  const auto count = [](int number) { return static_cast<std::uint32_t>(number); };
  WorkerPool result;
  result.kinds.push_back({{count(x.least), count(x.least + x.more + 1)}, count(x.window + 1)});
  if (x.kinds != 0)
    result.kinds.push_back({{count(x.second_least), count(x.second_more + 1)}, 1});
  for (std::uint16_t i = 0; i < result.kinds.size(); ++i)
    if (is_visited(x, i))
      result.kinds[i].workers = {0, 0};
  result.scaling = {count(x.backlog + 1), milliseconds{10} * (x.grow_after + 1),
                    milliseconds{20} * (x.shrink_after + 1)};
  return result;
}

inline void showValue(const PoolConditions& x, std::ostream& out) {
  const auto pool = pool_of(x);
  for (const auto& kind : pool.kinds)
    out << kind.workers.least << ".." << kind.workers.most << " workers that hold "
        << kind.max_in_flight << ", ";
  out << "one more for " << pool.scaling.backlog_per_worker << " each after "
      << to_string(pool.scaling.grow_after) << ", one less after "
      << to_string(pool.scaling.shrink_after);
}

inline rc::Gen<PoolConditions> arbitrary_pool() {
  using rc::gen::set;
  return rc::gen::build<PoolConditions>(
    set(&PoolConditions::least, below(4)), set(&PoolConditions::more, below(4)),
    set(&PoolConditions::window, below(4)), set(&PoolConditions::kinds, below(2)),
    set(&PoolConditions::second_more, below(3)), set(&PoolConditions::second_least, below(2)),
    set(&PoolConditions::backlog, below(3)), set(&PoolConditions::grow_after, below(4)),
    set(&PoolConditions::shrink_after, below(4)), set(&PoolConditions::visited, below(3)));
}

/// A command to any sender, or one that only a pool takes.
struct PoolCommand {
  enum class What { command, resize, retire, join, leave };

  What what;
  Command command;

  std::uint16_t kind() const { return static_cast<std::uint16_t>(command.who % 2); }
  std::uint16_t worker() const { return static_cast<std::uint16_t>(command.who % 8); }
  WorkerCount workers() const {
    const auto least = command.how % 4;
    return {least, std::max(1U, least + command.how / 4 % 4)};
  }

  // Another process comes or goes, with so many workers.
  std::uint32_t count() const { return 1 + command.how % 3; }
  bool is_lost() const { return command.how / 3 % 2 == 1; }
  /// Whether its workers are known to be gone before they are taken out of the pool.
  bool is_sudden() const { return command.how / 6 % 2 == 1; }
};

inline constexpr Choice<PoolCommand::What> pool_commands[] = {
  {60, PoolCommand::What::command, "command"},
  {1, PoolCommand::What::resize, "resize"},
  {1, PoolCommand::What::retire, "retire"},
  {3, PoolCommand::What::join, "join"},
  {2, PoolCommand::What::leave, "leave"}};

inline void showValue(const PoolCommand& x, std::ostream& out) {
  if (x.what == PoolCommand::What::command)
    showValue(x.command, out);
  else if (x.what == PoolCommand::What::resize)
    out << "resize kind " << x.kind() << " to " << x.workers().least << ".." << x.workers().most
        << "\n";
  else if (x.what == PoolCommand::What::retire)
    out << "retire worker " << x.worker() << "\n";
  else if (x.what == PoolCommand::What::join)
    out << x.count() << " workers of kind " << x.kind() << " come\n";
  else
    out << x.count() << " workers of kind " << x.kind() << " go, "
        << (x.is_lost() ? "lost" : "withdrawn") << (x.is_sudden() ? " without notice" : "") << "\n";
}

inline rc::Gen<PoolCommand> arbitrary_pool_command() {
  return rc::gen::build<PoolCommand>(
    rc::gen::set(&PoolCommand::what, test::weighted(pool_commands)),
    rc::gen::set(&PoolCommand::command, arbitrary_command()));
}

} // namespace backoff_actor::model_test
