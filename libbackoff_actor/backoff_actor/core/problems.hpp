#pragma once

#include "backoff_actor/core/export.hpp"

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace backoff_actor {

/// One argument that cannot be used.
struct Problem {
  std::string field;   ///< as the caller spells it, for example `backoff.ceiling`
  std::string given;   ///< the value that was given, with its unit
  std::string allowed; ///< what is allowed, for example `1..62`; empty: `given` says it
};

/// All that is wrong with the arguments of one call.
class BACKOFF_ACTOR_EXPORT Problems {
public:
  /// Problems of arguments that need no name, or of a nested value.
  Problems() = default;

  /// Says whose arguments they are: `SenderOptions of billing`. Each line of the text begins with
  /// it.
  explicit Problems(std::string of) : of_(std::move(of)) {}

  /// Adds a problem.
  void add(std::string field, std::string given, std::string allowed);

  /// Adds the problems of a nested value. Their fields get the prefix `prefix` and a dot, and the
  /// nested `of` is left out.
  void add_nested(const std::string& prefix, const Problems& nested);

  /// Whether all arguments can be used.
  bool empty() const { return list_.empty(); }
  /// The problems, in the order in which they were added.
  const std::vector<Problem>& list() const { return list_; }
  /// Whose arguments they are; empty: it was not said.
  const std::string& of() const { return of_; }

  /// Throws if there are problems.
  ///
  /// @errors throws `InvalidArgument` with all of them.
  void raise_if_any() const;

private:
  std::string of_;
  std::vector<Problem> list_;
};

/// Renders one problem a line, without a line end after the last: `ceiling: got 0, allowed 1..62`,
/// or `SenderOptions of billing: capacity: got 0, allowed 1..268435455`.
BACKOFF_ACTOR_EXPORT std::string to_string(const Problems& problems);

/// Thrown by a call whose arguments cannot be used, before it starts or changes anything.
class BACKOFF_ACTOR_EXPORT InvalidArgument : public std::invalid_argument {
public:
  /// Keeps the problems and renders them for `what()`.
  explicit InvalidArgument(Problems problems);

  /// What was wrong, for programs; `what()` says the same to people.
  const Problems& problems() const { return problems_; }

private:
  Problems problems_;
};

namespace detail {

/// The largest count of options that have no bound of their own. It is there so that a negative
/// number, which becomes a large one, is out of range.
inline constexpr std::uint32_t most_count = 1'000'000'000;

/// Returns a count as its user wrote it. A negative number that an unsigned field took in is shown
/// as that number, down to a million: -1 and not 4294967295.
template <std::unsigned_integral Number>
std::string text_of_count(Number given) {
  const std::int64_t as_signed = static_cast<std::make_signed_t<Number>>(given);
  const auto was_negative = as_signed < 0 && as_signed >= -1'000'000;
  return was_negative ? std::to_string(as_signed) : std::to_string(given);
}

} // namespace detail

} // namespace backoff_actor
