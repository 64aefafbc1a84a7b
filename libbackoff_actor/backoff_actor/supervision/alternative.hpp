#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace backoff_actor::detail {

// The number of a type among those that a variant may hold; how many there are if it is none.
template <class T, class Variant>
inline constexpr std::size_t index_of = 0;

template <class T, class... Ts>
inline constexpr std::size_t index_of<T, std::variant<Ts...>> = [] {
  std::size_t index = 0;
  static_cast<void>(((std::is_same_v<T, Ts> || (++index, false)) || ...));
  return index;
}();

// A type that a variant may hold.
template <class T, class Variant>
concept AlternativeOf = index_of<T, Variant> < std::variant_size_v<Variant>;

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

// Lets a variant hold its alternative of this number, moved from `x`.
template <class... Ts>
void hold_as(std::variant<Ts...>& variant, std::size_t index, void* x) {
  using Hold = void (*)(std::variant<Ts...>&, void*);
  static constexpr Hold holds[] = {[](std::variant<Ts...>& to, void* from) {
    to.template emplace<Ts>() = std::move(*static_cast<Ts*>(from));
  }...};
  holds[index](variant, x);
}

} // namespace backoff_actor::detail
