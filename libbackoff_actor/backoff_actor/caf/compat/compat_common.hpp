#pragma once

// The part of compat that is the same in every version of CAF. Include compat.hpp instead.

#include <caf/actor_system.hpp>
#include <caf/error.hpp>

#include <cstdint>
#include <optional>

namespace backoff_actor::compat {

// -- inspection ---------------------------------------------------------------

/// Returns the number that stands for an optional enumeration value in a message: 0 for none, else
/// one more than the value's number.
template <class Enum>
std::uint16_t number_of(const std::optional<Enum>& value) {
  static_assert(sizeof(Enum) == 1);
  return value ? static_cast<std::uint16_t>(static_cast<std::uint8_t>(*value) + 1) : 0;
}

/// Returns the value for which `number_of` returns this number.
template <class Enum>
std::optional<Enum> enumerator_of(std::uint16_t number) {
  return number == 0 ? std::nullopt : std::optional{static_cast<Enum>(number - 1)};
}

// -- workers ------------------------------------------------------------------

/// The class of the actor that `caf::actor_from_state<State>` of CAF 1.x stands for, as `type`;
/// `void` for the type of any other value.
template <class T>
struct ActorFromState {
  using type = void; ///< the class, or `void`
};

// -- errors -------------------------------------------------------------------

/// Returns the code of an error; nothing if it is not an error of this enumeration.
template <class Enum>
std::optional<Enum> code_in(const caf::error& error);

/// Returns whether an error has this code, which must not be 0. The `==` of CAF 0.17.6 does more
/// work: it makes a second error, and compares both.
template <class Enum>
bool has_code(const caf::error& error, Enum code) {
  return code_in<Enum>(error) == code;
}

// -- types --------------------------------------------------------------------

/// Returns whether a type is registered, with the actor system or, with CAF 1.x, in the program.
template <class T>
bool is_registered(const caf::actor_system& system);

} // namespace backoff_actor::compat
