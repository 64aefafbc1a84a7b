// What an observatory sees of durable outboxes.

#include "durable_fixture.hpp"

#include "common/metric_value.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

namespace backoff_actor::actor_test {

using testing::count_of;
using testing::value_of;

class OutboxSeen : public DurableTest {
protected:
  void start_observed(FaultPlan faults) {
    auto options = durable_options();
    options.name = "orders";
    options.observed_by = observatory;
    outbox = {store, durable<std::string>(), options};
    start(std::move(faults), with(outbox));
    time.run();
  }

  std::optional<double> value(const std::string& metric) {
    return value_of(observatory.metrics(time.now()), "backoff_outbox_" + metric,
                    {{"outbox", "orders"}});
  }

  Observatory observatory;
};

TEST_F(OutboxSeen, counts_what_it_commits) {
  start_observed({{testing::silence()}, {testing::silence()}});
  EXPECT_EQ(value("commits_total"), 0);
  ask("a");
  ask("b");
  EXPECT_EQ(value("commits_total"), 2);
  EXPECT_EQ(value("waiting_changes"), 0);
  const auto metrics = observatory.metrics(time.now());
  EXPECT_EQ(count_of(metrics, "backoff_outbox_commit_seconds", {{"outbox", "orders"}}), 2u);
  EXPECT_EQ(count_of(metrics, "backoff_outbox_batch_changes", {{"outbox", "orders"}}), 2u);
}

TEST_F(OutboxSeen, whose_disk_is_full_makes_its_process_unready_after_ten_seconds) {
  start_observed({{testing::slow(1s)}});
  ask("a");
  store->fail_always(StoreFailure::full);
  time.advance(1s);
  EXPECT_EQ(value("waiting_changes"), 1) << "the acknowledgement";
  EXPECT_EQ(value_of(observatory.metrics(time.now()), "backoff_outbox_failures_total",
                     {{"outbox", "orders"}, {"failure", "full"}}),
            1);
  time.advance(10s);
  EXPECT_TRUE(observatory.readiness(time.now()).is_ok);
  time.advance(1s);
  EXPECT_EQ(observatory.readiness(time.now()).text,
            "outbox orders: nothing could be written for 11s\n");
  store->fail_always({});
  time.advance(10s);
  EXPECT_TRUE(observatory.readiness(time.now()).is_ok);
  EXPECT_EQ(value("waiting_changes"), 0);
}

TEST_F(OutboxSeen, shows_what_waits_for_its_commit) {
  auto options = durable_options();
  options.name = "orders";
  options.observed_by = observatory;
  options.max_wait = 1s;
  outbox = {store, durable<std::string>(), options};
  start({}, with(outbox));
  ask("a");
  EXPECT_EQ(value("waiting_changes"), 1);
  EXPECT_EQ(value("commits_total"), 0);
  time.advance(1s);
  EXPECT_EQ(value("commits_total"), 1);
}

TEST_F(OutboxSeen, counts_what_a_killed_sender_leaves_in_it) {
  outbox = {store, durable<std::string>(), durable_options()};
  auto options = with(outbox);
  options.name = "orders";
  options.observed_by = observatory;
  start({{testing::silence()}}, options);
  ask("a");
  compat::send_exit_now(sender, nullptr, caf::exit_reason::kill);
  time.run();
  EXPECT_EQ(value_of(observatory.metrics(time.now()), "backoff_sender_suspended_total",
                     {{"sender", "orders"}}),
            1);
}

TEST_F(OutboxSeen, no_longer_shows_what_the_store_has_refused) {
  start_observed({{testing::silence()}});
  store->fail_next(1, StoreFailure::too_large);
  EXPECT_THAT(text_of(ask("a")->error), HasSubstr("not_stored"));
  EXPECT_EQ(value("waiting_changes"), 0);
}

TEST_F(OutboxSeen, without_a_name_is_an_outbox) {
  auto options = durable_options();
  options.observed_by = observatory;
  const DurableOutbox unnamed{store, durable<std::string>(), options};
  EXPECT_EQ(value_of(observatory.metrics(time.now()), "backoff_outbox_commits_total",
                     {{"outbox", "outbox"}}),
            0);
}

TEST_F(OutboxSeen, has_a_name_that_fits_into_a_label) {
  DurableOptions options;
  options.name = "my orders";
  EXPECT_THAT(to_string(check(options)), HasSubstr("name: got my orders"));
}

} // namespace backoff_actor::actor_test
