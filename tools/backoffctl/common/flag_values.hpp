#pragma once

#include "command.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoffctl {

/// Renders what was given for a flag, for a complaint: `'1 parsec'`, or `nothing`.
std::string quoted(const std::string& given);

/// Renders the error of a text for a complaint: what shows the place is further in than the line
/// with the flag's name.
std::string indented(const std::string& text);

/// As `read_duration`, in seconds.
///
/// @range `shortest_s`, which may be 0, to `tuning_longest_s`
std::optional<double> read_span_s(const std::string& flag, const std::string& given,
                                  double shortest_s, backoff_actor::Problems& problems);

/// Reads a span such as `1s`, `500ms`, `1.5us`, `2min` or `10h`, exactly; nothing, and a problem,
/// if that is something else or out of range.
std::optional<backoff_actor::Duration>
read_duration(const std::string& flag, const std::string& given, backoff_actor::Duration from,
              backoff_actor::Duration to, backoff_actor::Problems& problems);

/// Reads a number such as `2`, `1.1` or `1e-3`; nothing, and a problem, if that is something else
/// or out of range.
std::optional<double> read_number(const std::string& flag, const std::string& given, double from,
                                  double to, backoff_actor::Problems& problems);

/// Reads a whole number, of digits alone; nothing, and a problem, if that is something else or out
/// of range.
std::optional<std::uint64_t> read_whole(const std::string& flag, const std::string& given,
                                        std::uint64_t from, std::uint64_t to,
                                        backoff_actor::Problems& problems);

// -- readers of flags -----------------------------------------------------------------

// They keep references. What is wrong leaves the value as it is; one that is optional tells then
// that nothing was read.

/// Keeps the text: in a string, or in one that is optional.
template <class T>
Reader text(T& value) {
  return [&value](const auto&, const std::string& given, Problems&) { value = given; };
}

/// Keeps what `read_it(flag, given, problems)` returns, if it does.
template <class T, class Read>
Reader read_into(T& value, Read read_it) {
  return [&value, read_it](const std::string& flag, const std::string& given, Problems& problems) {
    if (const auto read = read_it(flag, given, problems))
      value = static_cast<T>(*read);
  };
}

/// As `read_whole`.
template <class T>
Reader whole(T& value, std::uint64_t from, std::uint64_t to) {
  return read_into(value, [from, to](const auto& flag, const auto& given, Problems& problems) {
    return read_whole(flag, given, from, to, problems);
  });
}

/// As `read_number`.
template <class T>
Reader number(T& value, double from, double to) {
  return read_into(value, [from, to](const auto& flag, const auto& given, Problems& problems) {
    return read_number(flag, given, from, to, problems);
  });
}

/// As `read_duration`.
template <class T>
Reader span(T& value, backoff_actor::Duration from, backoff_actor::Duration to) {
  return read_into(value, [from, to](const auto& flag, const auto& given, Problems& problems) {
    return read_duration(flag, given, from, to, problems);
  });
}

/// As `read_span_s`.
template <class T>
Reader span_s(T& value, double shortest_s) {
  return read_into(value, [shortest_s](const auto& flag, const auto& given, Problems& problems) {
    return read_span_s(flag, given, shortest_s, problems);
  });
}

/// Reads one of some words.
template <class T>
Reader choice(T& value, std::vector<std::pair<std::string, T>> words) {
  return [&value, words = std::move(words)](const std::string& flag, const std::string& given,
                                            Problems& problems) {
    std::string allowed;
    for (std::size_t i = 0; i < words.size(); ++i) {
      allowed += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i].first;
      if (given == words[i].first) {
        value = words[i].second;
        return;
      }
    }
    problems.add(flag, quoted(given), allowed);
  };
}

/// Reads one value by a reader of several.
template <class T>
Reader one(T& value, ListReader (*several)(std::vector<T>&)) {
  return [&value, several](const std::string& flag, const std::string& given, Problems& problems) {
    std::vector<T> values;
    several(values)(flag, {given}, problems);
    if (!values.empty())
      value = values.front();
  };
}

/// Reads each value of a list, at most so many, by a reader of one value.
template <class T, class MakeReader>
ListReader each(std::vector<T>& values, std::size_t most, MakeReader make_reader) {
  return [&values, most, make_reader](const std::string& flag,
                                      const std::vector<std::string>& given, Problems& problems) {
    values.clear();
    if (given.size() > most)
      problems.add(flag, std::to_string(given.size()) + " of them", "1.." + std::to_string(most));
    for (std::size_t i = 0; i < std::min(given.size(), most); ++i)
      make_reader(values.emplace_back())(flag, given[i], problems);
  };
}

} // namespace backoffctl
