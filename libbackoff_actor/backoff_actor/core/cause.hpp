#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff_actor {

/// Why something failed, in a form that names no actor library.
struct Cause {
  /// Identifies the cause: two failures are the same only if their codes are equal. 0 means "no
  /// error", the code of a normal stop.
  std::uint64_t code = 0;

  /// A text for people: the exception's text, or the error as the actor library renders it.
  std::string text;

  /// Whether something went wrong; a normal stop is no error.
  bool is_error() const { return code != 0; }
};

/// The class of a failure, given by its name: `throttling`, `transient`. It keeps a hash of the
/// name, so it is small, and made at compile time. A name of your own needs no declaration; what
/// follows it is said by `ByReason`.
///
/// @range a name as in `ReasonRetries::reason`. An empty name is no class.
/// @thread safe from any thread.
class FailureReason {
public:
  /// No class.
  constexpr FailureReason() = default;

  /// The class of this name.
  template <class Name>
  requires(std::convertible_to<const Name&, std::string_view>) constexpr FailureReason(
    const Name& name) // implicit on purpose
    : code_(code_of(std::string_view{name})) {}

  /// Whether there is one.
  constexpr explicit operator bool() const { return code_ != 0; }

  /// Whether two are the same.
  friend constexpr bool operator==(const FailureReason&, const FailureReason&) = default;

private:
  // FNV-1a; 0 means none.
  static constexpr std::uint32_t code_of(std::string_view name) {
    std::uint32_t hash = 2'166'136'261;
    for (const auto c : name)
      hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619;
    return name.empty() ? 0 : hash == 0 ? 1 : hash;
  }

  std::uint32_t code_ = 0;
};

} // namespace backoff_actor
