#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace backoffctl {

/// A table for the console, all columns to the right.
class Table {
public:
  explicit Table(std::vector<std::string> header) : rows_{std::move(header)} {}

  /// Appends a row.
  ///
  /// @range at most as many cells as the header has; the rest stays empty
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// Renders the table, each line indented and ended. Cells of valid UTF-8 are in line.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

/// The text of a cell, in one line; `-` for an empty one.
std::string or_dash(const std::string& text);

/// Renders what stands in tables for something with a long name: `[2]` for the second.
std::string numbered_label(std::size_t number);

/// Columns of equal length, each with its header as the first cell, that stay in one table.
using ColumnGroup = std::vector<std::vector<std::string>>;

/// Renders groups of columns side by side, as many in one table as 100 characters take, the others
/// in further tables below, an empty line between them. Each table begins with the first group.
std::string side_by_side(const ColumnGroup& first, const std::vector<ColumnGroup>& groups);

} // namespace backoffctl
