#include "outcome.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace backoff_actor::soak {

namespace {

Outcome fine() {
  Outcome result;
  result.totals = {.submitted = 110, .answered = 97, .refused = 10, .dead_lettered = 3};
  result.crashes = 34;
  result.watchers = 50;
  result.samples = {{.seconds = 0.25, .memory_mb = 84, .ended = 50, .crashes = 30}};
  result.growth = {.is_known = true, .earlier_mb = 80, .later_mb = 84};
  return result;
}

TEST(SoakOutcome, is_told_in_one_line) {
  EXPECT_EQ(last_line(fine()), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                               "ended twice 0, watchers 50, memory 84 MB (steady)");
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
                                "ended twice 0, watchers 50, actors left 2, memory 84 MB (steady)");

  outcome = fine();
  outcome.watchers_failed = 1;
  EXPECT_FALSE(is_fine(outcome));

  outcome = fine();
  outcome.descriptors_left = 3;
  EXPECT_FALSE(is_fine(outcome));

  outcome = fine();
  outcome.threads_left = 4;
  EXPECT_FALSE(is_fine(outcome));
  EXPECT_THAT(last_line(outcome), testing::HasSubstr("watchers 50, threads left 4, memory"));

  outcome = fine();
  outcome.growth = {.is_known = true, .has_grown = true, .earlier_mb = 84, .later_mb = 181};
  EXPECT_FALSE(is_fine(outcome));
  EXPECT_EQ(last_line(outcome), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                                "ended twice 0, watchers 50, memory grew from 84 to 181 MB");
}

TEST(SoakOutcome, does_not_claim_what_it_does_not_know) {
  auto outcome = fine();
  outcome.growth = {};

  EXPECT_TRUE(is_fine(outcome));
  EXPECT_EQ(last_line(outcome), "deliveries 100, crashes 34, dead-lettered 3, refused 10, lost 0, "
                                "ended twice 0, watchers 50, memory not judged");
}

TEST(SoakOutcome, is_told_to_programs_by_the_same_numbers) {
  const auto read = nlohmann::json::parse(json(fine()));

  EXPECT_EQ(read["answered"], 97);
  EXPECT_EQ(read["lost"], 0);
  EXPECT_EQ(read["watchers"], 50);
  EXPECT_EQ(read["memory"]["has_grown"], false);
  EXPECT_EQ(read["samples"][0]["memory_mb"], 84);
}

TEST(SoakOutcome, is_drawn_under_a_title_and_with_its_result) {
  auto outcome = fine();
  outcome.samples.push_back({.seconds = 0.75, .memory_mb = 90, .ended = 1050, .crashes = 30});
  const auto drawn = picture(outcome, {"soak.svg", false});

  EXPECT_EQ(drawn.title, "Soak: memory and throughput of a process in which everything fails");
  EXPECT_THAT(drawn.description, testing::HasSubstr("lost 0, ended twice 0"));
  EXPECT_THAT(drawn.script, testing::HasSubstr("\n0.25 84\n0.75 90\nend_of_data\n"));
  EXPECT_THAT(drawn.script, testing::HasSubstr("\n0.25 0.2\n0.75 2\nend_of_data\n"));
}

} // namespace

} // namespace backoff_actor::soak
