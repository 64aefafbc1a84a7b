#pragma once

#include "backoff_actor/core/unit_random.hpp"

#include <cstdint>
#include <string_view>

namespace http_guard {

/// What the service does to one call.
enum class Fault {
  none,
  error_429,    ///< answers 429, executes nothing, and wants no call for a while
  error_500,    ///< answers 500 and executes nothing
  hang_before,  ///< says nothing for longer than the caller waits, and executes nothing
  hang_after,   ///< executes, then says nothing: the caller has to try again, a duplicate
  reset_before, ///< resets the connection and executes nothing
  reset_after,  ///< executes, then resets the connection: a duplicate too
};

/// FNV-1a, 64 bits: the same number on every platform, which `std::hash` does not promise.
constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

/// What happens to the n-th call for an id, n counted from 0. Each call draws anew, so no id fails
/// forever.
///
/// @shape `(seed, id, n) -> Fault`; pure, the same on every platform.
constexpr Fault fault_of(std::uint64_t seed, std::string_view id, std::uint64_t n) {
  struct Share {
    Fault fault;
    double of_calls;
  };
  constexpr Share shares[] = {
    {Fault::error_429, 0.005},   {Fault::error_500, 0.04},    {Fault::hang_before, 0.0075},
    {Fault::hang_after, 0.0075}, {Fault::reset_before, 0.01}, {Fault::reset_after, 0.01},
  };
  auto rest = backoff_actor::unit_random(seed, hash_of(id), n);
  for (const auto& share : shares) {
    if (rest < share.of_calls)
      return share.fault;
    rest -= share.of_calls;
  }
  return Fault::none;
}

} // namespace http_guard
