#include "backoff_actor/core/text/internal/note_in_context.hpp"

#include "backoff_actor/core/text/internal/context_line.hpp"

#include <charconv>

namespace backoff_actor::detail {

namespace {

constexpr std::string_view name_of_note = "note: ";
constexpr std::string_view digits = "0123456789ABCDEF";

} // namespace

void set_note(std::string& context, std::string_view note) {
  remove_line(context, name_of_note);
  if (note.empty())
    return;
  if (!context.empty())
    context += '\n';
  context.reserve(context.size() + name_of_note.size() + note.size());
  context += name_of_note;
  for (const auto c : note) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte <= '~' && c != '%')
      context += c;
    else
      context.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
}

std::string note_in(std::string_view context) {
  const auto text = value_in(context, name_of_note);
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    unsigned byte = 0;
    const auto two = text.substr(i + 1, 2);
    const auto read = std::from_chars(two.data(), two.data() + two.size(), byte, 16);
    if (two.size() < 2 || read.ec != std::errc{} || read.ptr != two.data() + 2)
      return {};
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

} // namespace backoff_actor::detail
