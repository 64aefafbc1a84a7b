#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace backoff_actor::detail {

namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd"; // U+FFFD

struct Character {
  char32_t code;
  std::size_t length; // in bytes; 0: the text does not begin with a character of UTF-8
};

// Returns the first character of a text. The text must not be empty.
Character first_of(std::string_view text) {
  constexpr Character none{0, 0};
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80)
    return {first, 1};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length)
    return none;
  char32_t code = first & (0x7fU >> length);
  for (const auto c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) != 0x80)
      return none;
    code = code << 6 | (byte & 0x3fU);
  }
  const auto is_too_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const auto is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return is_too_long || is_surrogate || code > 0x10ffff ? none : Character{code, length};
}

// Those that turn the direction of what follows them, which then reads otherwise than it is.
bool is_bidirectional_control(char32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e)
         || (code >= 0x2066 && code <= 0x2069);
}

bool is_to_be_escaped(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029
         || is_bidirectional_control(code);
}

std::string escaped(char32_t code) {
  switch (code) {
  case '\n':
    return "\\n";
  case '\r':
    return "\\r";
  case '\t':
    return "\\t";
  default:
    break;
  }
  char text[16];
  std::snprintf(text, sizeof text, "\\u%04x", static_cast<unsigned>(code));
  return text;
}

} // namespace

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = first_of(text);
    if (length == 0)
      line += replacement;
    else if (is_to_be_escaped(code))
      line += escaped(code);
    else
      line += text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return line;
}

std::string in_places(std::string_view text) {
  std::string places;
  places.reserve(text.size());
  while (!text.empty()) {
    const auto [code, length] = first_of(text);
    places += length == 0 || is_to_be_escaped(code) ? "?" : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return places;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = first_of(text).length;
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80; // begins a character
  }));
}

std::string plain_json(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    const auto [code, length] = first_of(json);
    if (code >= 0x7f && is_to_be_escaped(code)) // line ends are between the parts of JSON
      result += escaped(code);
    else
      result += json.substr(0, length == 0 ? 1 : length);
    json.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string json_string(std::string_view text) {
  std::string quoted;
  for (const auto c : text) {
    if (c == '"' || c == '\\')
      quoted += '\\';
    quoted += c;
  }
  return '"' + one_line(quoted) + '"';
}

} // namespace backoff_actor::detail
