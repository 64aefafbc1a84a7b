#include "top_table.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>

namespace backoffctl {

namespace {

using backoff_actor::detail::count_characters;
using backoff_actor::detail::in_places;

constexpr std::size_t gap = 2;            // between two columns
constexpr std::size_t shortest_rest = 16; // of the last column, so that others are left out for it
constexpr std::size_t longest_name = 40;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The places that each column takes; 0: it is left out.
std::vector<std::size_t> widths_of(const TopTable& table, std::size_t width) {
  const auto& columns = table.columns;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto widest = columns[i].title.size();
    for (const auto& row : table.rows)
      widest = std::max(widest, count_characters(row.cells[i]));
    if (i == 0 && width != endless)
      widest = std::min(widest, longest_name);
    widths.push_back(widest);
  }
  const auto needed = [&] {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] != 0)
        sum += (i == 0 ? 0 : gap)
               + (i + 1 == widths.size() ? std::min(widths[i], shortest_rest) : widths[i]);
    return sum;
  };
  while (needed() > width) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (widths[i] != 0 && columns[i].leaves > columns[next].leaves)
        next = i;
    if (columns[next].leaves == 0)
      break;
    widths[next] = 0;
  }
  return widths;
}

std::string line_of(const TopTable& table, const std::vector<std::string>& cells,
                    const std::vector<std::size_t>& widths, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0)
      continue;
    if (i != 0)
      line.append(gap, ' ');
    const auto is_last = i + 1 == cells.size();
    const auto cell = is_last ? cells[i] : cut(cells[i], widths[i]);
    const std::string fill(is_last && table.columns[i].is_text
                             ? 0
                             : widths[i] - std::min(widths[i], count_characters(cell)),
                           ' ');
    line += table.columns[i].is_text ? cell + fill : fill + cell;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return cut(line, width);
}

} // namespace

std::string cut(std::string_view text, std::size_t width) {
  auto result = in_places(text);
  if (count_characters(result) <= width)
    return result;
  if (width == 0)
    return {};
  std::size_t end = 0;
  for (std::size_t characters = 0; end < result.size(); ++end)
    if (begins_character(result[end]) && ++characters == width)
      break;
  return result.substr(0, end) + "…";
}

std::vector<TopLine> lay_out(const TopTable& table, std::size_t width) {
  TopTable clean = table; // a cell has the width that is counted
  for (auto& row : clean.rows)
    for (auto& cell : row.cells)
      cell = in_places(cell);
  const auto widths = widths_of(clean, width);
  std::vector<std::string> titles;
  for (const auto& column : clean.columns)
    titles.push_back(column.title);
  std::vector<TopLine> lines{{line_of(clean, titles, widths, width), TopLook::heading}};
  for (const auto& row : clean.rows)
    lines.push_back(
      {line_of(clean, row.cells, widths, width), row.is_alarm ? TopLook::alarm : TopLook::plain});
  return lines;
}

} // namespace backoffctl
