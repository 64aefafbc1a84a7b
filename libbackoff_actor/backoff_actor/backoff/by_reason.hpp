#pragma once

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/core/cause.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// How failures of one class are retried. What is unset is as for all other failures.
struct ReasonRetries {
  /// The name of the class.
  ///
  /// @range 1 to 64 characters of `a-z`, `0-9` and `_`
  std::string reason;

  /// How many attempts there may be, if the last one failed for this reason. Attempts that failed
  /// for other reasons count too.
  ///
  /// @range 1 to 1,000,000,000
  std::optional<std::uint32_t> max_attempts{};

  /// How long to wait after a failure for this reason. After the third failure in a row it is the
  /// third wait of this policy, whatever the reasons of the first two.
  std::optional<Policy> backoff{};

  /// What a retry after a failure for this reason takes from the retry budget of the guard. Unset:
  /// 1. With 0 the retry is free, and no empty budget holds it back; it waits all the same.
  ///
  /// @range 0 to 1000
  std::optional<double> cost{};

  /// Whether two are the same.
  friend bool operator==(const ReasonRetries&, const ReasonRetries&) = default;
};

/// Returns all that is wrong with a list of them.
BACKOFF_ACTOR_EXPORT Problems check(const std::vector<ReasonRetries>& rows);

/// How failures of certain classes are retried, as an immutable value. Copies share the table, and
/// without one it is a null pointer.
///
/// ByReason by_reason = "throttling: backoff exponential(1s, x2, cap 20s) | full_jitter, cost 5;"
/// "transient: cost 14"; ByReason same{{.reason = "throttling", .backoff = "exponential(1s, ...",
/// .cost = 5.0}, ...};
///
/// Who assesses a failure names its class: `Decision::reason`, `Assessment::reason`.
///
/// @thread safe from any thread, as long as nobody assigns to it.
class BACKOFF_ACTOR_EXPORT ByReason {
public:
  /// All failures are retried alike.
  ByReason() = default;

  /// Keeps the rows.
  ///
  /// @errors throws `InvalidArgument` naming everything that `check` finds wrong.
  explicit ByReason(std::vector<ReasonRetries> rows);

  /// The same.
  ByReason(std::initializer_list<ReasonRetries> rows) : ByReason(std::vector(rows)) {}

  /// What a text says, see `parse_by_reason`.
  ///
  /// @errors throws what `parse_by_reason` throws.
  template <class Text>
  requires(std::convertible_to<const Text&, std::string_view>)
    ByReason(const Text& text) // implicit on purpose
    : ByReason(of_text(text)) {}

  /// Whether all failures are retried alike.
  bool empty() const { return rows_ == nullptr; }

  /// How failures of this class are retried; null: as all others. It lives as long as this value or
  /// a copy of it.
  const ReasonRetries* find(FailureReason reason) const { return rows_ ? found(reason) : nullptr; }

  /// All rows, in the given order.
  const std::vector<ReasonRetries>& rows() const;

  /// Whether a class has a number of attempts of its own.
  bool has_max_attempts() const;

  /// Whether two have the same rows in the same order.
  BACKOFF_ACTOR_EXPORT friend bool operator==(const ByReason& a, const ByReason& b);

private:
  static ByReason of_text(std::string_view text);
  const ReasonRetries* found(FailureReason reason) const;

  std::shared_ptr<const std::vector<ReasonRetries>> rows_;
};

/// Renders it in the form that `parse_by_reason` takes; empty if there is nothing.
BACKOFF_ACTOR_EXPORT std::string to_string(const ByReason& by_reason);

/// Reads how failures of certain classes are retried:
///
///     throttling: max_attempts 5, backoff exponential(1s, x2, cap 20s) | full_jitter, cost 5
///     throttling: cost 5; transient: max_attempts 3, cost 14
///
/// An empty text says nothing.
///
/// @errors throws `ParseError` at the first place that is wrong.
BACKOFF_ACTOR_EXPORT ByReason parse_by_reason(std::string_view text);

namespace detail {

/// Adds a problem for each cost above `most`, what a retry budget holds after a rest.
BACKOFF_ACTOR_EXPORT void check_costs(Problems& problems, const ByReason& by_reason, double most);

/// Returns the state after this many failures in a row, as if all were of the class with this
/// policy. The draws are the last ones before `next_draw`, and that one. Failures beyond the
/// thousandth count as the thousandth.
///
/// @range `failures`: 1 and above
BACKOFF_ACTOR_EXPORT BackOffState state_after(const Policy& policy, std::uint64_t seed,
                                              std::uint64_t stream, std::uint32_t next_draw,
                                              std::uint32_t failures);

} // namespace detail

} // namespace backoff_actor
