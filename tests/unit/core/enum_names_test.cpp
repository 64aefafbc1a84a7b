#include "backoff_actor/core/internal/enum_names.hpp"

#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

namespace backoff_actor::detail {
namespace {

enum class Pet : std::uint8_t { cat, dog, bird };
enum class Trouble : int { noise = 1, dirt = 2 };

constexpr auto pets = enum_names<Pet>({"cat", "dog", "bird"});
constexpr auto troubles = enum_names<Trouble, 1>({"noise: it barks", "dirt"});

TEST(EnumNamesTest, each_enumerator_has_its_text) {
  EXPECT_EQ(pets.of(Pet::cat), "cat");
  EXPECT_EQ(pets.of(Pet::bird), "bird");
  EXPECT_EQ(troubles.of(Trouble::noise), "noise: it barks");
  EXPECT_EQ(troubles.of(Trouble::dirt), "dirt");
}

TEST(EnumNamesTest, numbers_that_are_none_have_none) {
  EXPECT_EQ(pets.of(Pet{3}), "unknown");
  EXPECT_EQ(pets.of(Pet{255}, "unknown pet"), "unknown pet");
  EXPECT_EQ(troubles.of(Trouble{0}), "unknown");
  EXPECT_EQ(troubles.of(Trouble{3}), "unknown");
  EXPECT_EQ(troubles.of(Trouble{-1}), "unknown");
}

TEST(EnumNamesTest, a_text_is_found_as_a_whole) {
  EXPECT_EQ(pets.find("cat"), Pet::cat);
  EXPECT_EQ(pets.find("bird"), Pet::bird);
  EXPECT_EQ(troubles.find("noise: it barks"), Trouble::noise);
  EXPECT_EQ(troubles.find("noise"), std::nullopt);
  EXPECT_EQ(pets.find("unknown"), std::nullopt);
  EXPECT_EQ(pets.find(""), std::nullopt);
}

TEST(EnumNamesTest, only_enumerators_have_a_name_in_the_source) {
  EXPECT_EQ(name_in_source<Pet::dog>(), "dog");
  EXPECT_EQ(name_in_source<Pet{3}>(), "");
  EXPECT_EQ(name_in_source<Trouble{0}>(), "");
  EXPECT_EQ(name_in_source<Trouble::dirt>(), "dirt");
}

TEST(EnumNamesTest, only_all_texts_in_order_are_complete) {
  const auto is_complete_for_pets = [](auto... texts) {
    return is_complete(EnumNames<Pet, 0, sizeof...(texts)>{{texts...}});
  };
  EXPECT_TRUE(is_complete_for_pets("cat", "dog", "bird"));
  EXPECT_TRUE(is_complete_for_pets("cat: it purrs", "dog", "bird"));
  EXPECT_FALSE(is_complete_for_pets("cat", "dog"));
  EXPECT_FALSE(is_complete_for_pets("cat", "dog", "bird", "fish"));
  EXPECT_FALSE(is_complete_for_pets("cat", "dog", "bird", ""));
  EXPECT_FALSE(is_complete_for_pets("dog", "cat", "bird"));
  EXPECT_FALSE(is_complete_for_pets("cat", "dog", "birds"));
  EXPECT_FALSE((is_complete(EnumNames<Trouble, 0, 2>{{"noise", "dirt"}})));
  EXPECT_FALSE((is_complete(EnumNames<Trouble, 0, 3>{{"", "noise", "dirt"}})));
}

} // namespace
} // namespace backoff_actor::detail
