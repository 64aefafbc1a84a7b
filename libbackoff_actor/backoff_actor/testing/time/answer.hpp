#pragma once

#include "backoff_actor/core/time.hpp"

#include <caf/deep_to_string.hpp>
#include <caf/error.hpp>

#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace backoff_actor::testing {

using backoff_actor::to_string; // for spans; the overloads below would hide it

/// What a client has received so far; shared with the client.
template <class T>
struct Answer {
  std::optional<T> value;          ///< the answer, if it was a value
  std::optional<caf::error> error; ///< the error that came instead
  std::string error_text{};        ///< that error, rendered for people

  /// Whether a value or an error has come.
  bool is_ready() const { return value || error; }

  /// The answer.
  ///
  /// @errors throws `std::runtime_error` if there is none; its text says what has come instead.
  const T& get() const;
};

/// Renders what a client has received so far: the value as CAF renders it, `error: ` and its text,
/// or `no answer yet`.
template <class T>
std::string to_string(const Answer<T>& answer) {
  if (answer.error)
    return "error: " + answer.error_text;
  if (!answer.value)
    return "no answer yet";
  if constexpr (std::is_convertible_v<const T&, std::string_view>)
    return std::string{"\""}.append(*answer.value).append("\"");
  else
    return caf::deep_to_string(*answer.value);
}

template <class T>
const T& Answer<T>::get() const {
  if (!value)
    throw std::runtime_error(std::string{"Answer::get: "}.append(to_string(*this)));
  return *value;
}

/// Prints an answer, for GoogleTest.
template <class T>
void PrintTo(const Answer<T>& answer, std::ostream* out) {
  *out << to_string(answer);
}

/// Prints the answer and not the pointer, for GoogleTest.
template <class T>
void PrintTo(const std::shared_ptr<Answer<T>>& answer, std::ostream* out) {
  *out << (answer ? to_string(*answer) : "no question");
}

} // namespace backoff_actor::testing
