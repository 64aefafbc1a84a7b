#pragma once

/// @file
/// Matchers of ledgers for GoogleMock. Include testing/gmock.hpp.

#include "backoff_actor/testing/record/ledger.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <utility>

namespace backoff_actor::testing {

namespace detail {

inline LedgerSummary summary_of(const Ledger& ledger) { return ledger.summary(); }
inline const LedgerSummary& summary_of(const LedgerSummary& summary) { return summary; }

// The numbers are in the summary, which is printed before this.
inline void explain(const std::string& found, ::testing::MatchResultListener* listener) {
  if (!found.empty())
    *listener << "namely " << found;
}

// A matcher of ledgers, and of summaries, in which a search for faults finds nothing.
class FaultlessMatcher {
public:
  FaultlessMatcher(std::string (LedgerSummary::*search)() const, const char* words,
                   const char* negated_words)
    : search_(search), words_(words), negated_words_(negated_words) {}

  template <class L>
  bool MatchAndExplain(const L& ledger, ::testing::MatchResultListener* listener) const {
    const auto found = (summary_of(ledger).*search_)();
    explain(found, listener);
    return found.empty();
  }

  void DescribeTo(std::ostream* out) const { *out << words_; }
  void DescribeNegationTo(std::ostream* out) const { *out << negated_words_; }

private:
  std::string (LedgerSummary::*search_)() const;
  const char* words_;
  const char* negated_words_;
};

// A matcher of ledgers, and of summaries, by the number of their duplicates.
class DuplicatesMatcher {
public:
  explicit DuplicatesMatcher(::testing::Matcher<std::uint64_t> inner) : inner_(std::move(inner)) {}

  template <class L>
  bool MatchAndExplain(const L& ledger, ::testing::MatchResultListener* listener) const {
    const auto& summary = summary_of(ledger);
    explain(summary.duplicates_text(), listener);
    return inner_.Matches(summary.duplicates.count);
  }

  void DescribeTo(std::ostream* out) const {
    *out << "has a number of duplicates that ";
    inner_.DescribeTo(out);
  }

  void DescribeNegationTo(std::ostream* out) const {
    *out << "has a number of duplicates that ";
    inner_.DescribeNegationTo(out);
  }

private:
  ::testing::Matcher<std::uint64_t> inner_;
};

} // namespace detail

/// Matches a `Ledger`, or its summary, in which each submitted message has ended or is still owed,
/// and each acknowledged message was executed.
inline auto LostNothing() {
  return ::testing::MakePolymorphicMatcher(
    detail::FaultlessMatcher{&LedgerSummary::losses_text, "lost nothing", "lost something"});
}

/// Matches a `Ledger`, or its summary, that lost nothing, in which nothing ended twice, and in
/// which only submitted messages ended or were executed. Duplicates are no fault.
inline auto IsBalanced() {
  return ::testing::MakePolymorphicMatcher(
    detail::FaultlessMatcher{&LedgerSummary::faults_text, "is balanced", "is not balanced"});
}

/// Matches a `Ledger`, or its summary, by the number of executions beyond one per submission.
/// `count` is a number or a matcher.
template <class M>
auto HasDuplicates(M count) {
  return ::testing::MakePolymorphicMatcher(
    detail::DuplicatesMatcher{::testing::MatcherCast<std::uint64_t>(std::move(count))});
}

} // namespace backoff_actor::testing
