#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace postgres_benchmarks {

/// What a row is to reach.
struct Goal {
  /// Which figure of the row the goal is about.
  enum class Of { ratio, ours };

  bool is_at_least; ///< else at most
  double value;
  Of of = Of::ratio;
};

/// A line of the table: a figure of this library, and what it is compared with.
struct Row {
  std::string what;
  std::string unit;
  std::vector<double> ours;     ///< by rounds; not empty
  std::vector<double> beside{}; ///< by the same rounds; empty: nothing is beside
  std::optional<Goal> goal{};
};

/// Returns `ours / beside`, round by round.
std::vector<double> ratios(const Row& row);

/// Returns whether the row reaches its goal; true if it has none.
bool is_reached(const Row& row);

/// Renders a number with three digits, or all digits before the point: `12,300`, `1.53`.
std::string rounded(double number);

/// Renders the rows for people: medians, and the quartiles of the ratios. A row without a ratio has
/// the quartiles of its own figure.
std::string table(const std::vector<Row>& rows);

/// Renders the rows, with the figures of every round, for programs.
nlohmann::json json(const std::string& benchmark, const std::vector<Row>& rows);

} // namespace postgres_benchmarks
