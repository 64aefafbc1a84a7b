// What an observatory sees of senders and of an actor system.

#include "fixture.hpp"

#include "common/metric_value.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

namespace backoff_actor::actor_test {

using testing::count_of;
using testing::sample_of;
using testing::value_of;

class Observed : public SenderTest {
protected:
  Observed() {
    // The virtual time must not begin with the longest bucket.
    time.advance(1s);
  }

  SenderOptions observed(SenderOptions options = default_options()) const {
    options.name = "orders";
    options.observed_by = observatory;
    return options;
  }

  std::optional<double> value(const std::string& metric) {
    return value_of(observatory.metrics(time.now()), "backoff_" + metric, {{"sender", "orders"}});
  }

  std::optional<double> value(const std::string& metric, const std::string& label,
                              const std::string& of) {
    return value_of(observatory.metrics(time.now()), "backoff_" + metric,
                    {{"sender", "orders"}, {label, of}});
  }

  // What a sender says of itself must be what is seen of it.
  void expect_same_as_status() {
    const auto expected = status();
    const auto seen = observatory.status(9, time.now()).senders.at(0);
    EXPECT_EQ(seen.name, expected.name);
    EXPECT_EQ(static_cast<const SenderNumbers&>(seen.glance), expected);
    EXPECT_EQ(seen.glance.phase, expected.phase);
    EXPECT_EQ(seen.glance.oldest_since == Instant::never() ? 0s
                                                           : time.now() - seen.glance.oldest_since,
              expected.oldest_age);
  }

