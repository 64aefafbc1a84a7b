#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::outbox_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::uint64_t> ids(const DeliverySlots& outbox) {
  std::vector<std::uint64_t> result;
  for (auto slot = outbox.front(); slot != DeliverySlots::none; slot = outbox.next(slot))
    result.push_back(outbox[slot].id);
  return result;
}

TEST(delivery_slots, keeps_the_order_of_submission_when_slots_are_reused) {
  DeliverySlots outbox;
  const auto first = outbox.push(1, {});
  const auto second = outbox.push(2, {});
  outbox.push(3, {});

  outbox.erase(second);
  outbox.erase(first);
  outbox.push(4, {});
  outbox.push(5, {});

  EXPECT_THAT(ids(outbox), ElementsAre(3, 4, 5));
  EXPECT_EQ(outbox.size(), 3u);
}

TEST(delivery_slots, can_be_emptied_from_either_end_and_used_again) {
  DeliverySlots outbox;
  const auto first = outbox.push(1, {});
  const auto second = outbox.push(2, {});
  outbox.erase(second);
  outbox.erase(first);
  EXPECT_TRUE(outbox.empty());
  EXPECT_THAT(ids(outbox), IsEmpty());

  outbox.push(3, {});

  EXPECT_THAT(ids(outbox), ElementsAre(3));
}

TEST(delivery_slots, does_not_grow_while_slots_are_free) {
  DeliverySlots outbox;
  DeliverySlots::Slot highest = 0;
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    const auto slot = outbox.push(id, {});
    highest = std::max(highest, slot);
    outbox.erase(slot);
  }
  EXPECT_EQ(highest, 0u);
}

TEST(delivery_slots, finds_a_delivery_by_any_of_its_hand_overs) {
  DeliverySlots outbox;
  const auto slot = outbox.push(1, {});
  const auto first = outbox.hand_over(slot, 1, 0);
  const auto second = outbox.hand_over(slot, 2, 1);

  EXPECT_EQ(outbox.find(first), slot);
  EXPECT_EQ(outbox.find(second), slot);
  EXPECT_FALSE(outbox.is_latest(slot, first));
  EXPECT_TRUE(outbox.is_latest(slot, second));
}

TEST(delivery_slots, does_not_take_an_id_of_an_earlier_delivery_for_the_one_now_in_its_slot) {
  DeliverySlots outbox;
  const auto slot = outbox.push(1, {});
  const auto stale = outbox.hand_over(slot, 1, 0);
  outbox.erase(slot);
  ASSERT_EQ(outbox.find(stale), DeliverySlots::none);

  ASSERT_EQ(outbox.push(2, {}), slot);
  EXPECT_EQ(outbox.find(stale), DeliverySlots::none) << "before the new one is handed over";

  const auto fresh = outbox.hand_over(slot, 1, 0);
  EXPECT_EQ(outbox.find(stale), DeliverySlots::none);
  EXPECT_EQ(outbox.find(fresh), slot);
}

TEST(delivery_slots, no_stale_name_is_taken_for_a_new_one_where_names_go_round) {
  std::vector<HandOverId> stale;
  auto last_tag = HandOverId::tag_mask - 2;
  for (std::uint64_t life = 1; life <= 6; ++life) {
    DeliverySlots outbox{last_tag};
    const auto slot = outbox.push(1, {});
    const auto id = outbox.hand_over(slot, 1, 0);
    EXPECT_EQ(outbox.find(id), slot) << "life " << life;
    for (const auto old : stale)
      EXPECT_EQ(outbox.find(old), DeliverySlots::none) << "life " << life;
    stale.push_back(id);
    last_tag = outbox.last_tag();
  }
}

TEST(delivery_slots, knows_all_hand_overs_of_a_delivery_where_names_go_round) {
  DeliverySlots outbox{HandOverId::tag_mask - 1};
  const auto slot = outbox.push(1, {});
  const auto before = outbox.hand_over(slot, 1, 0);
  const auto at = outbox.hand_over(slot, 2, 1);
  const auto after = outbox.hand_over(slot, 3, 2);

  EXPECT_EQ(before.tag(), HandOverId::tag_mask);
  EXPECT_EQ(at.tag(), 0u);
  EXPECT_EQ(after.tag(), 1u);
  for (const auto id : {before, at, after})
    EXPECT_EQ(outbox.find(id), slot);
}

TEST(delivery_slots, does_not_find_what_was_never_handed_over) {
  DeliverySlots outbox;
  EXPECT_EQ(outbox.find(HandOverId{}), DeliverySlots::none);

  const auto slot = outbox.push(1, {});
  EXPECT_EQ(outbox.find(HandOverId::make(slot, 1)), DeliverySlots::none);

  const auto id = outbox.hand_over(slot, 1, 0);
  EXPECT_EQ(outbox.find(HandOverId::make(slot, id.tag() + 1)), DeliverySlots::none);
  EXPECT_EQ(outbox.find(HandOverId::make(slot + 1, id.tag())), DeliverySlots::none);
  EXPECT_EQ(outbox.find(HandOverId{~std::uint64_t{0}}), DeliverySlots::none);
}

