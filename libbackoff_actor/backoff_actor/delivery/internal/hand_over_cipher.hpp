#pragma once

#include "backoff_actor/delivery/internal/hand_over_id.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace backoff_actor {

/// Encrypts hand-over names into ids. An id does not reveal its name, and a party that was not
/// given an id cannot guess it.
///
/// Speck64/128 (Beaulieu and others, *The Simon and Speck Families of Lightweight Block Ciphers*,
/// 2013): a block cipher whose block is as wide as an id. A guess hits the id of a given name with
/// a chance of one in 2^64, whatever other ids the guesser has seen. It takes about 30 ns.
///
/// @thread all members from any thread, several at a time.
class HandOverCipher {
public:
  /// The secret; the first word is the one that Speck's authors write last.
  using Key = std::array<std::uint32_t, 4>;

  /// Spreads the key over the rounds, once.
  explicit constexpr HandOverCipher(const Key& key) {
    std::array<std::uint32_t, rounds + 2> spread{key[1], key[2], key[3]};
    auto round_key = key[0];
    for (std::uint32_t i = 0; i < rounds; ++i) {
      round_keys_[i] = round_key;
      auto left = spread[i];
      mix(left, round_key, i);
      if (i + 3 < spread.size())
        spread[i + 3] = left;
    }
  }

  /// Returns the id of a name.
  constexpr std::uint64_t id_of(HandOverId name) const {
    auto left = static_cast<std::uint32_t>(name.value >> 32);
    auto right = static_cast<std::uint32_t>(name.value);
    for (const auto round_key : round_keys_)
      mix(left, right, round_key);
    return std::uint64_t{left} << 32 | right;
  }

  /// Returns the name whose id this is. An id that `id_of` never returned decrypts to a name that
  /// was never passed to `id_of`. Hardly ever does a hand-over have that name.
  constexpr HandOverId name_of(std::uint64_t id) const {
    auto left = static_cast<std::uint32_t>(id >> 32);
    auto right = static_cast<std::uint32_t>(id);
    for (auto i = rounds; i-- > 0;) {
      right = std::rotr(right ^ left, 3);
      left = std::rotl((left ^ round_keys_[i]) - right, 8);
    }
    return {std::uint64_t{left} << 32 | right};
  }

private:
  static constexpr std::size_t rounds = 27;

  static constexpr void mix(std::uint32_t& left, std::uint32_t& right, std::uint32_t round_key) {
    left = (std::rotr(left, 8) + right) ^ round_key;
    right = std::rotl(right, 3) ^ left;
  }

  std::array<std::uint32_t, rounds> round_keys_{};
};

} // namespace backoff_actor
