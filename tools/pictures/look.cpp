#include "look.hpp"

#include <array>
#include <charconv>

namespace pictures {

namespace {

constexpr std::array<Look, 6> looks{{{"#0072b2", 7, "1"},
                                     {"#c8501e", 5, "(9,4)"},
                                     {"#16803c", 9, "(2,3)"},
                                     {"#a03fa0", 13, "(10,3,2,3)"},
                                     {"#8a6d00", 11, "(18,5)"},
                                     {"#222222", 15, "(6,3,2,3,2,3)"}}};

} // namespace

std::string number(double value) {
  std::array<char, 32> buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                       std::chars_format::general, 10)
                           .ptr};
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const auto c : text)
    result += c == '\'' ? "''" : std::string(1, c);
  return result + "'";
}

// Those that come after the first have the same colours, with other dashes and hollow marks.
Look look(std::size_t line) {
  const auto round = line / looks.size();
  auto result = looks[line % looks.size()];
  result.dashes = looks[(line + round) % looks.size()].dashes;
  if (round % 2 == 1)
    --result.mark;
  return result;
}

std::string line_words(const Look& look) {
  return "linewidth " + number(look.width) + " dashtype " + look.dashes + " linecolor rgb '"
         + look.colour + "'";
}

std::string mark_words(const Look& look, double size) {
  return "pointtype " + std::to_string(look.mark) + " pointsize " + number(size)
         + " linecolor rgb '" + look.colour + "'";
}

std::string legend_entry(const Look& look, const std::string& title) {
  return "keyentry with linespoints pointtype " + std::to_string(look.mark) + " pointsize 0.6 "
         + line_words(look) + " title " + quoted(title);
}

} // namespace pictures
