#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Thrown for a text that is not a policy. `what()` shows the place:
///
///     column 20: expected a factor such as x2, or 'cap' and a span such as 30s; found '2'
///       exponential(100ms, 2, cap 30s)
///                          ^
class BACKOFF_ACTOR_EXPORT ParseError : public std::invalid_argument {
public:
  /// Renders the place for `what()`. Control characters of `text`, and bytes that are not UTF-8,
  /// are shown as `?`. A text of more than 200 bytes is not shown.
  ParseError(std::string_view text, std::size_t column, const std::string& problem);

  /// The place in the text, in bytes.
  ///
  /// @range 1 to the length of the text plus 1
  std::size_t column() const { return column_; }

  /// What is wrong there: the first line of `what()` without the column.
  const std::string& problem() const { return problem_; }

private:
  std::size_t column_;
  std::string problem_;
};

/// Reads a policy:
///
///     fixed(100ms)                            linear(1s, +1s, cap 10s)
///     exponential(100ms, x2, cap 30s)         decorrelated(100ms, x3, cap 20s)
///     random_slots(10ms, ceiling 10, stay)    ethernet(51.2us, ceiling 10)
///     memorystore(max 64s)                    seed002(100ms, x2, cap 15min, jitter 10%)
///
/// The policies in the first two lines, except `decorrelated`, take a jitter: `| full_jitter`,
/// `| equal_jitter`, `| proportional_jitter(20%)`, `| additive_jitter(1s)`,
/// `| gaussian_jitter(10%)`, `| no_jitter`. Arguments can come in any order. In the first two lines
/// all arguments except the first are optional; in the last two lines all are. An argument that is
/// left out has the default of its type (`Exponential` and so on). Blanks between words are
/// optional. `to_string` writes every argument; reading that text gives the same policy.
///
/// @errors throws `ParseError` at the first place with unexpected text. If the text can be read but
///         values are out of range, it throws at the first of them and names all.
BACKOFF_ACTOR_EXPORT Policy parse_policy(std::string_view text);

} // namespace backoff_actor
