#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/events.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace backoff_actor::testing {

using backoff_actor::to_string; // for spans; the overloads below would hide it

/// A test for events, with a description in words. The patterns of event_patterns.hpp convert to
/// it, bare or narrowed. Others can be constructed directly:
///
///     const EventPattern late{"late", [](const Event& x) { return time_of(x) > noon; }};
class BACKOFF_ACTOR_EXPORT EventPattern {
public:
  /// Fits the events for which `fits` is true.
  ///
  /// @range  `fits` must not be empty.
  EventPattern(std::string description, std::function<bool(const Event&)> fits);

  /// The description of matching events, as a noun phrase: `child down (incarnation 2)`.
  const std::string& description() const { return description_; }

  /// Whether the pattern fits an event of that sender.
  bool fits(const Event& event, std::string_view sender = {}) const;

  /// Whether an event has at least the type and the sender of the pattern. If no event fits, a
  /// failed test shows the nearest one. False for patterns without a type.
  bool is_near(const Event& event, std::string_view sender = {}) const;

  /// Returns the same pattern, narrowed to the sender of that name, see `EventLog::hook`.
  EventPattern of(std::string sender) const;

private:
  using Test = std::function<bool(const Event&, std::string_view sender)>;

  template <class>
  friend class EventPatternOf;
  friend EventPattern operator||(const EventPattern& a, const EventPattern& b);

  EventPattern(std::string description, Test fits, Test is_near);

  std::string description_;
  Test fits_;
  Test is_near_;
};

/// Fits an event that `a` or `b` fits.
BACKOFF_ACTOR_EXPORT EventPattern operator||(const EventPattern& a, const EventPattern& b);

/// Narrows a pattern by the number of a child, see `incarnation`.
struct Incarnation {
  std::uint32_t number; ///< counted from 1
};

/// Narrows a pattern by the number of failed attempts, see `attempts`.
struct Attempts {
  std::uint32_t count; ///< failed ones
};

/// Narrows a pattern to one child, for events in which a bare number means something else:
/// `handed_over(1, incarnation(2))`.
constexpr Incarnation incarnation(std::uint32_t number) { return {number}; }

/// Narrows a pattern to a number of failed attempts: `acknowledged(1, attempts(2))`.
constexpr Attempts attempts(std::uint32_t count) { return {count}; }