  Observatory observatory;
};

TEST_F(Observed, a_sender_is_seen_from_its_start_to_its_end) {
  start({}, observed());
  EXPECT_EQ(value("senders", "phase", "running"), 1);
  ask("a");
  EXPECT_EQ(value("sender_accepted_total"), 1);
  EXPECT_EQ(value("sender_acknowledged_total"), 1);
  EXPECT_EQ(value("sender_hand_overs_total"), 1);
  expect_same_as_status();
  time.stop(sender);
  sender = nullptr;
  time.run();
  EXPECT_THAT(observatory.status(9, time.now()).senders, IsEmpty());
  EXPECT_EQ(value("senders", "phase", "running"), 0);
  EXPECT_EQ(value("sender_acknowledged_total"), 1);
}

TEST_F(Observed, a_sender_whose_worker_crashes_is_seen_to_wait) {
  start({{testing::crash()}}, observed());
  const auto answer = ask("a");
  EXPECT_EQ(value("senders", "phase", "waiting"), 1);
  EXPECT_EQ(value("sender_owed"), 1);
  EXPECT_EQ(value("sender_delayed"), 1);
  EXPECT_EQ(value("child_crashes_total"), 1);
  EXPECT_EQ(value("child_restarts_total"), 1);
  expect_same_as_status();
  time.advance(10ms);
  EXPECT_TRUE(answer->value);
  EXPECT_EQ(value("sender_redeliveries_total"), 1);
  EXPECT_EQ(value("sender_owed"), 0);
  expect_same_as_status();
}

TEST_F(Observed, times_are_counted_by_their_size) {
  start({{testing::crash()}, {testing::crash()}}, observed());
  ask("a");
  time.advance(10ms);
  time.advance(30ms);
  const auto metrics = observatory.metrics(time.now());
  const testing::LabelValues orders{{"sender", "orders"}};
  EXPECT_DOUBLE_EQ(sample_of(metrics, "backoff_delivery_seconds", orders)->buckets.sum, 0.04);
  EXPECT_EQ(count_of(metrics, "backoff_delivery_seconds", orders), 1u);
  EXPECT_DOUBLE_EQ(sample_of(metrics, "backoff_attempt_seconds", orders)->buckets.sum, 0);
  EXPECT_EQ(count_of(metrics, "backoff_attempt_seconds", orders), 1u);
  EXPECT_DOUBLE_EQ(sample_of(metrics, "backoff_retry_delay_seconds", orders)->buckets.sum, 0.04);
  EXPECT_EQ(count_of(metrics, "backoff_retry_delay_seconds", orders), 2u);
}

TEST_F(Observed, what_is_refused_or_given_up_is_counted_by_reason) {
  auto options = observed();
  options.capacity = 1;
  options.time_to_live = 1s;
  start({{testing::silence()}}, options);
  ask("a");
  ask("b");
  ask("c");
  EXPECT_EQ(value("sender_refused_total", "reason", "outbox_full"), 2);
  EXPECT_EQ(value("sender_refused_total", "reason", "draining"), 0);
  time.advance(1s);
  EXPECT_EQ(value("sender_dead_letters_total", "reason", "expired"), 1);
  EXPECT_EQ(value("sender_dead_letters_total", "reason", "stopped"), 0);
}

TEST_F(Observed, what_a_sender_gives_up_at_its_end_is_counted) {
  start({{testing::silence()}, {testing::silence()}}, observed());
  ask("a");
  ask("b");
  time.stop(sender);
  sender = nullptr;
  time.run();
  EXPECT_EQ(value("sender_dead_letters_total", "reason", "stopped"), 2);
  EXPECT_EQ(value("sender_accepted_total"), 2);
  EXPECT_EQ(value("sender_owed"), 0);
}

TEST_F(Observed, a_silent_child_makes_its_delivery_old_and_its_sender_silent) {
  start({{testing::silence()}}, observed());
  ask("a");
  time.advance(20s);
  EXPECT_EQ(value("sender_oldest_owed_seconds"), 20);
  EXPECT_EQ(value("sender_silent_seconds"), 20);
  tell(Status{});
  EXPECT_EQ(value("sender_silent_seconds"), 0);
  EXPECT_EQ(value("sender_oldest_owed_seconds"), 20);
}

TEST_F(Observed, a_sender_that_drains_makes_its_process_unready) {
  start({{testing::silence()}}, observed());
  ask("a");
  EXPECT_TRUE(observatory.readiness(time.now()).is_ok);
  tell(Drain{3s});
  EXPECT_EQ(observatory.readiness(time.now()).text,
            "orders#" + std::to_string(sender.id()) + ": draining\n");
  time.advance(3s);
}

// All thousand are one batch, which the sender takes in one go.
TEST_F(Observed, many_that_wait_in_the_mailbox_are_seen_while_they_are_taken) {
  auto options = observed();
  std::optional<double> seen;
  options.on_event = [&](const Event& event) {
    const auto* const accepted = std::get_if<event::Accepted>(&event);
    if (accepted != nullptr && accepted->delivery == 500)
      seen = value("sender_accepted_total");
  };
  start_with(child_of<Echo>(), options);
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (int i = 0; i < 1000; ++i)
    answers.push_back(time.ask<std::string>(sender, std::string{"a"}));
  time.run();
  ASSERT_TRUE(seen);
  EXPECT_GE(*seen, 500 - 128 - 2);
  EXPECT_LT(*seen, 500);
  EXPECT_EQ(value("sender_accepted_total"), 1000);
  EXPECT_EQ(value("sender_acknowledged_total"), 1000);
  EXPECT_EQ(value("sender_in_flight"), 0);
}

TEST_F(Observed, a_sender_that_nobody_observes_is_not_seen) {
  start({});
  ask("a");
  EXPECT_EQ(value("sender_accepted_total"), std::nullopt);
}

TEST_F(Observed, a_watched_scheduler_beats_once_a_second) {
  {
    const SchedulerWatch watch{time.system(), observatory};
    time.advance(60s);
    EXPECT_TRUE(observatory.liveness(time.now()).is_ok);
    EXPECT_TRUE(observatory.liveness(time.now() + 5s).is_ok);
    EXPECT_FALSE(observatory.liveness(time.now() + 6s).is_ok);
  }
  time.advance(2s);
  EXPECT_TRUE(observatory.liveness(time.now() + 60s).is_ok);
}

TEST_F(Observed, metrics_name_the_version_of_caf) {
  start({}, observed());
  EXPECT_EQ(value_of(observatory.metrics(time.now()), "backoff_build_info",
                     {{"version", BACKOFF_ACTOR_VERSION}, {"caf", compat::caf_version()}}),
            1);
}

// CAF 0.17 counts nothing.
TEST_F(Observed, caf_shows_what_it_counts_itself) {
  const auto page = CafMetrics{time.system()}();
  if (compat::caf_version().starts_with("0."))
    EXPECT_EQ(page, "");
  else
    EXPECT_THAT(page, HasSubstr("caf_system_running_actors"));
}

} // namespace backoff_actor::actor_test
