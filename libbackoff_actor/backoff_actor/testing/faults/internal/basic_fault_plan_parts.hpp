#pragma once

// Inside of the fault plans; not for their users. The members that all kinds of plans share. The
// source file of each kind includes this, and instantiates them.

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/testing/faults/basic_fault_plan.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor::testing {

// -- making ---------------------------------------------------------------------------

template <class F>
BasicFaultPlan<F>::BasicFaultPlan(F fault) {
  // Constructed in place, because GCC 12 with sanitizers takes a moved part for uninitialised.
  parts_.emplace_back().what.template emplace<F>(std::move(fault));
}

template <class F>
BasicFaultPlan<F>::BasicFaultPlan(std::string_view text)
  : BasicFaultPlan(detail::PlanParser<F>{text}.whole_text()) {}

template <class F>
BasicFaultPlan<F>::BasicFaultPlan(std::initializer_list<BasicFaultPlan> plans) {
  Problems problems;
  for (const auto& plan : plans)
    for (const auto& part : plan.parts_) {
      if (const auto* const allowed = problem_of(parts_, part))
        problems.add("plans", testing::to_string(plan), allowed);
      problems.raise_if_any();
      append(parts_, part);
    }
}

template <class F>
BasicFaultPlan<F> BasicFaultPlan<F>::repeated(std::uint64_t count, const BasicFaultPlan& plan) {
  Problems problems;
  if (count == for_ever)
    problems.add("count", std::to_string(count),
                 std::string{"0.."}.append(std::to_string(max_length)));
  else if (const auto* const allowed = problem_of(count, plan.parts_))
    problems.add("plan", testing::to_string(plan) + " " + std::to_string(count) + " times",
                 allowed);
  problems.raise_if_any();
  BasicFaultPlan result;
  if (count == 1)
    return plan;
  if (count != 0 && !plan.parts_.empty())
    append(result.parts_, times(count, plan.parts_));
  return result;
}

template <class F>
BasicFaultPlan<F> BasicFaultPlan<F>::repeated_for_ever(const BasicFaultPlan& plan) {
  Problems problems;
  if (plan.parts_.empty())
    problems.add("plan", "one without faults", "one with faults");
  else if (const auto* const allowed = problem_of(for_ever, plan.parts_))
    problems.add("plan", testing::to_string(plan), allowed);
  problems.raise_if_any();
  BasicFaultPlan result;
  append(result.parts_, times(for_ever, plan.parts_));
  return result;
}

template <class F>
BasicFaultPlan<F> BasicFaultPlan<F>::random(std::uint64_t seed, std::vector<Chance> chances,
                                            std::optional<std::uint64_t> count) {
  auto problems = check(chances);
  if (count && *count > max_length)
    problems.add("count", std::to_string(*count),
                 std::string{"0.."}.append(std::to_string(max_length)));
  problems.raise_if_any();
  BasicFaultPlan result;
  if (!count || *count != 0)
    append(result.parts_, {Random{seed, std::move(chances)}, 1, 0, count.value_or(for_ever)});
  return result;
}

template <class F>
Problems BasicFaultPlan<F>::check(const std::vector<Chance>& chances) {
  Problems problems;
  double sum = 0;
  for (const auto& x : chances) {
    if (!(x.probability >= 0 && x.probability <= 1))
      problems.add("probability", backoff_actor::detail::percent(x.probability), "0%..100%");
    sum += x.probability;
  }
  // The tolerance is for rounding: ten times 0.1 is not exactly 1.
  if (problems.empty() && sum > 1 + 1e-9)
    problems.add("probabilities", backoff_actor::detail::percent(sum) + " together", "0%..100%");
  return problems;
}

// -- asking ---------------------------------------------------------------------------

template <class F>
F BasicFaultPlan<F>::operator[](std::uint64_t n) const {
  return fault_at(parts_, n);
}

template <class F>
F BasicFaultPlan<F>::Random::operator[](std::uint64_t n) const {
  auto u = Draws{seed, 0}(n);
  for (const auto& x : chances) {
    if (u < x.probability)
      return x.fault;
    u -= x.probability;
  }
  return {};
}

template <class F>
F BasicFaultPlan<F>::fault_at(const Parts& parts, std::uint64_t n) {
  auto next = std::upper_bound(parts.begin(), parts.end(), n,
                               [](std::uint64_t at, const Part& part) { return at < part.begin; });
  if (next == parts.begin())
    return {};
  const auto& part = *--next;
  if (n >= end_of(part))
    return {};
  n -= part.begin;
  if (const auto* const random = std::get_if<Random>(&part.what))
    return (*random)[n];
  if (const auto* const inner = std::get_if<Parts>(&part.what))
    return fault_at(*inner, n % part.each);
  return std::get<F>(part.what);
}

template <class F>
std::optional<std::uint64_t> BasicFaultPlan<F>::length() const {
  const auto end = end_of(parts_);
  return end == for_ever ? std::nullopt : std::optional{end};
}

template <class F>
BasicFaultPlan<F> BasicFaultPlan<F>::with_seed(std::uint64_t seed) const {
  auto result = *this;
  reseed(result.parts_, seed);
  return result;
}

template <class F>
void BasicFaultPlan<F>::reseed(Parts& parts, std::uint64_t& seed) {
  for (auto& part : parts) {
    if (auto* const random = std::get_if<Random>(&part.what))
      random->seed = seed++;
    else if (auto* const inner = std::get_if<Parts>(&part.what))
      reseed(*inner, seed);
  }
}

// -- parts ----------------------------------------------------------------------------

template <class F>
std::uint64_t BasicFaultPlan<F>::end_of(const Part& part) {
  return part.count == for_ever ? for_ever : part.begin + part.each * part.count;
}

template <class F>
std::uint64_t BasicFaultPlan<F>::end_of(const Parts& parts) {
  return parts.empty() ? 0 : end_of(parts.back());
}

template <class F>
std::size_t BasicFaultPlan<F>::depth_of(const Parts& parts) {
  std::size_t deepest = 0;
  for (const auto& part : parts)
    if (const auto* const inner = std::get_if<Parts>(&part.what))
      deepest = std::max(deepest, depth_of(*inner));
  return deepest + 1;
}

// Returns null if these parts can be repeated so often; otherwise what would be allowed.
template <class F>
const char* BasicFaultPlan<F>::problem_of(std::uint64_t count, const Parts& parts) {
  const auto each = end_of(parts);
  if (count != 1 && each == for_ever)
    return "one that ends";
  if (count != for_ever && count != 0 && each > max_length / count)
    return "at most 10^18 faults";
  return depth_of(parts) >= max_depth ? "plans in plans at most 16 deep" : nullptr;
}

// Returns null if `next` can come after `parts`; otherwise what would be allowed.
template <class F>
const char* BasicFaultPlan<F>::problem_of(const Parts& parts, const Part& next) {
  const auto end = end_of(parts);
  if (end == for_ever)
    return "nothing after one that never ends";
  if (next.count != for_ever && next.each * next.count > max_length - end)
    return "at most 10^18 faults";
  return nullptr;
}

template <class F>
typename BasicFaultPlan<F>::Part BasicFaultPlan<F>::times(std::uint64_t count, Parts parts) {
  if (parts.size() == 1 && parts.front().count == 1
      && std::holds_alternative<F>(parts.front().what)) {
    auto result = std::move(parts.front());
    result.count = count;
    return result;
  }
  const auto each = end_of(parts);
  return {std::move(parts), each, 0, count};
}

template <class F>
void BasicFaultPlan<F>::append(Parts& parts, Part part) {
  part.begin = end_of(parts);
  parts.push_back(std::move(part));
}

// -- text -----------------------------------------------------------------------------

template <class F>
std::string BasicFaultPlan<F>::to_string() const {
  return text_of(parts_);
}

template <class F>
std::string BasicFaultPlan<F>::Random::to_string() const {
  auto result = std::string{"random(seed "}.append(std::to_string(seed));
  for (const auto& x : chances)
    result.append(", ")
      .append(testing::to_string(x.fault))
      .append(" ")
      .append(backoff_actor::detail::percent(x.probability));
  return result.append(")");
}

template <class F>
std::string BasicFaultPlan<F>::text_of(const Parts& parts) {
  std::string result;
  for (const auto& part : parts) {
    if (!result.empty())
      result += ", ";
    const auto* const random = std::get_if<Random>(&part.what);
    if (random)
      result += random->to_string();
    else if (const auto* const inner = std::get_if<Parts>(&part.what))
      result.append("(").append(text_of(*inner)).append(")");
    else
      result += testing::to_string(std::get<F>(part.what));
    if (part.count == for_ever)
      result += random ? "" : "...";
    else if (part.count != 1 || random)
      result.append("*").append(std::to_string(part.count));
  }
  return result;
}

} // namespace backoff_actor::testing
