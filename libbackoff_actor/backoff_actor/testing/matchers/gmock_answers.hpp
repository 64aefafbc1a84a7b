#pragma once

/// @file
/// Matchers of answers for GoogleMock. Include testing/gmock.hpp.

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/testing/time/answer.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace backoff_actor::testing {

namespace detail {

template <class T>
const Answer<T>& answer_of(const Answer<T>& answer) {
  return answer;
}

template <class T>
const Answer<T>& answer_of(const std::shared_ptr<Answer<T>>& answer) {
  return *answer;
}

// A matcher of answers that applies the matcher `M` to the value, of any type.
template <class M>
class AnsweredMatcher {
public:
  explicit AnsweredMatcher(M inner) : inner_(std::move(inner)) {}

  template <class A>
  operator ::testing::Matcher<A>() const { // NOLINT(google-explicit-constructor): as gmock wants it
    return ::testing::Matcher<A>(new Impl<A>(inner_));
  }

private:
  template <class A>
  class Impl final : public ::testing::MatcherInterface<A> {
  public:
    using Value = std::decay_t<decltype(*answer_of(std::declval<A>()).value)>;

    explicit Impl(const M& inner) : inner_(::testing::MatcherCast<const Value&>(inner)) {}

    bool MatchAndExplain(A x, ::testing::MatchResultListener* listener) const override {
      const auto& answer = answer_of(x);
      return answer.value && inner_.MatchAndExplain(*answer.value, listener);
    }

    void DescribeTo(std::ostream* out) const override {
      *out << "an answer that ";
      inner_.DescribeTo(out);
    }

    void DescribeNegationTo(std::ostream* out) const override {
      *out << "no answer that ";
      inner_.DescribeTo(out);
    }

  private:
    ::testing::Matcher<const Value&> inner_;
  };

  M inner_;
};

// A matcher of error answers by the rendered text of the error.
class ErrorTextMatcher {
public:
  explicit ErrorTextMatcher(::testing::Matcher<const std::string&> inner)
    : inner_(std::move(inner)) {}

  template <class A>
  bool MatchAndExplain(const A& x, ::testing::MatchResultListener* listener) const {
    const auto& answer = answer_of(x);
    return answer.error && inner_.MatchAndExplain(answer.error_text, listener);
  }

  void DescribeTo(std::ostream* out) const {
    *out << "an error whose text ";
    inner_.DescribeTo(out);
  }

  void DescribeNegationTo(std::ostream* out) const {
    *out << "no error whose text ";
    inner_.DescribeTo(out);
  }

private:
  ::testing::Matcher<const std::string&> inner_;
};

// A matcher of error answers by their code, with any context.
class ErrorCodeMatcher {
public:
  ErrorCodeMatcher(caf::error error, std::string words)
    : error_(std::move(error)), words_(std::move(words)) {}

  template <class A>
  bool MatchAndExplain(const A& x, ::testing::MatchResultListener*) const {
    const auto& answer = answer_of(x);
    return answer.error && *answer.error == error_;
  }

  void DescribeTo(std::ostream* out) const { *out << "the error " << words_; }
  void DescribeNegationTo(std::ostream* out) const { *out << "not the error " << words_; }

private:
  caf::error error_;
  std::string words_;
};

// A matcher of answers that have not come.
class PendingMatcher {
public:
  template <class A>
  bool MatchAndExplain(const A& x, ::testing::MatchResultListener*) const {
    return !answer_of(x).is_ready();
  }

  void DescribeTo(std::ostream* out) const { *out << "no answer yet"; }
  void DescribeNegationTo(std::ostream* out) const { *out << "an answer or an error"; }
};

} // namespace detail

/// Matches an `Answer`, or the result of `VirtualTime::ask`, whose value equals `value`, or matches
/// it if `value` is a matcher.
template <class M>
auto Answered(M value) {
  return detail::AnsweredMatcher<M>{std::move(value)};
}

/// Matches any value.
inline auto Answered() { return Answered(::testing::_); }

/// Matches an `Answer` that is an error. `expected` is its code, a part of its text, or a matcher
/// of its text.
template <class E>
auto AnsweredError(E expected) {
  if constexpr (std::is_enum_v<E>)
    return ::testing::MakePolymorphicMatcher(
      detail::ErrorCodeMatcher{make_error(expected), to_string(expected)});
  else if constexpr (std::is_convertible_v<E, std::string_view>)
    return ::testing::MakePolymorphicMatcher(
      detail::ErrorTextMatcher{::testing::HasSubstr(std::string{std::string_view{expected}})});
  else
    return ::testing::MakePolymorphicMatcher(
      detail::ErrorTextMatcher{::testing::MatcherCast<const std::string&>(std::move(expected))});
}

/// Matches any error.
inline auto AnsweredError() { return AnsweredError(::testing::_); }

/// Matches an `Answer` that has not come.
inline auto IsPending() { return ::testing::MakePolymorphicMatcher(detail::PendingMatcher{}); }

} // namespace backoff_actor::testing
