#include "backoff_actor/backoff/limits.hpp"

#include <gtest/gtest.h>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

TEST(limits, count_the_first_attempt_beside_the_retries) {
  EXPECT_EQ((Limits{.max_retries = 0}.max_attempts()), 1u);
  EXPECT_EQ((Limits{.max_retries = 9}.max_attempts()), 10u);
  EXPECT_EQ(Limits{}.max_attempts(), std::nullopt);
}

TEST(limits, print_retries_and_attempts) {
  EXPECT_EQ(to_string(Limits{}), "server_hint up to 5min");
  EXPECT_EQ(
    to_string(Limits{.max_retries = 9,
                     .max_elapsed = 30s,
                     .attempt_timeout = 2s,
                     .server_hint = 1min,
                     .reset_after = 10s}),
    "max_retries 9 (max_attempts 10), max_elapsed 30s, attempt_timeout 2s, reset_after 10s, "
    "server_hint up to 1min");
}

TEST(limits, name_all_that_is_wrong_with_them) {
  EXPECT_TRUE(check(Limits{}).empty());
  EXPECT_EQ(to_string(check(Limits{.max_retries = UINT32_MAX,
                                   .max_elapsed = 0s,
                                   .attempt_timeout = -1s,
                                   .server_hint = -1ns,
                                   .reset_after = 0ns})),
            "max_retries: got -1, allowed 0..1000000000, or unset for no limit\n"
            "max_elapsed: got 0ns, allowed 1us or more\n"
            "attempt_timeout: got -1s, allowed 1us or more\n"
            "server_hint.bound: got -1ns, allowed 0 or more\n"
            "reset_after: got 0ns, allowed 1us or more");
}

TEST(limits, come_with_the_policies_whose_source_forbids_to_retry_for_ever) {
  EXPECT_EQ(limits_of(Memorystore{}).max_retries, 10u);
  EXPECT_EQ(limits_of(Ethernet{}).max_attempts(), 16u);
  for (const Policy& policy : {Policy{RandomSlots{}}, Policy{Fixed{}}, Policy{Exponential{}},
                               Policy{Linear{}}, Policy{Decorrelated{}}, Policy{Seed002{}}})
    EXPECT_EQ(limits_of(policy), Limits{}) << to_string(policy);
}

} // namespace

} // namespace backoff_actor
