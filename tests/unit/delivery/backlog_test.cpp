#include "backoff_actor/delivery/internal/backlog.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include "common/seeds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace backoff_actor::backlog_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr Instant at(Duration time) { return Instant{} + time; }

class BacklogOf {
public:
  explicit BacklogOf(Ordering ordering = Ordering::unordered) : backlog(ordering, 0) {}

  DeliverySlots::Slot push(std::uint64_t id, std::uint32_t weight = 1, std::uint64_t key = 0) {
    return backlog.push({id, at(0s), key, weight, 0, true});
  }

  std::uint64_t hand_over_next() {
    const auto slot = backlog.next();
    backlog.hand_over(list, slot, 1, 0, at(0s));
    return backlog[slot].id;
  }

  std::array<std::uint64_t, 4> sums() const {
    return {backlog.owed().deliveries, backlog.owed().bytes, backlog.in_flight().deliveries,
            backlog.in_flight().bytes};
  }

  Backlog backlog;
  DeliverySlots::List list;
};

TEST(backlog, counts_what_is_owed_and_what_of_it_is_in_flight) {
  BacklogOf x;
  const auto first = x.push(1, 10);
  const auto second = x.push(2, 200);
  EXPECT_THAT(x.sums(), ElementsAre(2, 210, 0, 0));
  EXPECT_EQ(x.hand_over_next(), 1U);
  EXPECT_EQ(x.hand_over_next(), 2U);
  EXPECT_THAT(x.sums(), ElementsAre(2, 210, 2, 210));

  x.backlog.give_back(x.list, first);
  EXPECT_THAT(x.sums(), ElementsAre(2, 210, 1, 200));
  x.backlog.leave_ghost(second);
  EXPECT_THAT(x.sums(), ElementsAre(1, 10, 0, 0)) << "a ghost counts for nothing";
  EXPECT_EQ(x.list.count, 1U) << "but the child still has it";
  x.backlog.remove(first);
  EXPECT_THAT(x.sums(), ElementsAre(0, 0, 0, 0));
  EXPECT_FALSE(x.backlog.is_vacant());
  x.backlog.remove_ghost(x.list, second);
  EXPECT_TRUE(x.backlog.is_vacant());
  EXPECT_EQ(x.list.count, 0U);
}

TEST(backlog, counts_what_is_not_stored) {
  Backlog backlog{Ordering::strict, 0};
  const auto slot = backlog.push({1, at(0s), 0, 1, 0, false});
  backlog.push({2, at(0s), 0, 1, 0, true});
  EXPECT_EQ(backlog.unstored(), 1U);
  EXPECT_EQ(backlog.next(), DeliverySlots::none) << "nothing overtakes what is not stored";

  EXPECT_TRUE(backlog.mark_stored(slot));
  EXPECT_FALSE(backlog.mark_stored(slot)) << "no news the second time";

  EXPECT_EQ(backlog.unstored(), 0U);
  EXPECT_EQ(backlog.next(), slot);
}

TEST(backlog, counts_clients_that_joined_until_their_delivery_ends) {
  BacklogOf x;
  const auto slot = x.push(1, 10);
  x.push(2, 10);
  x.backlog.join(slot, false);
  x.backlog.join(slot, true);
  x.backlog.join(slot, true);
  EXPECT_THAT(x.sums(), ElementsAre(5, 20, 3, 0));

  x.backlog.end_joins_until_stored(slot);
  EXPECT_THAT(x.sums(), ElementsAre(3, 20, 1, 0));
  x.backlog.remove(slot);
  EXPECT_THAT(x.sums(), ElementsAre(1, 10, 0, 0));
}

TEST(backlog, takes_a_delivery_that_has_failed_for_a_retry) {
  Backlog backlog{Ordering::unordered, 0};
  const auto failed = backlog.push({1, at(0s), 0, 1, 2, true});
  const auto fresh = backlog.push({2, at(0s), 0, 1, 0, true});

  EXPECT_EQ(backlog.next(), failed);
  EXPECT_EQ(backlog.next_fresh(), fresh);
  EXPECT_EQ(backlog[failed].attempts, 2U);
}