TEST(delivery_slots, does_not_find_a_name_between_two_hand_overs_that_others_came_between) {
  DeliverySlots outbox;
  const auto slot = outbox.push(1, {});
  const auto first = outbox.hand_over(slot, 1, 0);
  const auto other = outbox.push(2, {});
  for (std::uint32_t epoch = 1; epoch <= 9; ++epoch)
    outbox.hand_over(other, 1, epoch);
  const auto second = outbox.hand_over(slot, 2, 10);

  EXPECT_EQ(second.tag(), first.tag() + 1);
  for (std::uint32_t tag = 3; tag <= 20; ++tag)
    EXPECT_EQ(outbox.find(HandOverId::make(slot, tag)), DeliverySlots::none) << tag;
}

TEST(delivery_slots, holds_tells_a_delivery_from_another_in_the_same_slot) {
  DeliverySlots outbox;
  const auto slot = outbox.push(1, {});
  EXPECT_TRUE(outbox.holds(slot, 1));
  outbox.erase(slot);
  EXPECT_FALSE(outbox.holds(slot, 1));
  outbox.push(2, {});
  EXPECT_FALSE(outbox.holds(slot, 1));
  EXPECT_TRUE(outbox.holds(slot, 2));
  EXPECT_FALSE(outbox.holds(slot + 1, 2));
}

TEST(delivery_slots, gives_a_large_backlog_back_and_still_knows_its_ids_as_stale) {
  DeliverySlots outbox;
  std::vector<HandOverId> stale;
  for (std::uint64_t id = 1; id <= DeliverySlots::kept_size + 1; ++id)
    stale.push_back(outbox.hand_over(outbox.push(id, {}), 1, 0));
  stale.push_back(outbox.hand_over(5, 2, 1)); // the highest tag
  while (!outbox.empty())
    outbox.erase(outbox.front());
  EXPECT_EQ(outbox.reserved(), 0u);

  const auto slot = outbox.push(2000, {});
  const auto fresh = outbox.hand_over(slot, 3, 2);

  EXPECT_EQ(slot, 0u) << "it began anew";
  EXPECT_EQ(outbox.find(fresh), slot);
  for (const auto id : stale)
    EXPECT_EQ(outbox.find(id), DeliverySlots::none);
}

TEST(delivery_slots, a_ghost_is_not_owed_and_keeps_its_slot_until_it_is_erased) {
  DeliverySlots outbox;
  DeliverySlots::List in_flight;
  const auto first = outbox.push(1, {});
  const auto second = outbox.push(2, {});
  const auto hand_over = outbox.hand_over(first, 1, 0);
  outbox.append(in_flight, first);
  outbox.make_ghost(first);

  EXPECT_THAT(ids(outbox), ElementsAre(2));
  EXPECT_EQ(outbox.size(), 1u);
  EXPECT_EQ(outbox.find(hand_over), first);
  EXPECT_EQ(outbox.push(3, {}), 2u) << "its slot is taken";
  outbox.unlink(in_flight, first);
  outbox.erase(first);
  EXPECT_EQ(outbox.find(hand_over), DeliverySlots::none);
  EXPECT_EQ(outbox.push(4, {}), first);
  EXPECT_THAT(ids(outbox), ElementsAre(2, 3, 4));
  EXPECT_EQ(outbox[second].id, 2u);
}

TEST(delivery_slots, a_list_keeps_the_order_in_which_it_was_appended_to) {
  DeliverySlots outbox;
  DeliverySlots::List list;
  std::vector<DeliverySlots::Slot> slots;
  for (std::uint64_t id = 1; id <= 4; ++id) {
    slots.push_back(outbox.push(id, {}));
    outbox.append(list, slots.back());
  }
  outbox.unlink(list, slots[1]);
  outbox.unlink(list, slots[3]);
  outbox.append(list, slots[1]);

  std::vector<std::uint64_t> listed;
  for (auto slot = list.first; slot != DeliverySlots::none; slot = outbox.next_in_list(slot))
    listed.push_back(outbox[slot].id);
  EXPECT_THAT(listed, ElementsAre(1, 3, 2));
  EXPECT_EQ(list.count, 3u);
}

TEST(hand_over_id, packs_slot_and_tag_into_59_bits) {
  const auto id = HandOverId::make(HandOverId::max_slots - 1, HandOverId::tag_mask);

  EXPECT_EQ(id.value, (std::uint64_t{1} << 59) - 1);
  EXPECT_EQ(id.slot(), HandOverId::max_slots - 1);
  EXPECT_EQ(id.tag(), HandOverId::tag_mask);
}

TEST(hand_over_id, wraps_its_tag_without_touching_the_slot) {
  EXPECT_EQ(HandOverId::make(5, HandOverId::tag_mask + 1), HandOverId::make(5, 0));
}

} // namespace backoff_actor::outbox_test
