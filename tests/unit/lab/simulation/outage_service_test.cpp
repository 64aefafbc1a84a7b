#include "backoff_actor/lab/simulation/internal/outage_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace backoff_actor::outage_service_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Clients = std::vector<std::uint32_t>;

// -- how long a request takes --------------------------------------------------------------------

TEST(service_time, is_the_base_delay_up_to_the_limit) {
  EXPECT_EQ(service_time({}, 0), 100ms);
  EXPECT_EQ(service_time({}, 30), 100ms);
}

// Lines that the server of the seed printed, and numbers computed by another program.
TEST(service_time, is_that_of_the_seed_to_the_nanosecond) {
  EXPECT_EQ(service_time({}, 31), 100'325'797ns);
  EXPECT_EQ(service_time({}, 45), 105ms);
  EXPECT_EQ(service_time({}, 100), 125'569'277ns);
  EXPECT_EQ(service_time({}, 1040), 2'671'444'385ns);
  EXPECT_EQ(service_time({}, 1599), 16'458'895'305ns);
  EXPECT_EQ(service_time({}, 1925), 47'524'196'455ns);
  EXPECT_EQ(service_time({}, 2231), 128'580'906'589ns);
}

TEST(service_time, reaches_two_seconds_at_951_requests) {
  EXPECT_LT(service_time({}, 951), 2s);
  EXPECT_GT(service_time({}, 952), 2s);
}

TEST(service_time, stays_at_the_longest_span_where_the_seeds_overflows) {
  EXPECT_NEAR(static_cast<double>(service_time({}, 7792).count()), 9'220'531'560.92e9, 0.005e9);
  EXPECT_EQ(service_time({}, 7793), Duration::max());
  EXPECT_EQ(service_time({}, UINT64_MAX), Duration::max());
}

TEST(service_time, takes_all_of_its_parameters) {
  const ServiceOptions service{.limit = 10, .factor = 2, .scale = 5, .base_delay = 1s};

  EXPECT_EQ(service_time(service, 10), 1s);
  EXPECT_EQ(service_time(service, 15), 2s);
  EXPECT_EQ(service_time(service, 25), 8s);
}

// -- the service -------------------------------------------------------------------

OutageOptions options(ServiceOptions service = {}) {
  OutageOptions result;
  result.service = service;
  return result;
}

// Looks at the clock as often as there is reason to before then; who is answered when, in us.
struct Answer {
  std::uint64_t at_us;
  std::uint32_t client;
  friend bool operator==(const Answer&, const Answer&) = default;
};

std::vector<Answer> run_to(OutageService& service, std::uint64_t end_us) {
  std::vector<Answer> result;
  while (service.next_look_us() < end_us) {
    const auto at_us = service.next_look_us();
    Clients answered;
    service.look(answered);
    for (const auto client : answered)
      result.push_back({at_us, client});
  }
  return result;
}

TEST(outage_service, answers_at_the_second_look_of_50_ms_and_a_little) {
  OutageService service{options()};
  service.connect(1'000'000, 7);

  EXPECT_EQ(service.concurrency(), 1U);
  EXPECT_EQ(service.next_look_us(), 1'050'100U);
  EXPECT_THAT(run_to(service, 5'000'000), ElementsAre(Answer{1'100'200, 7}));
  EXPECT_EQ(service.concurrency(), 0U);
  EXPECT_EQ(service.next_look_us(), OutageService::never);
}

// 100.2 ms have passed at the second look, 150.3 ms at the third.
TEST(outage_service, does_not_answer_before_the_time_of_the_present_concurrency_has_passed) {
  OutageService service{options({.limit = 1, .factor = 1.2, .scale = 1})}; // two requests: 120 ms
  service.connect(0, 0);
  service.connect(20'000, 1);

  // The second is alone when it looks for the third time.
  EXPECT_THAT(run_to(service, 1'000'000), ElementsAre(Answer{150'300, 0}, Answer{170'300, 1}));
}

TEST(outage_service, needs_strictly_more_time_than_the_service_time) {
  OutageService exactly{options({.base_delay = 50'100us})};
  exactly.connect(0, 0);
  OutageService less{options({.base_delay = 50'099us})};
  less.connect(0, 0);

  EXPECT_THAT(run_to(exactly, 1'000'000), ElementsAre(Answer{100'200, 0}));
  EXPECT_THAT(run_to(less, 1'000'000), ElementsAre(Answer{50'100, 0}));
}

TEST(outage_service, works_on_for_a_client_that_left_if_work_is_kept) {
  OutageService service{options()};
  service.connect(0, 0);
  service.connect(0, 1);
  service.leave(0);

  EXPECT_THAT(run_to(service, 60'000), IsEmpty());
  EXPECT_EQ(service.concurrency(), 2U);
  EXPECT_EQ(service.worked_on_for_nobody(), 1U);
  EXPECT_EQ(service.lost_work(), 0U);
  EXPECT_THAT(run_to(service, 1'000'000), ElementsAre(Answer{100'200, 1}));
  EXPECT_EQ(service.concurrency(), 0U);
  EXPECT_EQ(service.worked_on_for_nobody(), 0U);
  EXPECT_EQ(service.lost_work(), 1U);
}

TEST(outage_service, drops_what_a_client_left_at_the_next_look_if_work_is_dropped) {
  OutageService service{options({.abandoned_work = AbandonedWork::dropped})};
  service.connect(0, 0);
  service.connect(0, 1);
  service.leave(0);

  EXPECT_EQ(service.concurrency(), 2U);
  EXPECT_EQ(service.worked_on_for_nobody(), 0U);
  EXPECT_THAT(run_to(service, 60'000), IsEmpty());
  EXPECT_EQ(service.concurrency(), 1U);
  EXPECT_THAT(run_to(service, 1'000'000), ElementsAre(Answer{100'200, 1}));
  EXPECT_EQ(service.lost_work(), 0U);
}

TEST(outage_service, takes_a_backlog_while_it_is_stopped_and_no_more) {
  OutageService service{options({.backlog = 2})};
  service.connect(0, 0);
  service.stop();

  EXPECT_EQ(service.next_look_us(), OutageService::never);
  EXPECT_TRUE(service.connect(1, 1));
  EXPECT_TRUE(service.connect(1, 2));
  EXPECT_FALSE(service.connect(1, 3));
  EXPECT_EQ(service.concurrency(), 1U);
}

TEST(outage_service, first_answers_old_requests_when_it_goes_on_then_accepts_the_backlog) {
  OutageService service{options()};
  service.connect(0, 0);
  service.stop();
  for (std::uint32_t client = 1; client <= 100; ++client)
    service.connect(1000, client);
  service.leave(50); // its connection stays in the backlog

  Clients answered;
  service.go_on(3'000'000, answered);

  EXPECT_THAT(answered, ElementsAre(0));
  EXPECT_EQ(service.concurrency(), 100U);
  EXPECT_EQ(run_to(service, 4'000'000).size(), 99U);
  EXPECT_EQ(service.lost_work(), 1U);
}

TEST(outage_service, keeps_what_is_not_due_when_it_goes_on) {
  OutageService service{options({.base_delay = 10s})};
  service.connect(0, 0);
  service.connect(70'000, 1);
  service.stop();
  Clients answered;
  service.go_on(1'000'000, answered);

  EXPECT_THAT(answered, IsEmpty());
  EXPECT_EQ(service.concurrency(), 2U);
  // Both look every 50.1 ms from then on: 10.01 s after the first's beginning, 10.03 after the
  // other's.
  EXPECT_THAT(run_to(service, 20'000'000),
              ElementsAre(Answer{10'018'000, 0}, Answer{10'118'200, 1}));
}

TEST(outage_service, works_on_no_more_than_its_maximum_at_once) {
  OutageService service{options({.backlog = 1, .max_concurrency = 2})};
  EXPECT_TRUE(service.connect(0, 0));
  EXPECT_TRUE(service.connect(0, 1));
  EXPECT_TRUE(service.connect(0, 2)); // in the backlog
  EXPECT_FALSE(service.connect(0, 3));

  EXPECT_EQ(service.concurrency(), 2U);
  EXPECT_THAT(run_to(service, 1'000'000),
              ElementsAre(Answer{100'200, 0}, Answer{100'200, 1}, Answer{200'400, 2}));
}

TEST(outage_service, tells_the_highest_concurrency_though_all_is_done_since) {
  OutageService service{options()};
  for (std::uint32_t client = 0; client < 3; ++client)
    service.connect(0, client);
  run_to(service, 1'000'000);

  EXPECT_EQ(service.concurrency(), 0U);
  EXPECT_EQ(service.take_peak_concurrency(), 3U);
  EXPECT_EQ(service.take_peak_concurrency(), 0U);
}

TEST(outage_service, tells_the_mean_and_the_highest_concurrency) {
  OutageService service{options()};
  service.connect(0, 0);
  service.connect(500'000, 1);
  service.connect(500'000, 2);

  EXPECT_EQ(service.take_peak_concurrency(), 3U);
  EXPECT_DOUBLE_EQ(service.take_mean_concurrency(1'000'000), 2.0);
  EXPECT_DOUBLE_EQ(service.take_mean_concurrency(2'000'000), 3.0);
}

} // namespace backoff_actor::outage_service_test
