#pragma once

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

  /// Renders the table, each line indented and ended.
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace backoffctl
