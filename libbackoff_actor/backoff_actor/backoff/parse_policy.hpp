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
///     column 14: expected '|' and a jitter, or the end; found 'full_jitter'
///       linear(100ms) full_jitter
///                     ^
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
///     polynomial(15s, +1s, ^4, cap 1h)        steps(20s, 5min, 30min)
///     memorystore(max 64s)                    seed002(100ms, x2, cap 15min, jitter 10%)
///
/// `fixed`, `linear`, `exponential`, `polynomial` and `steps` take more, each once, in any order:
///
/// - a jitter: `| full_jitter`, `| equal_jitter`, `| proportional_jitter(20%)`,
///   `| additive_jitter(1s)`, `| additive_jitter(30%)`, `| gaussian_jitter(10%)`, `| no_jitter`,
///   `| additive_jitter(9s, per_retry, cap_last)`. Its other arguments are `carried`, and
///   `cap_first` or `cap_last`;
/// - `| first_wait(0ns)`, `| first_wait(0ns, times 4)`;
/// - `| whole_seconds`.
///
/// `like celery` and other names of `like` stand for the formula and all that is added to it.
///
/// Arguments can come in any order, except those of `steps`. The first argument of `fixed`,
/// `linear`, `exponential`, `decorrelated`, `polynomial` and `steps` is required, all others are
/// optional. One that is left out has the default of its type (`Exponential` and so on). Blanks
/// between words are optional. `to_string` writes every argument; reading that text gives the same
/// policy.
///
/// @errors throws `ParseError` at the first place with unexpected text. If the text can be read but
///         values are out of range, it throws at the first of them and names all.
BACKOFF_ACTOR_EXPORT Policy parse_policy(std::string_view text);

} // namespace backoff_actor
