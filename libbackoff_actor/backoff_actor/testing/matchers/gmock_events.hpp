#pragma once

/// @file
/// Matchers of event logs for GoogleMock. Include testing/gmock.hpp.

#include "backoff_actor/testing/record/event_claims.hpp"
#include "backoff_actor/testing/record/event_log.hpp"
#include "backoff_actor/testing/record/event_pattern.hpp"

#include <gmock/gmock.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

/// A matcher of an `EventLog` by a claim about it. The functions below return it.
template <class Claim>
class EventLogMatcher {
public:
  using is_gtest_matcher = void; ///< makes it a matcher

  /// Checks a log with `claim`; the words follow "Expected: ".
  EventLogMatcher(Claim claim, std::string words, std::string negated_words)
    : claim_(std::move(claim)), words_(std::move(words)), negated_words_(std::move(negated_words)) {
  }

  /// Checks the claim, and gives the listener the reason and the timeline.
  bool MatchAndExplain(const EventLog& log, ::testing::MatchResultListener* listener) const {
    const auto finding = claim_(log);
    if (listener->IsInterested()) {
      *listener << finding.text();
      log.set_shown();
    }
    return finding.holds;
  }

  /// Prints what is expected.
  void DescribeTo(std::ostream* out) const { *out << words_; }
  /// Prints what `Not` expects.
  void DescribeNegationTo(std::ostream* out) const { *out << negated_words_; }

private:
  Claim claim_;
  std::string words_;
  std::string negated_words_;
};

namespace detail {

template <class Claim>
EventLogMatcher<Claim> make_matcher(Claim claim, const std::string& what) {
  return {std::move(claim), "saw " + what, "did not see " + what};
}

inline std::string listed(const std::vector<EventPattern>& patterns, std::string_view between) {
  std::string result;
  for (const auto& pattern : patterns)
    result.append(result.empty() ? "" : between).append(pattern.description());
  return result;
}

} // namespace detail

/// Matches a log with such events one after the other, and any others before, between and after
/// them.
template <class... Patterns>
requires(sizeof...(Patterns) > 0) auto SawInOrder(const Patterns&... patterns) {
  std::vector<EventPattern> list{EventPattern{patterns}...};
  const auto words = detail::listed(list, ", then ");
  return detail::make_matcher(
    [list = std::move(list)](const EventLog& log) { return saw_in_order(log, list); }, words);
}

/// Matches a log with exactly these events, in this order. `log.of("orders")` narrows it to the
/// events of one sender.
template <class... Patterns>
auto SawExactly(const Patterns&... patterns) {
  std::vector<EventPattern> list{EventPattern{patterns}...};
  const auto words =
    list.empty() ? "nothing at all" : detail::listed(list, ", then ").insert(0, "exactly ");
  return detail::make_matcher(
    [list = std::move(list)](const EventLog& log) { return saw_exactly(log, list); }, words);
}

/// Matches a log with such an event.
inline auto Saw(const EventPattern& pattern) {
  return detail::make_matcher([pattern](const EventLog& log) { return saw(log, pattern); },
                              pattern.description());
}

/// Matches a log with exactly `times` such events.
inline auto SawTimes(std::size_t times, const EventPattern& pattern) {
  return detail::make_matcher(
    [times, pattern](const EventLog& log) { return saw_times(log, times, pattern); },
    pattern.description() + " " + std::to_string(times) + (times == 1 ? " time" : " times"));
}

/// Matches a log without any such event.
inline auto SawNone(const EventPattern& pattern) {
  const auto claim = [pattern](const EventLog& log) { return saw_times(log, 0, pattern); };
  return EventLogMatcher{claim, "never saw " + pattern.description(),
                         "saw " + pattern.description()};
}

} // namespace backoff_actor::testing
