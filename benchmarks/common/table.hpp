#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace benchmarks {

/// Renders a number for people: `-3,011,234`.
std::string grouped(std::int64_t number);

/// Renders a number with so many decimals: `0.0021`.
std::string with_decimals(double number, int decimals);

/// The middle one, or the mean of the two in the middle.
///
/// @range not empty
double median(std::vector<double> values);

/// A table for the console: the first column to the left, the others to the right.
class Table {
public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  /// Appends a row.
  ///
  /// @range as many cells as the header has
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Renders the table, each line ended.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace benchmarks