namespace detail {

// What each kind of argument narrows. There is one function template per kind of argument, enabled
// for the events with that member. It returns the argument in words, and the test.

template <class E>
struct Narrowed {
  std::string words;
  std::function<bool(const E&)> fits;
};

template <class N>
concept Number = std::integral<N> && !std::same_as<N, bool>;

template <class E>
constexpr bool has_number = requires(E x) {
  x.delivery;
}
|| requires(E x) { x.incarnation; }
|| requires(E x) { x.left; }
|| requires(E x) { x.hand_over; };

template <class E, Number N>
requires has_number<E> Narrowed<E> narrow(N number) {
  const auto n = static_cast<std::uint64_t>(number);
  const auto text = std::to_string(n);
  if constexpr (requires(E x) { x.delivery; })
    return {"delivery " + text, [n](const E& x) { return x.delivery == n; }};
  else if constexpr (requires(E x) { x.incarnation; })
    return {"incarnation " + text, [n](const E& x) { return x.incarnation == n; }};
  else if constexpr (requires(E x) { x.left; })
    return {text + " left", [n](const E& x) { return x.left == n; }};
  else
    return {"hand-over " + text, [n](const E& x) { return x.hand_over == n; }};
}

template <class E>
requires requires(E x) { x.incarnation; }
Narrowed<E> narrow(Incarnation wanted) {
  return {std::string{"incarnation "}.append(std::to_string(wanted.number)),
          [wanted](const E& x) { return x.incarnation == wanted.number; }};
}

template <class E>
requires requires(E x) { x.attempts; }
Narrowed<E> narrow(Attempts wanted) {
  return {std::to_string(wanted.count)
            + (wanted.count == 1 ? " failed attempt" : " failed attempts"),
          [wanted](const E& x) { return x.attempts == wanted.count; }};
}

template <class E>
requires requires(E x) { x.delay; } || requires(E x) {
  x.latency;
} || requires(E x) {
  x.retry_after;
} || requires(E x) {
  x.until;
}
Narrowed<E> narrow(Duration span) {
  const auto text = to_string(span);
  if constexpr (requires(E x) { x.delay; })
    return {"delay " + text, [span](const E& x) { return x.delay == span; }};
  else if constexpr (requires(E x) { x.latency; })
    return {"latency " + text, [span](const E& x) { return x.latency == span; }};
  else if constexpr (requires(E x) { x.retry_after; })
    return {"retry after " + text, [span](const E& x) { return x.retry_after == span; }};
  else
    return {"to ask again in " + text, [span](const E& x) { return x.until - x.at == span; }};
}

template <class E, class R>
requires requires(E x, R reason) {
  x.reason == reason;
} && std::is_enum_v<R> Narrowed<E> narrow(R reason) {
  return {std::string{"reason "}.append(to_string(reason)),
          [reason](const E& x) { return x.reason == reason; }};
}

template <class E>
requires requires(E x) { x.refusal; }
Narrowed<E> narrow(Refusal refusal) {
  return {std::string{"reason "}.append(to_string(refusal)),
          [refusal](const E& x) { return x.refusal == refusal; }};
}

template <class E>
requires requires(E x) { x.cause; }
Narrowed<E> narrow(std::string_view text) {
  return {std::string{"cause with \""}.append(text).append("\""),
          [part = std::string{text}](const E& x) {
            return x.cause.text.find(part) != std::string::npos;
          }};
}

// Whether an argument of type A can narrow events of type E.
template <class A, class E>
concept Narrows = requires(const A& argument) {
  narrow<E>(argument);
};

} // namespace detail

/// All events of one type. Use it bare, or call it with arguments that narrow it: `child_down`,
/// `child_down(2)`. event_patterns.hpp has one for every type.
template <class E>
class EventPatternOf {
public:
  /// Fits the events of type `E` for which `fits` is true; without it, all of them.
  ///
  /// @range the characters of `name` must outlive this object.
  constexpr explicit EventPatternOf(std::string_view name, bool (*fits)(const E&) = nullptr)
    : name_(name), fits_(fits) {}

  /// Fits events that match all arguments, which can come in any order. The type of an argument
  /// decides what it means, see event_patterns.hpp. A call does not compile if the events of this
  /// type have nothing to compare with an argument.
  template <detail::Narrows<E>... Args>
  requires(sizeof...(Args) > 0) EventPattern operator()(const Args&... args) const {
    std::string words;
    const auto add = [&words](auto narrowed) {
      words.append(words.empty() ? " (" : ", ").append(narrowed.words);
      return std::move(narrowed.fits);
    };
    auto tests = std::tuple{add(detail::narrow<E>(args))...};
    words.append(")");
    return make(std::string{name_}.append(words), [tests = std::move(tests)](const E& x) {
      return std::apply([&x](const auto&... test) { return (test(x) && ...); }, tests);
    });
  }

  /// Fits all of them.
  operator EventPattern() const { // NOLINT(google-explicit-constructor): used bare, it is a pattern
    return make(std::string{name_}, [](const E&) { return true; });
  }

  /// Fits all events of this type of the sender of that name, see `EventLog::hook`.
  EventPattern of(std::string sender) const { return EventPattern{*this}.of(std::move(sender)); }

private:
  template <class Test>
  EventPattern make(std::string description, Test test) const {
    return {std::move(description),
            [fits = fits_, test = std::move(test)](const Event& event, std::string_view) {
              const auto* x = std::get_if<E>(&event);
              return x && (!fits || fits(*x)) && test(*x);
            },
            [](const Event& event, std::string_view) { return std::holds_alternative<E>(event); }};
  }

  std::string_view name_;
  bool (*fits_)(const E&);
};

} // namespace backoff_actor::testing