TEST(backlog, knows_the_earliest_deadline_and_the_earliest_end_of_a_pause) {
  BacklogOf x;
  const auto first = x.push(1);
  const auto second = x.push(2);
  EXPECT_EQ(x.backlog.next_due(), Instant::never());
  EXPECT_EQ(x.backlog.deadline_of(first), Instant::never());

  x.backlog.set_deadline(first, at(9s));
  x.backlog.set_deadline(second, at(5s));
  EXPECT_EQ(x.backlog.next_due(), at(5s));
  EXPECT_EQ(x.backlog.first_late(at(4s)), DeliverySlots::none);
  EXPECT_EQ(x.backlog.first_late(at(5s)), second);
  EXPECT_TRUE(x.backlog.is_late(second, at(5s)));
  EXPECT_FALSE(x.backlog.is_late(first, at(5s)));

  x.hand_over_next();
  x.backlog.give_back(x.list, first);
  x.backlog.pause(first, at(3s));
  EXPECT_EQ(x.backlog.next_due(), at(3s));
  EXPECT_EQ(x.backlog.next(), second) << "the first pauses";
  x.backlog.end_pauses(at(3s));
  EXPECT_EQ(x.backlog.next(), first);

  x.backlog.remove(second);
  EXPECT_EQ(x.backlog.next_due(), at(9s)) << "an ended delivery has no deadline";
}

TEST(backlog, a_ghost_has_no_deadline_and_no_failure_and_keeps_its_key) {
  BacklogOf x{Ordering::per_key};
  const auto first = x.push(1, 1, 7);
  const auto second = x.push(2, 1, 7);
  x.backlog.set_deadline(first, at(5s));
  x.backlog.set_last_failure(first, std::make_shared<const Cause>(Cause{1, "down"}));
  x.hand_over_next();

  x.backlog.leave_ghost(first);

  EXPECT_EQ(x.backlog.next_due(), Instant::never());
  EXPECT_EQ(x.backlog.last_failure_of(first), nullptr);
  EXPECT_EQ(x.backlog.next(), DeliverySlots::none) << "the second waits for the key";
  x.backlog.remove_ghost(x.list, first);
  EXPECT_EQ(x.backlog.next(), second);
}

TEST(backlog, remembers_failures_of_a_delivery_until_it_ends) {
  BacklogOf x;
  const auto slot = x.push(1);
  EXPECT_EQ(x.backlog.last_failure_of(slot), nullptr);
  x.backlog.set_last_failure(slot, std::make_shared<const Cause>(Cause{1, "down"}));
  x.backlog.own_backoff_of(slot) = Progress{};
  EXPECT_EQ(x.backlog.last_failure_of(slot)->text, "down");

  x.backlog.remove(slot);
  const auto next = x.push(2);

  EXPECT_EQ(next, slot);
  EXPECT_EQ(x.backlog.last_failure_of(next), nullptr) << "the slot has a new delivery";
  EXPECT_FALSE(x.backlog.own_backoff_of(next));
}

TEST(backlog, moves_a_delivery_to_the_end_of_the_flight_when_its_clock_restarts) {
  BacklogOf x;
  const auto first = x.push(1);
  const auto second = x.push(2);
  x.hand_over_next();
  x.hand_over_next();

  x.backlog.restart_clock(x.list, first, at(4s));

  EXPECT_EQ(x.backlog[first].clock_start, at(4s));
  EXPECT_EQ(x.list.first, second);
  EXPECT_EQ(x.list.last, first);
  EXPECT_EQ(x.backlog.after_in_list(second), first);
}

// -- against a list that is searched whole ---------------------------------------------

enum class Where { waiting, in_flight, ghost };

struct Plain {
  Where where;
  std::uint32_t weight;
  std::uint32_t joined;
  Instant deadline;
};

