#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

// What all random walks share. A walk is a sequence of drawn steps; after each it checks what must
// hold.
//
// rapidcheck shrinks a walk that fails to the simplest that still fails. It prints what was drawn,
// the story of the walk if it has one, and last a line RC_PARAMS="reproduce=...": set that and run
// the same test to have just this walk again. RC_PARAMS="seed=... max_success=..." repeats a whole
// run, or walks more often:
//
//     RC_PARAMS="max_success=20000" ./build/dev/tests/model_tests --gtest_filter="*per_key*"

namespace backoff_actor::test {

/// Numbers below `end`, as large in the first walk of a test as in the last.
template <class T>
rc::Gen<T> below(T end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(0, end));
}

/// Fails the walk unless the claim holds.
inline void require(bool holds, std::string_view claim) {
  if (!holds)
    RC_FAIL("not so: " + std::string{claim});
}

/// What `gen` draws, less what `theme` takes from it.
template <class T, class Theme>
rc::Gen<T> themed(const rc::Gen<T>& gen, Theme theme) {
  return rc::gen::map(gen, [=](T x) {
    theme(x);
    return x;
  });
}

/// A kind of step: how often it comes compared with the others, and its name.
template <class Action>
struct Choice {
  std::size_t weight;
  Action action;
  const char* name;
};

/// Each action as many times as its weight says, in the order of the choices.
template <class Action, std::size_t n>
std::vector<Action> by_weight(const Choice<Action> (&choices)[n]) {
  std::vector<Action> result;
  for (const auto& x : choices)
    result.insert(result.end(), x.weight, x.action);
  return result;
}

template <class Action, std::size_t n>
rc::Gen<Action> weighted(const Choice<Action> (&choices)[n]) {
  return rc::gen::elementOf(by_weight(choices));
}

template <class Action, std::size_t n>
const char* name_of(Action action, const Choice<Action> (&choices)[n]) {
  for (const auto& x : choices)
    if (x.action == action)
      return x.name;
  return "?";
}

/// A step of a walk: what to do, and a number that says with which one, or how, or how far.
template <class Action, const auto& choices>
struct DrawnStep {
  Action action;
  std::uint32_t number;

  static rc::Gen<DrawnStep> any(const rc::Gen<std::uint32_t>& any_number) {
    return rc::gen::build<DrawnStep>(rc::gen::set(&DrawnStep::action, weighted(choices)),
                                     rc::gen::set(&DrawnStep::number, any_number));
  }
};

template <class Action, const auto& choices>
void showValue(const DrawnStep<Action, choices>& x,
               std::ostream& out) { // NOLINT: rapidcheck's name
  out << name_of(x.action, choices) << ' ' << x.number;
}

/// Checks a property with so many cases, unless RC_PARAMS says how many. Returns whether it held.
///
/// `rc::check` takes their number from the environment alone, so for a whole program.
template <class Property>
bool check_cases(int cases, Property property) {
  const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  auto params = rc::detail::configuration().testParams;
  const auto* const given = std::getenv("RC_PARAMS");
  if (given == nullptr || std::string_view{given}.find("max_success") == std::string_view::npos)
    params.maxSuccess = cases;
  std::cerr << "- " << name << ", seed=" << params.seed << " max_success=" << params.maxSuccess
            << '\n';
  const auto result =
    rc::detail::checkTestable(property, rc::detail::TestMetadata{name, name}, params);
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << '\n';
  return result.template is<rc::detail::SuccessResult>();
}

/// Makes walks and takes their steps. Returns whether all held.
///
/// `make_walk` draws what the walk is made with. `length` is how many steps there are, compared
/// with the elements of a vector that rapidcheck draws. `cases` is how many walks there are, unless
/// RC_PARAMS says it.
template <class MakeWalk, class Step>
bool walks_hold(MakeWalk make_walk, double length, const rc::Gen<Step>& step, int cases = 2000) {
  return check_cases(cases, [=] {
    auto walk = make_walk();
    const auto steps = *rc::gen::scale(length, rc::gen::container<std::vector<Step>>(step));
    try {
      if constexpr (requires { walk.begin(); })
        walk.begin();
      for (const auto& x : steps)
        walk.take(x);
      if constexpr (requires { walk.finish(); })
        walk.finish();
    } catch (...) {
      if constexpr (requires { walk.story(); })
        RC_LOG(walk.story());
      throw;
    }
  });
}

} // namespace backoff_actor::test
