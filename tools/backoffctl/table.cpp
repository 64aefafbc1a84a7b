#include "table.hpp"

#include <algorithm>
#include <cstddef>

namespace backoffctl {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string result;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      result += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
    result += '\n';
  }
  return result;
}

} // namespace backoffctl
