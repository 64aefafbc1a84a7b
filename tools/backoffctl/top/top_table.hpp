#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace backoffctl {

/// A width or a height that has no end: that of a file.
inline constexpr std::size_t endless = std::numeric_limits<std::size_t>::max() / 2;

/// How a line is shown on a terminal.
enum class TopLook : std::uint8_t { plain, heading, alarm };

/// A line of a screen.
struct TopLine {
  std::string text{}; ///< of characters that take one place each
  TopLook look = TopLook::plain;
};

/// A column of a table.
struct TopColumn {
  std::string title{};
  bool is_text = false;   ///< to the left; else to the right, as numbers are
  std::size_t leaves = 0; ///< where the width does not suffice, the largest goes first; 0: it stays
};

/// A row of a table.
struct TopRow {
  std::vector<std::string> cells{}; ///< as many as there are columns
  bool is_alarm = false;
};

/// A table, of which the first column names the rows, and the last one may be cut.
struct TopTable {
  std::vector<TopColumn> columns{};
  std::vector<TopRow> rows{};
};

/// Renders the title of the columns, and then the rows, none wider than that.
std::vector<TopLine> lay_out(const TopTable& table, std::size_t width);

/// Returns as much of a text as fits, with `…` for the rest. Control characters become `?`.
std::string cut(std::string_view text, std::size_t width);

} // namespace backoffctl
