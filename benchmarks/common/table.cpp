#include "common/table.hpp"

#include <algorithm>
#include <cstddef>

namespace benchmarks {

std::string grouped(std::int64_t number) {
  const auto digits = std::to_string(number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0)
      result += ',';
    result += digits[i];
  }
  return result;
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string result;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      result += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    result += '\n';
  }
  return result;
}

} // namespace benchmarks
