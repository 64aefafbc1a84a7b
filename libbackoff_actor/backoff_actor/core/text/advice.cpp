#include "backoff_actor/core/text/internal/advice.hpp"

#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <vector>

namespace backoff_actor::detail {

namespace {

// -- names ----------------------------------------------------------------------------------

constexpr std::size_t shortest_part = 3; // letters of a name that stand for the whole
constexpr std::size_t longest_given = 64;

// Counts the letters to insert, remove, replace or swap with the next one that turn `a` into `b`.
std::size_t wrong_letters(std::string_view a, std::string_view b) {
  const auto width = b.size() + 1;
  std::vector<std::size_t> cells((a.size() + 1) * width); // by lengths of the beginnings
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      auto& cell = cells[i * width + j];
      if (i == 0 || j == 0) {
        cell = i + j;
        continue;
      }
      const auto replaced = cells[(i - 1) * width + j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cell = std::min({replaced, cells[(i - 1) * width + j] + 1, cells[i * width + j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cell = std::min(cell, cells[(i - 2) * width + j - 2] + 1);
    }
  return cells.back();
}

// -- spans ----------------------------------------------------------------------------------

constexpr std::string_view blanks = " \t";

struct Spelling {
  std::string_view word; // in small letters
  std::string_view unit;
};

// µ has two characters in Unicode.
constexpr std::array<Spelling, 35> spellings{{
  {"ns", "ns"},
  {"nsec", "ns"},
  {"nsecs", "ns"},
  {"nanos", "ns"},
  {"nanosecond", "ns"},
  {"nanoseconds", "ns"},
  {"us", "us"},
  {"usec", "us"},
  {"usecs", "us"},
  {"micros", "us"},
  {"microsecond", "us"},
  {"microseconds", "us"},
  {"\xc2\xb5s", "us"},
  {"\xce\xbcs", "us"},
  {"ms", "ms"},
  {"msec", "ms"},
  {"msecs", "ms"},
  {"millis", "ms"},
  {"millisecond", "ms"},
  {"milliseconds", "ms"},
  {"s", "s"},
  {"sec", "s"},
  {"secs", "s"},
  {"second", "s"},
  {"seconds", "s"},
  {"m", "min"},
  {"min", "min"},
  {"mins", "min"},
  {"minute", "min"},
  {"minutes", "min"},
  {"h", "h"},
  {"hr", "h"},
  {"hrs", "h"},
  {"hour", "h"},
  {"hours", "h"},
}};

constexpr std::array<std::string_view, 3> days{"d", "day", "days"};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string in_small_letters(std::string_view text) {
  std::string result{text};
  for (auto& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// 1,5 as 1.5, and .5 as 0.5
std::string with_point(std::string_view number) {
  std::string result{number.front() == '.' || number.front() == ',' ? "0" : ""};
  result.append(number);
  std::replace(result.begin(), result.end(), ',', '.');
  return result;
}

std::string hours_of(std::string_view count) {
  std::uint32_t whole = 0;
  const auto* const end = count.data() + count.size();
  const auto [stop, error] = std::from_chars(count.data(), end, whole);
  if (error != std::errc{} || stop != end || whole > 36'500)
    return {};
  return std::to_string(whole * 24) + "h";
}

std::string span_meant(const std::string& number, const std::string& word) {
  if (std::find(days.begin(), days.end(), word) != days.end())
    return hours_of(number);
  const auto* const spelling = std::find_if(spellings.begin(), spellings.end(),
                                            [&](const Spelling& x) { return x.word == word; });
  return spelling == spellings.end() ? std::string{} : number + std::string{spelling->unit};
}

} // namespace

std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known) {
  if (given.size() > longest_given)
    return {};
  std::string_view nearest;
  auto least = given.size();
  auto is_tied = false;
  for (const auto name : known) {
    const auto wrong = wrong_letters(given, name);
    if (wrong > std::max<std::size_t>(name.size() / 3, 1) || wrong > least || wrong >= given.size())
      continue;
    is_tied = wrong == least && !nearest.empty();
    nearest = name;
    least = wrong;
  }
  if (!nearest.empty())
    return is_tied ? std::string_view{} : nearest;
  if (given.size() < shortest_part)
    return {};
  const auto has_given = [&](std::string_view name) {
    return name.find(given) != std::string_view::npos;
  };
  const auto whole = std::find_if(known.begin(), known.end(), has_given);
  if (whole == known.end() || std::count_if(known.begin(), known.end(), has_given) > 1)
    return {};
  return *whole;
}

std::string did_you_mean(std::string_view given, std::span<const std::string_view> known) {
  const auto name = nearest_name(given, known);
  return name.empty() ? std::string{} : "; did you mean " + std::string{name} + "?";
}

std::string span_advice(std::string_view text) {
  const auto given = trimmed(text);
  const auto length = std::min(given.find_first_not_of("0123456789.,"), given.size());
  if (length == 0 || parse_duration(text))
    return {};
  const auto number = with_point(given.substr(0, length));
  const auto word = in_small_letters(trimmed(given.substr(length)));
  if (word.empty())
    return parse_duration(number + "s") ? "; add a unit: " + number + "ms or " + number + "s"
                                        : std::string{};
  const auto meant = span_meant(number, word);
  return parse_duration(meant) ? "; write " + meant : std::string{};
}

} // namespace backoff_actor::detail
