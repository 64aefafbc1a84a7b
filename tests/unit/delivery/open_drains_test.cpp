#include "backoff_actor/delivery/internal/open_drains.hpp"

#include "backoff_actor/core/time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <compare>
#include <cstdint>
#include <vector>

namespace backoff_actor {
namespace {

using ::testing::ElementsAre;

/// A deadline that counts how often it is compared.
struct CountedDeadline {
  std::uint64_t at = 0;

  friend bool operator<(const CountedDeadline& x, const CountedDeadline& y) {
    ++comparisons;
    return x.at < y.at;
  }

  static inline std::uint64_t comparisons = 0;
};

struct CountedDrain {
  std::uint32_t ticket = 0;
  CountedDeadline deadline{};
};

/// How often deadlines are compared while `count` drains are opened, each is looked for once, and
/// all end.
std::uint64_t comparisons_of(std::uint32_t count, std::uint64_t (*deadline)(std::uint32_t)) {
  CountedDeadline::comparisons = 0;
  OpenDrains<CountedDrain> drains;
  for (std::uint32_t ticket = 1; ticket <= count; ++ticket) {
    drains.add({ticket, {deadline(ticket)}});
    (void)drains.earliest();
  }
  while (!drains.empty())
    drains.take_earliest();
  return CountedDeadline::comparisons;
}

// If each of 4,096 looks at all others, that is 16 million comparisons.
TEST(open_drains, cost_no_more_than_a_few_dozen_comparisons_each_however_many_there_are) {
  constexpr std::uint32_t count = 4096;
  EXPECT_LT(comparisons_of(count, [](std::uint32_t) { return std::uint64_t{7}; }), count * 60U);
  EXPECT_LT(comparisons_of(count, [](std::uint32_t x) { return std::uint64_t{x}; }), count * 60U);
  EXPECT_LT(comparisons_of(count, [](std::uint32_t x) { return std::uint64_t{count - x}; }),
            count * 60U);
}

TEST(open_drains, end_in_order_of_their_deadlines_and_then_of_their_tickets) {
  struct Drain {
    std::uint32_t ticket;
    Instant deadline;
  };
  using namespace std::chrono_literals;
  OpenDrains<Drain> drains;
  for (const auto& x :
       {Drain{1, Instant::never()}, Drain{2, Instant{30ms}}, Drain{3, Instant{10ms}},
        Drain{4, Instant{30ms}}, Drain{5, Instant::never()}})
    drains.add(x);
  EXPECT_EQ(drains.earliest().ticket, 3u);

  std::vector<std::uint32_t> tickets;
  while (!drains.empty())
    tickets.push_back(drains.take_earliest().ticket);
  EXPECT_THAT(tickets, ElementsAre(3, 2, 4, 1, 5));
}

} // namespace
} // namespace backoff_actor