TEST(backlog, agrees_with_a_plain_list_whatever_happens) {
  for (const auto seed : test::seeds(20)) {
    SCOPED_TRACE("BACKOFF_ACTOR_SEED=" + std::to_string(seed));
    Backlog backlog{Ordering::strict, 0};
    DeliverySlots::List list;
    std::map<std::uint64_t, Plain> plain; // by number
    std::map<std::uint64_t, DeliverySlots::Slot> slots;
    std::uint64_t last_id = 0;
    for (std::uint64_t n = 0; n < 2000; ++n) {
      const auto draw = [&](std::uint64_t stream, std::uint64_t end) {
        return static_cast<std::uint64_t>(unit_random(seed, stream, n) * static_cast<double>(end));
      };
      // One of those at `where`, if there is any.
      const auto any = [&](Where where) {
        std::vector<std::uint64_t> ids;
        for (const auto& [id, x] : plain)
          if (x.where == where)
            ids.push_back(id);
        return ids.empty() ? std::uint64_t{0} : ids[draw(9, ids.size())];
      };
      const auto end = [&](std::uint64_t id) {
        plain.erase(id);
        slots.erase(id);
      };
      switch (draw(0, 9)) {
      case 0:
      case 1: {
        const auto weight = static_cast<std::uint32_t>(draw(1, 100));
        ++last_id;
        slots[last_id] = backlog.push({last_id, at(0s), 0, weight, 0, true});
        plain[last_id] = {Where::waiting, weight, 0, Instant::never()};
        break;
      }
      case 2:
      case 3:
        if (const auto slot = backlog.next(); slot != DeliverySlots::none) {
          const auto oldest = std::find_if(plain.begin(), plain.end(), [](const auto& x) {
            return x.second.where == Where::waiting;
          });
          ASSERT_EQ(backlog[slot].id, oldest->first);
          backlog.hand_over(list, slot, 1, 0, at(0s));
          oldest->second.where = Where::in_flight;
        }
        break;
      case 4:
        if (const auto id = any(Where::in_flight)) {
          backlog.give_back(list, slots[id]);
          plain[id].where = Where::waiting;
        }
        break;
      case 5:
        if (const auto id = any(Where::waiting)) {
          backlog.remove(slots[id]);
          end(id);
        }
        break;
      case 6:
        if (const auto id = any(Where::in_flight); id != 0 && draw(2, 2) == 0) {
          backlog.leave_ghost(slots[id]);
          plain[id] = {Where::ghost, 0, 0, Instant::never()};
        } else if (id != 0) {
          backlog.remove_in_flight(list, slots[id]);
          end(id);
        }
        break;
      case 7:
        if (const auto id = any(Where::ghost)) {
          backlog.remove_ghost(list, slots[id]);
          end(id);
        }
        break;
      default:
        if (const auto id = any(Where::waiting)) {
          backlog.join(slots[id], false);
          ++plain[id].joined;
          if (plain[id].deadline == Instant::never()) {
            plain[id].deadline = at(std::chrono::seconds{draw(3, 1000)});
            backlog.set_deadline(slots[id], plain[id].deadline);
          }
        }
      }

      std::array<std::uint64_t, 4> sums{};
      auto due = Instant::never();
      auto oldest_waiting = std::uint64_t{0};
      for (const auto& [id, x] : plain) {
        const auto is_in_flight = x.where == Where::in_flight;
        const auto is_owed = x.where != Where::ghost;
        sums[0] += (is_owed ? 1U : 0U) + x.joined;
        sums[1] += x.weight;
        sums[2] += (is_in_flight ? 1U : 0U) + x.joined;
        sums[3] += is_in_flight ? x.weight : 0U;
        due = std::min(due, x.deadline);
        if (x.where == Where::waiting && oldest_waiting == 0)
          oldest_waiting = id;
      }
      ASSERT_EQ(sums, (std::array<std::uint64_t, 4>{backlog.owed().deliveries, backlog.owed().bytes,
                                                    backlog.in_flight().deliveries,
                                                    backlog.in_flight().bytes}))
        << "after step " << n;
      ASSERT_EQ(backlog.next_due(), due) << "after step " << n;
      if (oldest_waiting != 0 && draw(4, 3) == 0) {
        ASSERT_EQ(backlog[backlog.oldest_waiting()].id, oldest_waiting) << "after step " << n;
      }
    }
  }
}

} // namespace backoff_actor::backlog_test
