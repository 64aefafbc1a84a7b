#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::testing {

namespace detail {

template <class F>
class PlanParser;

} // namespace detail

/// A sequence of faults, as an immutable value. The n-th fault is always the same, also if it is
/// random. The user of a plan counts n.
///
///     FaultPlan{"ok*3, crash, hang, error(503, retry_after 2s)*2, slow 500ms, ok..."}
///     FaultPlan{"(ok*9, crash)..."}                       every tenth message, for ever
///     FaultPlan{"random(seed 7, crash 10%, slow 1s 5%)"}  for ever, unless a number follows: *1000
///
/// After the end of the plan nothing goes wrong. `FaultPlan` is for messages and calls, `BirthPlan`
/// for starts of children, `ConnectionPlan` for connections.
///
/// @shape  `part { ',' part }`, where a part is a fault, a plan in brackets or `random(...)`, and
///         may be followed by `*` and a number of times. The last part may be followed by `...`
///         instead, which repeats it for ever. Blanks between words are optional.
/// @thread safe from any thread.
template <class F>
class BACKOFF_ACTOR_EXPORT BasicFaultPlan {
public:
  /// A fault of a random part, and its probability.
  struct Chance {
    double probability = 0; ///< from 0 to 1
    F fault{};              ///< the fault

    /// Whether both have the same fault and probability.
    friend bool operator==(const Chance&, const Chance&) = default;
  };

  /// Nothing goes wrong.
  BasicFaultPlan() = default;

  /// One fault.
  BasicFaultPlan(F fault); // NOLINT(google-explicit-constructor)

  /// Reads the text form.
  ///
  /// @errors throws `ParseError` at the first place where something else should be.
  BasicFaultPlan(std::string_view text); // NOLINT(google-explicit-constructor)

  /// Reads the text form.
  ///
  /// @errors throws `ParseError` at the first place where something else should be.
  BasicFaultPlan(const char* text) // NOLINT(google-explicit-constructor)
    : BasicFaultPlan(std::string_view{text}) {}

  /// Reads the text form.
  ///
  /// @errors throws `ParseError` at the first place where something else should be.
  BasicFaultPlan(const std::string& text) // NOLINT(google-explicit-constructor)
    : BasicFaultPlan(std::string_view{text}) {}

  /// Several plans, one after the other.
  ///
  /// @errors throws `InvalidArgument` if a plan other than the last never ends, or if all together
  ///         are longer than `max_length`.
  BasicFaultPlan(std::initializer_list<BasicFaultPlan> plans);

  /// The same plan `count` times.
  ///
  /// @errors throws `InvalidArgument` if the plan never ends, or becomes longer than `max_length`.
  static BasicFaultPlan repeated(std::uint64_t count, const BasicFaultPlan& plan);

  /// The same plan for ever.
  ///
  /// @errors throws `InvalidArgument` if the plan never ends, or is empty.
  static BasicFaultPlan repeated_for_ever(const BasicFaultPlan& plan);

  /// Draws each fault independently, from `Draws{seed, 0}`. If no fault is drawn, nothing goes
  /// wrong. The plan has `count` draws; without `count` it never ends.
  ///
  /// @errors throws `InvalidArgument` unless every probability is in [0, 1] and so is their sum,
  ///         and `count` is at most `max_length`.
  static BasicFaultPlan random(std::uint64_t seed, std::vector<Chance> chances,
                               std::optional<std::uint64_t> count = std::nullopt);

  /// Returns the n-th fault, counted from 0.
  F operator[](std::uint64_t n) const;

  /// Returns the length of the plan, after which nothing goes wrong; nothing if it never ends.
  std::optional<std::uint64_t> length() const;

  /// Returns the same plan with new seeds: its first random part gets `seed`, the second
  /// `seed + 1`, and so on.
  BasicFaultPlan with_seed(std::uint64_t seed) const;

  /// Returns the text form, from which the same plan is read.
  std::string to_string() const;

  /// The maximum length of a plan that ends.
  static constexpr std::uint64_t max_length = 1'000'000'000'000'000'000;

  /// The maximum nesting depth of plans.
  static constexpr std::size_t max_depth = 16;

  /// Whether both are made of the same parts.
  friend bool operator==(const BasicFaultPlan&, const BasicFaultPlan&) = default;

private:
  friend class detail::PlanParser<F>;

  struct Random {
    std::uint64_t seed = 0;
    std::vector<Chance> chances;

    F operator[](std::uint64_t n) const;
    std::string to_string() const;
    friend bool operator==(const Random&, const Random&) = default;
  };

  struct Part {
    std::variant<F, Random, std::vector<Part>> what{};
    std::uint64_t each = 1;  // the number of faults in one repetition
    std::uint64_t begin = 0; // its position in the plan that it is a part of
    std::uint64_t count = 1; // the number of repetitions, or `for_ever`

    friend bool operator==(const Part&, const Part&) = default;
  };
  using Parts = std::vector<Part>;

  static constexpr std::uint64_t for_ever = ~std::uint64_t{0};

  static Problems check(const std::vector<Chance>& chances);
  static std::uint64_t end_of(const Part& part);
  static std::uint64_t end_of(const Parts& parts);
  static std::size_t depth_of(const Parts& parts);
  static const char* problem_of(std::uint64_t count, const Parts& parts);
  static const char* problem_of(const Parts& parts, const Part& next);
  static Part times(std::uint64_t count, Parts parts);
  static void append(Parts& parts, Part part);
  static F fault_at(const Parts& parts, std::uint64_t n);
  static void reseed(Parts& parts, std::uint64_t& seed);
  static std::string text_of(const Parts& parts);

  Parts parts_;
};

/// Renders a plan in its text form.
template <class F>
std::string to_string(const BasicFaultPlan<F>& plan) {
  return plan.to_string();
}

} // namespace backoff_actor::testing
