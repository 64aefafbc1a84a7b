#include "common/table.hpp"

#include <algorithm>
#include <cstddef>
#include <iomanip>
#include <sstream>

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

std::string with_decimals(double number, int decimals) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(decimals) << number;
  return out.str();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
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
