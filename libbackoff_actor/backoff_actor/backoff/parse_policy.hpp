#pragma once

#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Thrown for a text that is no policy. `what()` shows the place:
///
///     column 20: expected a factor such as x2, or 'cap' and a span such as 30s; found '2'
///       exponential(100ms, 2, cap 30s)
///                          ^
class BACKOFF_ACTOR_EXPORT ParseError : public std::invalid_argument {
public:
  /// Renders the place for `what()`. Bytes of `text` that cannot be printed are shown as `?`; a text
  /// of more than 200 bytes is not shown.
  ParseError(std::string_view text, std::size_t column, const std::string& problem);

  /// Where in the text, in bytes.
  ///
  /// @range 1 to one more than the text is long
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
/// The first two lines take a jitter, but for `decorrelated`: `| full_jitter`, `| equal_jitter`,
/// `| proportional_jitter(20%)`, `| additive_jitter(1s)`, `| gaussian_jitter(10%)`,
/// `| no_jitter`. Arguments can come in any order. Those of the last two lines, and all but the first
/// of the others, can be left out, and have the defaults of the types (`Exponential` and so on) then.
/// Blanks are free. `to_string` gives the form with everything in it, and reading that gives the
/// same policy.
///
/// @errors throws `ParseError` at the first place where something else should be; where all can be
///         read but something is out of range, at the first of these, naming all.
BACKOFF_ACTOR_EXPORT Policy parse_policy(std::string_view text);

} // namespace backoff_actor
