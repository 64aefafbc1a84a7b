#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace backoff_actor::detail {

/// The texts of an enumeration's enumerators, in the order of their numbers, which begin with
/// `First` and have no gap. A text is the enumerator's name, or the name, a colon and a sentence.
template <class Enum, std::size_t First, std::size_t Count>
struct EnumNames {
  std::array<std::string_view, Count> texts; ///< see `enum_names`

  /// Returns the text of an enumerator; `otherwise` for a number that is none.
  constexpr std::string_view of(Enum value, std::string_view otherwise = "unknown") const {
    const auto index = static_cast<std::size_t>(value) - First; // huge if the number is below
    return index < Count ? texts[index] : otherwise;
  }

  /// Returns the enumerator that has this text; nothing if none has.
  constexpr std::optional<Enum> find(std::string_view text) const {
    for (std::size_t i = 0; i < Count; ++i)
      if (texts[i] == text)
        return static_cast<Enum>(First + i);
    return std::nullopt;
  }
};

/// Returns an enumerator's name as the source spells it; empty for a number that is none.
template <auto Enumerator>
consteval std::string_view name_in_source() {
  // GCC and Clang describe this function as `... [with auto Enumerator = space::Enum::name; ...]`.
  // They describe a number that is no enumerator as `(space::Enum)7`.
  std::string_view name = __PRETTY_FUNCTION__;
  name.remove_prefix(name.find("Enumerator = "));
  name = name.substr(0, name.find_first_of(";]"));
  name.remove_prefix(name.rfind(':') + 1);
  return name.find(')') == name.npos ? name : std::string_view{};
}

/// Whether the texts are those of all enumerators, in order.
template <class Enum, std::size_t First, std::size_t Count>
constexpr bool is_complete(const EnumNames<Enum, First, Count>& names) {
  const auto in_source = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{name_in_source<static_cast<Enum>(First + I)>()...};
  }
  (std::make_index_sequence<Count + 1>{});
  for (std::size_t i = 0; i < Count; ++i)
    if (in_source[i].empty() || names.texts[i].substr(0, names.texts[i].find(':')) != in_source[i])
      return false;
  return in_source[Count].empty();
}

/// Returns the table of an enumeration. Does not compile unless `is_complete`: an enumerator
/// without a text is an error, as is a wrong name.
template <class Enum, std::size_t First = 0, std::size_t Count>
consteval auto enum_names(const std::string_view (&texts)[Count]) {
  const EnumNames<Enum, First, Count> names{std::to_array(texts)};
  if (!is_complete(names))
    throw "the texts are not those of all enumerators, in order";
  return names;
}

} // namespace backoff_actor::detail
