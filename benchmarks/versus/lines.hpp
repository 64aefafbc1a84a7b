#pragma once

#include "common/report.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace versus {

using namespace benchmarks;

/// A number of what a subject measured.
struct Figure {
  std::string subject{}; ///< empty: there is none
  std::size_t index = 0;
  std::string over{}; ///< another subject, by whose first number it is divided; empty: none
  double factor = 1;  ///< by which it is multiplied

  /// Returns the number; nothing if it was not measured in this round, or `over` is 0.
  std::optional<double> in(const Round& round) const;
};

/// A line of the table.
struct Line {
  std::string what;
  std::string unit; ///< of `ours` and `beside`
  Figure ours;
  Figure beside{}; ///< what ours is divided by, round by round, if there is a subject
  std::optional<Goal> goal{};
};

/// How much is to be measured.
struct Scale {
  bool is_small;

  /// Returns all of it, or a part of it if the scale is small.
  std::uint64_t of(std::uint64_t all, std::uint64_t part = 10) const {
    return is_small ? all / part : all;
  }
};

/// The subjects, in the order in which a round measures them, and the lines of the table.
struct Plan {
  std::vector<Subject> subjects{};
  std::vector<Line> lines{};

  /// Adds a subject that is measured in a process of its own.
  void subject(std::string name, const std::function<Figures()>& measure,
               std::size_t most_rounds = 1000);

  void line(Line line) { lines.push_back(std::move(line)); }

  /// Leaves only the lines whose names have the text in them, and the subjects of these.
  void keep(const std::string& text);

  /// Returns the lines that were measured, with their numbers.
  std::vector<Row> results(const std::vector<Round>& rounds) const;
};

/// Returns all that can be measured.
///
/// @param programs the folder of the other benchmarks, and of the peers' folder
/// @param with_peers what Erlang and Go's suture do of the same, too
Plan everything(const Scale& scale, const std::string& programs, bool with_peers);

/// Has gnuplot draw how far each row is from its goal, into an SVG.
///
/// @errors throws `std::runtime_error` if no row has a goal, gnuplot is missing or fails, or the
///         file cannot be written.
void plot(const std::vector<Row>& results, const std::string& file);

} // namespace versus
