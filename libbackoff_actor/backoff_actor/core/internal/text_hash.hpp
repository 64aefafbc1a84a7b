#pragma once

#include "backoff_actor/core/unit_random.hpp"

#include <cstdint>
#include <string_view>

namespace backoff_actor::detail {

/// Returns a hash of a text: the same in every run and on every platform, never 0. It is FNV-1a,
/// followed by `mix`. The high bits of FNV-1a alone hardly depend on the last letters; `mix` makes
/// every bit depend on all letters.
///
/// @source Fowler, Noll, Vo, Eastlake, "The FNV Non-Cryptographic Hash Algorithm",
///         draft-eastlake-fnv.
constexpr std::uint64_t hash_of_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto letter : text)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  const auto result = mix(hash);
  return result == 0 ? 1 : result;
}

} // namespace backoff_actor::detail
