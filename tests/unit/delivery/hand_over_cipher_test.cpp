#include "backoff_actor/delivery/internal/hand_over_cipher.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace backoff_actor::hand_over_cipher_test {

constexpr HandOverCipher cipher{{0x03020100, 0x0b0a0908, 0x13121110, 0x1b1a1918}};

TEST(hand_over_cipher, is_that_of_its_authors) { // the test vector of Speck64/128
  EXPECT_EQ(cipher.id_of({0x3b7265747475432d}), 0x8c6fa548454e028b);
  EXPECT_EQ(cipher.name_of(0x8c6fa548454e028b).value, 0x3b7265747475432d);
}

TEST(hand_over_cipher, gives_each_name_back_and_no_two_the_same_id) {
  std::set<std::uint64_t> ids;
  for (std::uint32_t slot = 0; slot < 100; ++slot)
    for (const auto tag : {0u, 1u, 2u, HandOverId::tag_mask}) {
      const auto name = HandOverId::make(slot, tag);
      const auto id = cipher.id_of(name);
      EXPECT_EQ(cipher.name_of(id), name);
      EXPECT_TRUE(ids.insert(id).second);
    }
}

TEST(hand_over_cipher, neighbours_have_nothing_in_common) {
  const auto id = cipher.id_of(HandOverId::make(0, 1));
  for (std::uint32_t tag = 2; tag < 100; ++tag) {
    const auto bits = std::popcount(id ^ cipher.id_of(HandOverId::make(0, tag)));
    EXPECT_GE(bits, 8) << tag;
    EXPECT_LE(bits, 56) << tag;
  }
}

} // namespace backoff_actor::hand_over_cipher_test
