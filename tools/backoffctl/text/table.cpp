#include "backoffctl/text/table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <cstddef>

namespace backoffctl {

namespace {

constexpr std::size_t longest_line = 100;
constexpr std::size_t gap = 2;

using backoff_actor::detail::count_characters;

std::size_t width_of(const std::vector<std::string>& column) {
  std::size_t width = 0;
  for (const auto& cell : column)
    width = std::max(width, count_characters(cell));
  return gap + width;
}

std::size_t width_of(const ColumnGroup& group) {
  std::size_t width = 0;
  for (const auto& column : group)
    width += width_of(column);
  return width;
}

std::string text_of(const ColumnGroup& columns) {
  const auto row = [&](std::size_t i) {
    std::vector<std::string> cells;
    for (const auto& column : columns)
      cells.push_back(column[i]);
    return cells;
  };
  Table table{row(0)};
  for (std::size_t i = 1; i < columns.front().size(); ++i)
    table.add(row(i));
  return table.text();
}

} // namespace

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], count_characters(row[i]));
  std::string result;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      result += std::string(gap + widths[i] - count_characters(row[i]), ' ') + row[i];
    result += '\n';
  }
  return result;
}

std::string or_dash(const std::string& text) {
  return text.empty() ? "-" : backoff_actor::detail::one_line(text);
}

std::string numbered_label(std::size_t number) {
  return std::string{"["}.append(std::to_string(number)).append("]");
}

std::string side_by_side(const ColumnGroup& first, const std::vector<ColumnGroup>& groups) {
  std::string result;
  auto columns = first;
  auto width = width_of(first);
  for (const auto& group : groups) {
    const auto more = width_of(group);
    if (columns.size() > first.size() && width + more > longest_line) {
      result += text_of(columns) + "\n";
      columns = first;
      width = width_of(first);
    }
    columns.insert(columns.end(), group.begin(), group.end());
    width += more;
  }
  return result + text_of(columns);
}

} // namespace backoffctl
