#pragma once

#include <type_traits>
#include <utility>
#include <variant>

namespace backoff_actor::detail {

template <class T, class Variant>
struct IsAlternative : std::false_type {};

template <class T, class... Ts>
struct IsAlternative<T, std::variant<Ts...>> : std::disjunction<std::is_same<T, Ts>...> {};

// A type that a variant may hold.
template <class T, class Variant>
concept AlternativeOf = IsAlternative<T, Variant>::value;

// Gives a variant the value of another. To construct alternative n, the standard library needs n
// functions, and others for each way to construct it. So all are made empty, and then assigned to.
template <class Variant>
void take(Variant& variant, const Variant& other) {
  std::visit([&](const auto& x) { variant.template emplace<std::decay_t<decltype(x)>>() = x; },
             other);
}

template <class Variant>
void take(Variant& variant, Variant&& other) {
  std::visit([&](auto& x) { variant.template emplace<std::decay_t<decltype(x)>>() = std::move(x); },
             other);
}

} // namespace backoff_actor::detail
