#include "backoff_actor/backoff/limits.hpp"

#include <gtest/gtest.h>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

TEST(limits, print_what_is_set) {
  EXPECT_EQ(to_string(Limits{}), "retry_after up to 5min");
  EXPECT_EQ(to_string(Limits{.max_attempts = 10,
                             .max_elapsed = 30s,
                             .attempt_timeout = 2s,
                             .retry_after = 1min,
                             .reset_after = 10s}),
            "max_attempts 10, max_elapsed 30s, attempt_timeout 2s, reset_after 10s, "
            "retry_after up to 1min");
}

TEST(limits, name_all_that_is_wrong_with_them) {
  EXPECT_TRUE(check(Limits{}).empty());
  EXPECT_EQ(to_string(check(Limits{.max_attempts = UINT32_MAX,
                                   .max_elapsed = 0s,
                                   .attempt_timeout = -1s,
                                   .retry_after = -1ns,
                                   .reset_after = 0ns})),
            "max_attempts: got -1, allowed 1..1000000000\n"
            "max_elapsed: got 0ns, allowed 1us or more\n"
            "attempt_timeout: got -1s, allowed 1us or more\n"
            "retry_after.bound: got -1ns, allowed 0 or more\n"
            "reset_after: got 0ns, allowed 1us or more");
}

TEST(limits, allow_at_least_one_attempt) {
  EXPECT_TRUE(check(Limits{.max_attempts = 1}).empty());
  EXPECT_EQ(to_string(check(Limits{.max_attempts = 0})),
            "max_attempts: got 0, allowed 1..1000000000");
}

TEST(limits, come_with_the_policies_whose_source_forbids_to_retry_for_ever) {
  EXPECT_EQ(limits_of(Memorystore{}).max_attempts, 11u);
  EXPECT_EQ(limits_of(Ethernet{}).max_attempts, 16u);
  for (const Policy& policy : {Policy{RandomSlots{}}, Policy{Fixed{}}, Policy{Exponential{}},
                               Policy{Linear{}}, Policy{Decorrelated{}}, Policy{Seed002{}}})
    EXPECT_EQ(limits_of(policy), Limits{}) << to_string(policy);
}

} // namespace

} // namespace backoff_actor
