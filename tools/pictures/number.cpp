#include "number.hpp"

#include <array>
#include <charconv>

namespace pictures {

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

} // namespace pictures
