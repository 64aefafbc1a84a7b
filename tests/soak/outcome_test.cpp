#include "outcome.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace backoff_actor::soak {

namespace {

Outcome fine() {
  Outcome result;
  result.totals = {.submitted = 110, .answered = 97, .refused = 10, .dead_lettered = 3};
  result.crashes = 34;
  result.samples = {{.seconds = 0.25, .memory_mb = 84, .ended = 50, .crashes = 30}};
  result.growth = {.is_known = true, .earlier_mb = 80, .later_mb = 84};
  return result;
}

TEST(SoakOutcome, is_told_in_one_line) {
  EXPECT_EQ(last_line(fine()), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                               "ended twice 0, memory 84 MB (steady)");
}

TEST(SoakOutcome, is_fine_only_if_nothing_is_wrong) {
  EXPECT_TRUE(is_fine(fine()));

  auto outcome = fine();
  outcome.lost = 1;
  EXPECT_FALSE(is_fine(outcome));

  outcome = fine();
  outcome.totals.ended_twice = 1;
  EXPECT_FALSE(is_fine(outcome));

  outcome = fine();
  outcome.actors_left = 2;
  EXPECT_FALSE(is_fine(outcome));
  EXPECT_EQ(last_line(outcome), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                                "ended twice 0, actors left 2, memory 84 MB (steady)");

  outcome = fine();
  outcome.growth = {.is_known = true, .has_grown = true, .earlier_mb = 84, .later_mb = 181};
  EXPECT_FALSE(is_fine(outcome));
  EXPECT_EQ(last_line(outcome), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                                "ended twice 0, memory grew from 84 to 181 MB");
}

TEST(SoakOutcome, does_not_claim_what_it_does_not_know) {
  auto outcome = fine();
  outcome.growth = {};

  EXPECT_TRUE(is_fine(outcome));
  EXPECT_EQ(last_line(outcome), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                                "ended twice 0, memory not judged");
}

TEST(SoakOutcome, is_told_to_programs_by_the_same_numbers) {
  const auto read = nlohmann::json::parse(json(fine()));

  EXPECT_EQ(read["answered"], 97);
  EXPECT_EQ(read["lost"], 0);
  EXPECT_EQ(read["memory"]["has_grown"], false);
  EXPECT_EQ(read["samples"][0]["memory_mb"], 84);
}

} // namespace

} // namespace backoff_actor::soak
