#pragma once

#include <type_traits>
#include <variant>

namespace backoff_actor::detail {

template <class T, class Variant>
struct IsAlternative : std::false_type {};

template <class T, class... Ts>
struct IsAlternative<T, std::variant<Ts...>> : std::disjunction<std::is_same<T, Ts>...> {};

// A type that a variant may hold.
template <class T, class Variant>
concept AlternativeOf = IsAlternative<T, Variant>::value;

} // namespace backoff_actor::detail
