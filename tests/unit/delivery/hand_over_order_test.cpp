#include "backoff_actor/delivery/internal/hand_over_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>

namespace backoff_actor::hand_over_order_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// An outbox with its turns, spoken of by the numbers of deliveries.
class Desk {
public:
  explicit Desk(Ordering ordering) : turns(outbox, ordering) {}

  void submit(std::uint64_t id, std::uint64_t key = 0, bool stored = true) {
    const auto slot = outbox.push(id, {});
    outbox[slot].key = key;
    outbox[slot].is_unstored = !stored;
    turns.add(slot);
    slots[id] = slot;
  }

  // Takes all whose turn it is, one after the other.
  std::vector<std::uint64_t> take_all() {
    std::vector<std::uint64_t> result;
    for (auto slot = turns.next(); slot != DeliverySlots::none; slot = turns.next()) {
      turns.take(slot);
      result.push_back(outbox[slot].id);
    }
    return result;
  }

  void end(std::uint64_t id) {
    turns.remove(slots.at(id));
    outbox.erase(slots.at(id));
  }

  DeliverySlots outbox;
  HandOverOrder turns;
  std::map<std::uint64_t, DeliverySlots::Slot> slots;
};

TEST(hand_over_order, are_in_order_of_submission) {
  Desk desk{Ordering::strict};
  for (std::uint64_t id = 1; id <= 3; ++id)
    desk.submit(id);

  EXPECT_THAT(desk.take_all(), ElementsAre(1, 2, 3));
  desk.submit(4);
  EXPECT_THAT(desk.take_all(), ElementsAre(4));
}

TEST(hand_over_order, what_comes_back_goes_before_what_is_younger) {
  Desk desk{Ordering::strict};
  for (std::uint64_t id = 1; id <= 3; ++id)
    desk.submit(id);
  desk.take_all();
  desk.submit(4);
  desk.turns.give_back(desk.slots[3]);
  desk.turns.give_back(desk.slots[1]);

  EXPECT_THAT(desk.take_all(), ElementsAre(1, 3, 4));
}

TEST(hand_over_order, nobody_overtakes_what_is_not_stored_yet) {
  Desk desk{Ordering::strict};
  desk.submit(1, 0, false);
  desk.submit(2);
  EXPECT_THAT(desk.take_all(), IsEmpty());

  desk.outbox[desk.slots[1]].is_unstored = false;

  EXPECT_THAT(desk.take_all(), ElementsAre(1, 2));
}

TEST(hand_over_order, one_that_ends_before_its_turn_is_passed_over) {
  Desk desk{Ordering::strict};
  for (std::uint64_t id = 1; id <= 3; ++id)
    desk.submit(id);
  desk.end(1);
  desk.end(2);

  EXPECT_THAT(desk.take_all(), ElementsAre(3));
}

TEST(hand_over_order, a_pause_ends_when_its_time_has_come) {
  Desk desk{Ordering::unordered};
  desk.submit(1);
  desk.submit(2);
  desk.take_all();
  desk.turns.pause(desk.slots[1], Instant{20ms});
  desk.turns.pause(desk.slots[2], Instant{10ms});
  EXPECT_EQ(desk.turns.next_pause_end(), Instant{10ms});

  desk.turns.end_pauses(Instant{9ms});
  EXPECT_THAT(desk.take_all(), IsEmpty());
  desk.turns.end_pauses(Instant{10ms});
  EXPECT_THAT(desk.take_all(), ElementsAre(2));
  desk.turns.end_pauses(Instant{30ms});
  EXPECT_THAT(desk.take_all(), ElementsAre(1));
  EXPECT_EQ(desk.turns.next_pause_end(), Instant::never());
}

TEST(hand_over_order, one_that_is_ready_can_be_made_to_pause) {
  Desk desk{Ordering::unordered};
  desk.submit(1);
  desk.take_all();
  desk.turns.give_back(desk.slots[1]);
  desk.turns.pause(desk.slots[1], Instant{10ms});

  EXPECT_THAT(desk.take_all(), IsEmpty());
  desk.turns.end_pauses(Instant{10ms});
  EXPECT_THAT(desk.take_all(), ElementsAre(1));
}

// -- per key ------------------------------------------------------------------

TEST(hand_over_order, one_of_a_key_goes_at_a_time_and_the_others_pass_it) {
  Desk desk{Ordering::per_key};
  desk.submit(1, 7);
  desk.submit(2, 7);
  desk.submit(3, 8);
  desk.submit(4);
  desk.submit(5, 7);
  EXPECT_THAT(desk.take_all(), ElementsAre(1, 3, 4));

  desk.end(1);
  EXPECT_THAT(desk.take_all(), ElementsAre(2));
  desk.end(2);
  EXPECT_THAT(desk.take_all(), ElementsAre(5));
}

TEST(hand_over_order, a_key_waits_for_the_one_that_pauses) {
  Desk desk{Ordering::per_key};
  desk.submit(1, 7);
  desk.submit(2, 7);
  desk.take_all();
  desk.turns.pause(desk.slots[1], Instant{10ms});
  desk.submit(3, 7);
  desk.submit(4, 9);
  EXPECT_THAT(desk.take_all(), ElementsAre(4));

  desk.turns.end_pauses(Instant{10ms});
  EXPECT_THAT(desk.take_all(), ElementsAre(1));
}

TEST(hand_over_order, one_that_ends_behind_its_key_leaves_the_others_in_order) {
  Desk desk{Ordering::per_key};
  for (std::uint64_t id = 1; id <= 5; ++id)
    desk.submit(id, 7);
  desk.take_all();
  desk.end(2);
  desk.end(4);
  EXPECT_THAT(desk.take_all(), IsEmpty());
  desk.end(1);
  EXPECT_THAT(desk.take_all(), ElementsAre(3));
  desk.end(3);
  EXPECT_THAT(desk.take_all(), ElementsAre(5));
}

TEST(hand_over_order, a_key_whose_owner_ends_during_a_pause_goes_on) {
  Desk desk{Ordering::per_key};
  desk.submit(1, 7);
  desk.submit(2, 7);
  desk.take_all();
  desk.turns.pause(desk.slots[1], Instant{10ms});
  desk.end(1);

  EXPECT_THAT(desk.take_all(), ElementsAre(2));
}

TEST(hand_over_order, the_next_of_a_key_is_fresh_and_before_what_is_younger) {
  Desk desk{Ordering::per_key};
  desk.submit(1, 7);
  desk.submit(2, 7);
  desk.submit(3);
  desk.submit(4);
  EXPECT_EQ(desk.turns.next_fresh(), desk.slots[1]);
  desk.turns.take(desk.slots[1]);
  EXPECT_EQ(desk.turns.next_fresh(), desk.slots[3]);

  desk.end(1);

  EXPECT_EQ(desk.turns.next_fresh(), desk.slots[2]);
  EXPECT_THAT(desk.take_all(), ElementsAre(2, 3, 4));
}

TEST(hand_over_order, a_key_is_forgotten_with_its_last_delivery) {
  Desk desk{Ordering::per_key};
  desk.submit(1, 7);
  desk.take_all();
  desk.end(1);
  desk.submit(2, 7);

  EXPECT_THAT(desk.take_all(), ElementsAre(2));
}

TEST(hand_over_order, without_a_key_nobody_waits_for_another) {
  Desk desk{Ordering::per_key};
  desk.submit(1);
  desk.submit(2);

  EXPECT_THAT(desk.take_all(), ElementsAre(1, 2));
}

} // namespace backoff_actor::hand_over_order_test
