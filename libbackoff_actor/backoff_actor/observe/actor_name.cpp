#include "backoff_actor/observe/actor_name.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace backoff_actor {

std::string to_string(const ActorName& name) {
  return name.kind.empty() || name.number == 0 ? name.kind
                                               : name.kind + "#" + std::to_string(name.number);
}

namespace detail {

namespace {

constexpr bool is_small(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_decimal(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter_or_digit(char c) { return is_small(c) || is_capital(c) || is_decimal(c); }

bool is_kind(const std::string& text) {
  return !text.empty() && text.size() <= longest_kind && std::ranges::all_of(text, [](char c) {
    return is_small(c) || is_decimal(c) || c == '_' || c == '.' || c == '-';
  });
}

// Returns the last part of a name in C++, without the brackets behind it.
std::string_view last_part(std::string_view name) {
  std::size_t begin = 0;
  std::size_t end = name.size();
  int depth = 0; // of brackets
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = name[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') {
      if (depth++ == 0 && i > begin)
        end = std::min(end, i);
    } else if (c == '>' || c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && name.substr(i, 2) == "::") {
      begin = i + 2;
      end = name.size();
    }
  }
  return name.substr(begin, end - begin);
}

// Whether a word begins at `i`: `http|Worker`, `HTTP|Server`, `v2|Worker`.
bool begins_word(std::string_view text, std::size_t i) {
  if (i == 0 || !is_capital(text[i]))
    return false;
  const auto before = text[i - 1];
  return is_small(before) || is_decimal(before)
         || (is_capital(before) && i + 1 < text.size() && is_small(text[i + 1]));
}

} // namespace

std::string with_name(const ActorName& name, const std::string& text) {
  return name.kind.empty() ? text : to_string(name) + ": " + text;
}

void check_kind(Problems& problems, const std::string& field, const std::string& kind) {
  if (!kind.empty() && !is_kind(kind))
    problems.add(field, kind, "1 to 64 characters of a-z, 0-9, _, . and -");
}

std::string options_of(const char* type, const std::string& kind) {
  return is_kind(kind) ? std::string{type}.append(" of ").append(kind) : type;
}

std::string kind_of_type(std::string_view name) {
  const auto part = last_part(name);
  std::string result;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const auto c = part[i];
    if (begins_word(part, i))
      result += '_';
    if (is_capital(c))
      result += static_cast<char>(c - 'A' + 'a');
    else
      result += is_letter_or_digit(c) ? c : '_';
  }
  result.resize(std::min(result.size(), longest_kind));
  return std::ranges::any_of(result, is_letter_or_digit) ? result : "worker";
}

std::string kind_of_type(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name{
    abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free};
  return kind_of_type(std::string_view{name ? name.get() : type.name()});
}

} // namespace detail

} // namespace backoff_actor
