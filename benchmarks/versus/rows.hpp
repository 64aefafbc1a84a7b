#pragma once

#include "versus/readings.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace versus {

/// A line of the table.
struct Row {
  std::string what;
  std::string unit; ///< of `ours` and `beside`
  Figure ours;
  std::optional<Figure> beside{}; ///< what ours is divided by, round by round
  std::optional<benchmarks::Goal> bound{};
};

/// How much is to be measured.
struct Scale {
  std::uint64_t operations;       ///< of a run of requests and replies
  std::uint64_t latencies;        ///< requests, one at a time
  std::uint64_t restarts;         ///< in a run
  std::uint64_t delayed_restarts; ///< of those that take a timer each
  std::uint64_t resends;          ///< after a short delay; after a long one a fifth of them
  std::uint64_t pairs;            ///< idle senders, each with its child
  std::uint64_t many;             ///< deliveries that are recovered, or wait
  std::uint64_t children;         ///< of a supervisor
  std::uint64_t messages;         ///< through a durable outbox
  std::uint64_t patience;         ///< for one who may not finish, in seconds
};

/// Returns all that can be measured, in the order in which a round does it. Other benchmarks are in
/// the folder `programs`.
std::vector<Subject> all_subjects(const Scale& scale, const std::string& programs);

/// Returns the lines of the table.
std::vector<Row> all_rows(const Scale& scale);

/// Returns those rows that were measured, with their numbers.
std::vector<benchmarks::Row> results_of(const std::vector<Row>& rows,
                                        const std::vector<Round>& rounds);

} // namespace versus
