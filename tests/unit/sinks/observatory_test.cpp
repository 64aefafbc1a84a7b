// What an observatory makes of the numbers that others publish. Who publishes which:
// actor/observed_test.cpp and others.

#include "backoff_actor/delivery/dead_letter.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/observe/supervisor_status.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include "common/metric_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace backoff_actor::sinks_test {

using namespace std::chrono_literals;
using detail::SenderSeat;
using testing::count_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::sample_of;
using ::testing::SizeIs;
using testing::value_of;

constexpr Instant at(Duration since_begin) { return Instant{since_begin}; }

SenderGlance owing(std::uint64_t owed, Instant since = at(0s)) {
  SenderGlance glance;
  glance.phase = Phase::running;
  glance.owed = owed;
  glance.oldest_since = owed == 0 ? Instant::never() : since;
  return glance;
}

class ObservatoryTest : public ::testing::Test {
protected:
  std::unique_ptr<SenderSeat> sender(const std::string& kind, std::uint64_t number,
                                     const SenderGlance& glance, Instant now = at(0s)) {
    auto seat = std::make_unique<SenderSeat>(observatory.state()->senders(kind), number);
    seat->publish(glance, now);
    return seat;
  }

  std::optional<double> of_sender(const std::string& metric, const std::string& kind,
                                  Instant now = at(0s)) {
    return value_of(observatory.metrics(now), "backoff_" + metric, {{"sender", kind}});
  }

  Observatory observatory;
};

TEST_F(ObservatoryTest, that_sees_nothing_has_the_versions_and_what_was_left_out) {
  EXPECT_EQ(to_exposition(observatory.metrics(at(0s))),
            "# HELP backoff_build_info The versions in use; the value is always 1.\n"
            "# TYPE backoff_build_info gauge\n"
            "backoff_build_info{version=\"" BACKOFF_ACTOR_VERSION "\",caf=\"\"} 1\n"
            "# HELP backoff_observer_dropped_total What could not be shown by its own name.\n"
            "# TYPE backoff_observer_dropped_total counter\n"
            "backoff_observer_dropped_total{what=\"sender\"} 0\n"
            "backoff_observer_dropped_total{what=\"other\"} 0\n"
            "backoff_observer_dropped_total{what=\"log line\"} 0\n");
  EXPECT_EQ(observatory.readiness(at(0s)).text, "ok\n");
}

TEST_F(ObservatoryTest, sums_up_the_senders_of_a_kind) {
  auto glance = owing(3);
  glance.owed_bytes = 100;
  glance.in_flight = 2;
  glance.ghosts = 1;
  glance.abandoned = 1;
  glance.is_paused = true;
  glance.is_on_fallback = true;
  glance.is_held_back = true;
  glance.is_delayed = true;
  glance.is_service_down = true;
  const auto a = sender("orders", 1, glance);
  const auto b = sender("orders", 2, owing(4));
  const auto c = sender("bills", 3, owing(50));
  EXPECT_EQ(of_sender("sender_owed", "orders"), 7);
  EXPECT_EQ(of_sender("sender_owed", "bills"), 50);
  EXPECT_EQ(of_sender("sender_owed_bytes", "orders"), 100);
  EXPECT_EQ(of_sender("sender_in_flight", "orders"), 2);
  EXPECT_EQ(of_sender("sender_ghosts", "orders"), 1);
  EXPECT_EQ(of_sender("sender_paused", "orders"), 1);
  EXPECT_EQ(of_sender("sender_on_fallback", "orders"), 1);
  EXPECT_EQ(of_sender("sender_held_back", "orders"), 1);
  EXPECT_EQ(of_sender("sender_delayed", "orders"), 1);
  EXPECT_EQ(of_sender("sender_service_down", "orders"), 1);
  EXPECT_EQ(of_sender("sender_paused", "bills"), 0);
  EXPECT_EQ(of_sender("children_abandoned", "orders"), 1);
}

TEST_F(ObservatoryTest, counts_senders_by_what_they_do) {
  auto waiting = owing(1);
  waiting.phase = Phase::waiting;
  const auto a = sender("orders", 1, owing(0));
  const auto b = sender("orders", 2, owing(0));
  const auto c = sender("orders", 3, waiting);
  const auto metrics = observatory.metrics(at(0s));
  const auto in = [&](const char* phase) {
    return value_of(metrics, "backoff_senders", {{"sender", "orders"}, {"phase", phase}});
  };
  EXPECT_EQ(in("starting"), 0);
  EXPECT_EQ(in("running"), 2);
  EXPECT_EQ(in("waiting"), 1);
  EXPECT_EQ(in("draining"), 0);
  EXPECT_EQ(in("finishing"), 0);
  EXPECT_EQ(in("stopping"), 0);
}

// So the age grows while a sender is blocked.
TEST_F(ObservatoryTest, computes_ages_when_it_is_asked) {
  const auto a = sender("orders", 1, owing(1, at(2s)), at(10s));
  const auto b = sender("orders", 2, owing(1, at(5s)), at(8s));
  EXPECT_EQ(of_sender("sender_oldest_owed_seconds", "orders", at(30s)), 28);
  EXPECT_EQ(of_sender("sender_silent_seconds", "orders", at(30s)), 22);
}

TEST_F(ObservatoryTest, knows_since_when_nothing_has_succeeded) {
  auto failing = owing(1);
  failing.failing_since = at(5s);
  const auto a = sender("orders", 1, failing);
  const auto b = sender("bills", 2, owing(1));
  const auto senders = observatory.status(9, at(30s)).senders;
  ASSERT_THAT(senders, SizeIs(2));
  const auto is_failing = senders[0].name.kind == "orders" ? 0U : 1U;
  EXPECT_EQ(senders[is_failing].glance.failing_since, at(5s));
  EXPECT_EQ(senders[1 - is_failing].glance.failing_since, Instant::never());
}

TEST_F(ObservatoryTest, a_sender_that_owes_nothing_is_neither_old_nor_silent) {
  const auto a = sender("orders", 1, owing(0), at(1s));
  EXPECT_EQ(of_sender("sender_oldest_owed_seconds", "orders", at(30s)), 0);
  EXPECT_EQ(of_sender("sender_silent_seconds", "orders", at(30s)), 0);
}

TEST_F(ObservatoryTest, keeps_the_counts_of_a_sender_that_has_ended) {
  auto glance = owing(5);
  glance.counters.accepted = 10;
  glance.counters.crashes = 2;
  glance.restarts = 2;
  auto a = sender("orders", 1, glance);
  a->note_refused(static_cast<std::size_t>(Refusal::outbox_full));
  a->note_dead_letter(static_cast<std::size_t>(DeadLetterReason::expired));
  a->note_acknowledged(at(1s), at(0s), at(1s - 1ms));
  const auto b = sender("orders", 2, glance);
  const auto check = [&](double owed) {
    const auto metrics = observatory.metrics(at(0s));
    EXPECT_EQ(of_sender("sender_accepted_total", "orders"), 20);
    EXPECT_EQ(of_sender("child_crashes_total", "orders"), 4);
    EXPECT_EQ(of_sender("child_restarts_total", "orders"), 4);
    EXPECT_EQ(value_of(metrics, "backoff_sender_refused_total",
                       {{"sender", "orders"}, {"reason", "outbox_full"}}),
              1);
    EXPECT_EQ(value_of(metrics, "backoff_sender_dead_letters_total",
                       {{"sender", "orders"}, {"reason", "expired"}}),
              1);
    EXPECT_EQ(count_of(metrics, "backoff_delivery_seconds", {{"sender", "orders"}}), 1u);
    EXPECT_EQ(of_sender("sender_owed", "orders"), owed);
  };
  check(10);
  a = nullptr;
  check(5);
}

// Each must find its own way out, whichever goes first.
TEST_F(ObservatoryTest, forgets_those_that_end_and_no_other) {
  auto a = sender("orders", 1, owing(1));
  auto b = sender("orders", 2, owing(20));
  auto c = sender("orders", 3, owing(300));
  a = nullptr;
  EXPECT_EQ(of_sender("sender_owed", "orders"), 320);
  auto d = sender("orders", 4, owing(4000));
  c = nullptr;
  EXPECT_EQ(of_sender("sender_owed", "orders"), 4020);
  b = nullptr;
  d = nullptr;
  EXPECT_EQ(of_sender("sender_owed", "orders"), 0);
}

TEST_F(ObservatoryTest, puts_times_into_buckets_that_grow_fourfold) {
  const auto a = sender("orders", 1, owing(0));
  for (const auto span : {0ns, 100'000ns, 100'001ns, 400'000ns, 400'001ns})
    a->note_acknowledged(at(25h), at(25h - span), at(0h));
  const auto times =
    sample_of(observatory.metrics(at(0s)), "backoff_delivery_seconds", {{"sender", "orders"}});
  EXPECT_EQ(times->buckets.bounds.front(), 0.0001);
  EXPECT_NEAR(times->buckets.bounds.back(), 1677.7216, 1e-9);
  EXPECT_THAT(times->buckets.counts, ElementsAre(2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_DOUBLE_EQ(times->buckets.sum, 0.001000002);
  const auto attempts =
    sample_of(observatory.metrics(at(0s)), "backoff_attempt_seconds", {{"sender", "orders"}});
  EXPECT_EQ(attempts->buckets.counts.back(), 5u);
  EXPECT_DOUBLE_EQ(attempts->buckets.sum, 5 * 25 * 3600.0);
}

TEST_F(ObservatoryTest, loses_no_time_when_a_bucket_of_32_bits_is_full) {
  const auto a = sender("orders", 1, owing(0));
  a->note_acknowledged(at(1s), at(1s), at(1s));
  observatory.state()->senders("orders")->times->for_each([](const detail::TimesCell& cell) {
    const_cast<detail::TimesCell&>(cell).set(detail::TimeWords::delivery_times,
                                             detail::TimesCell::most);
  });
  a->note_acknowledged(at(1s), at(1s), at(1s));
  a->note_acknowledged(at(1s), at(1s), at(1s));
  const auto metrics = observatory.metrics(at(0s));
  const auto count = [&](const char* name) {
    return sample_of(metrics, name, {{"sender", "orders"}})->buckets.counts.front();
  };
  EXPECT_EQ(count("backoff_delivery_seconds"), 4'294'967'297u);
  EXPECT_EQ(count("backoff_attempt_seconds"), 3u);
}

TEST_F(ObservatoryTest, takes_a_time_that_steps_back_for_none) {
  const auto a = sender("orders", 1, owing(0));
  a->note_acknowledged(at(-1s), at(1s), Instant::never());
  const auto times =
    sample_of(observatory.metrics(at(0s)), "backoff_delivery_seconds", {{"sender", "orders"}});
  EXPECT_EQ(times->buckets.counts.front(), 1u);
  EXPECT_EQ(times->buckets.sum, 0);
}

// What a reader sees of a sender that has published this at second 9.
SenderGlance read_back(const SenderGlance& glance) {
  detail::Cell<detail::SenderWords::size> cell;
  publish(cell, glance, at(9s));
  return glance_of(cell);
}

TEST(sender_cell, gives_back_all_numbers) {
  SenderGlance glance;
  std::uint64_t next = 1;
  for (const auto& one : detail::sender_counters)
    glance.counters.*one.member = next++;
  for (const auto& one : detail::sender_gauges)
    glance.*one.member = next++;
  glance.restarts = next;
  glance.phase = Phase::stopped;
  glance.oldest_since = at(1s);
  glance.silent_since = at(9s);
  glance.failing_since = at(-2s);
  glance.due = at(3s);
  glance.calendar_due = at(5s);
  EXPECT_EQ(read_back(glance), glance);
}

TEST(sender_cell, has_no_silence_of_a_sender_that_has_nothing_to_do) {
  SenderGlance glance;
  glance.owed = 2;
  glance.scheduled = 1;
  EXPECT_EQ(read_back(glance).silent_since, at(9s));
  glance.scheduled = 2;
  EXPECT_EQ(read_back(glance).silent_since, Instant::never()) << "all waits for its time";
}

TEST(sender_cell, tells_the_flags_apart) {
  for (const auto& one : detail::sender_flags) {
    SenderGlance glance;
    glance.*one.member = true;
    EXPECT_EQ(read_back(glance), glance) << one.key;
  }
}

TEST_F(ObservatoryTest, shows_those_that_owe_the_most) {
  const auto a = sender("orders", 1, owing(1, at(2s)), at(3s));
  const auto b = sender("orders", 2, owing(20));
  const auto c = sender("bills", 3, owing(20));
  const auto status = observatory.status(2, at(10s));
  ASSERT_THAT(status.senders, SizeIs(2));
  EXPECT_EQ(to_string(status.senders[0].name), "bills#3");
  EXPECT_EQ(to_string(status.senders[1].name), "orders#2");
  EXPECT_EQ(status.senders_left_out, 1u);
  const auto all = observatory.status(9, at(10s));
  ASSERT_THAT(all.senders, SizeIs(3));
  auto expected = owing(1, at(2s));
  expected.silent_since = at(3s);
  EXPECT_EQ(all.senders[2].glance, expected);
  EXPECT_EQ(all.at, at(10s));
  EXPECT_EQ(all.senders_left_out, 0u);
}

TEST(Observatory, counts_further_kinds_as_other) {
  const Observatory observatory{{.max_kinds = 2}};
  auto& state = *observatory.state();
  std::vector<std::unique_ptr<SenderSeat>> seats;
  for (const auto* kind : {"a", "b", "c", "d", "b"}) {
    seats.push_back(std::make_unique<SenderSeat>(state.senders(kind), 1));
    seats.back()->publish(owing(1), at(0s));
  }
  const auto metrics = observatory.metrics(at(0s));
  EXPECT_EQ(value_of(metrics, "backoff_sender_owed", {{"sender", "a"}}), 1);
  EXPECT_EQ(value_of(metrics, "backoff_sender_owed", {{"sender", "b"}}), 2);
  EXPECT_EQ(value_of(metrics, "backoff_sender_owed", {{"sender", "c"}}), std::nullopt);
  EXPECT_EQ(value_of(metrics, "backoff_sender_owed", {{"sender", "other"}}), 2);
  EXPECT_EQ(value_of(metrics, "backoff_observer_dropped_total", {{"what", "sender"}}), 2);
}

TEST(Observatory, refuses_wrong_options) {
  EXPECT_TRUE(check(ObservatoryOptions{.max_kinds = 1}).empty());
  EXPECT_TRUE(check(ObservatoryOptions{.max_kinds = 100'000}).empty());
  try {
    const Observatory observatory{{.max_kinds = 0}};
    FAIL() << "it was taken";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("max_kinds: got 0, allowed 1..100000"));
  }
  EXPECT_FALSE(check(ObservatoryOptions{.max_kinds = 100'001}).empty());
}

// -- probes -------------------------------------------------------------------------

struct ProbeCase {
  Phase phase;
  bool is_ready;
};

class ReadinessByPhase : public ObservatoryTest, public ::testing::WithParamInterface<ProbeCase> {};

TEST_P(ReadinessByPhase, is_as_the_table_says) {
  auto glance = owing(1);
  glance.phase = GetParam().phase;
  const auto a = sender("orders", 7, glance);
  const auto ready = observatory.readiness(at(0s));
  EXPECT_EQ(ready.is_ok, GetParam().is_ready);
  EXPECT_EQ(ready.text, GetParam().is_ready
                          ? "ok\n"
                          : "orders#7: " + std::string{to_string(GetParam().phase)} + "\n");
  EXPECT_TRUE(observatory.liveness(at(0s)).is_ok);
}

INSTANTIATE_TEST_SUITE_P(
  all, ReadinessByPhase,
  ::testing::Values(ProbeCase{Phase::starting, true}, ProbeCase{Phase::running, true},
                    ProbeCase{Phase::waiting, true}, ProbeCase{Phase::draining, false},
                    ProbeCase{Phase::finishing, false}, ProbeCase{Phase::stopping, true}),
  [](const auto& one) { return std::string{to_string(one.param.phase)}; });

// A service that is down must not make its callers unready: that would be all of them.
TEST_F(ObservatoryTest, a_process_whose_breaker_is_open_is_alive_and_ready) {
  detail::GuardSeat seat{observatory.state()->guards("payments"), {}, at(0s)};
  GuardStatus status;
  status.has_breaker = true;
  status.breaker = BreakerState::open;
  seat.publish(status, at(0s));
  EXPECT_TRUE(observatory.liveness(at(0s)).is_ok);
  EXPECT_TRUE(observatory.readiness(at(0s)).is_ok);
}

TEST_F(ObservatoryTest, a_process_whose_scheduler_is_blocked_is_neither_alive_nor_ready) {
  auto heartbeat = observatory.state()->add_heartbeat(at(10s));
  EXPECT_TRUE(observatory.liveness(at(15s)).is_ok);
  const auto blocked = observatory.liveness(at(15s + 1ns));
  EXPECT_FALSE(blocked.is_ok);
  EXPECT_EQ(blocked.text, "the threads of the scheduler have been blocked for 5s\n");
  EXPECT_EQ(observatory.readiness(at(16s)).text,
            "the threads of the scheduler have been blocked for 6s\n");
  heartbeat->beat(at(16s));
  EXPECT_TRUE(observatory.liveness(at(16s)).is_ok);
  heartbeat = nullptr;
  EXPECT_TRUE(observatory.liveness(at(60s)).is_ok);
}

// CAF may give the actor that beats no turn for long if there is enough else to do.
TEST_F(ObservatoryTest, a_process_whose_senders_have_turns_is_alive) {
  const auto heartbeat = observatory.state()->add_heartbeat(at(10s));
  const auto a = sender("orders", 1, owing(1), at(19s));
  const auto b = sender("bills", 2, owing(0), at(3s));
  EXPECT_TRUE(observatory.liveness(at(24s)).is_ok);
  EXPECT_EQ(observatory.liveness(at(24s + 1ns)).text,
            "the threads of the scheduler have been blocked for 14s\n");
}

TEST_F(ObservatoryTest, a_process_that_has_not_written_for_ten_seconds_is_not_ready) {
  detail::OutboxSeat seat{observatory.state()->outboxes("orders")};
  seat.note_failure(static_cast<std::size_t>(StoreFailure::full), at(1s));
  seat.note_failure(static_cast<std::size_t>(StoreFailure::full), at(9s));
  EXPECT_TRUE(observatory.readiness(at(11s)).is_ok);
  const auto ready = observatory.readiness(at(11s + 1ns));
  EXPECT_FALSE(ready.is_ok);
  EXPECT_EQ(ready.text, "outbox orders: nothing could be written for 10s\n");
  EXPECT_TRUE(observatory.liveness(at(60s)).is_ok);
  seat.note_commit(1ms, 1);
  EXPECT_TRUE(observatory.readiness(at(60s)).is_ok);
}

// -- the others -----------------------------------------------------------------------

TEST_F(ObservatoryTest, shows_supervisors) {
  auto& state = *observatory.state();
  detail::SupervisorSeat a{state.supervisors("root"), state.families(), {"root", 5}};
  {
    detail::SupervisorSeat b{state.supervisors("root"), state.families(), {"root", 6}};
    b.set_restarts(10);
    b.note_escalation();
  }
  a.set_restarts(3);
  a.set_children(static_cast<std::size_t>(ChildState::running), 4);
  a.set_children(static_cast<std::size_t>(ChildState::ending), 1);
  const auto metrics = observatory.metrics(at(0s));
  EXPECT_EQ(value_of(metrics, "backoff_supervisor_restarts_total", {{"supervisor", "root"}}), 13);
  EXPECT_EQ(value_of(metrics, "backoff_supervisor_escalations_total", {{"supervisor", "root"}}), 1);
  EXPECT_EQ(value_of(metrics, "backoff_supervisor_children",
                     {{"supervisor", "root"}, {"state", "running"}}),
            4);
  const auto status = observatory.status(9, at(0s));
  ASSERT_THAT(status.supervisors, SizeIs(1));
  EXPECT_EQ(to_string(status.supervisors[0].name), "root#5");
  EXPECT_EQ(status.supervisors[0].running, 4u);
  EXPECT_EQ(status.supervisors[0].ending, 1u);
  EXPECT_EQ(status.supervisors[0].restarts, 3u);
  EXPECT_EQ(observatory.status(0, at(0s)).supervisors_left_out, 1u);
}

TEST_F(ObservatoryTest, counts_the_changes_of_a_breaker_and_merges_guards_of_one_name) {
  const auto status_of = [](BreakerState state) {
    GuardStatus status;
    status.has_breaker = true;
    status.breaker = state;
    status.has_budget = true;
    status.retries_left = 2.5;
    return status;
  };
  detail::GuardSeat a{observatory.state()->guards("payments"), status_of(BreakerState::open),
                      at(0s)};
  detail::GuardSeat b{observatory.state()->guards("payments"), status_of(BreakerState::closed),
                      at(0s)};
  a.publish(status_of(BreakerState::half_open), at(1s));
  a.publish(status_of(BreakerState::half_open), at(2s));
  a.publish(status_of(BreakerState::open), at(3s));
  const auto metrics = observatory.metrics(at(0s));
  const auto changes = [&](const char* to) {
    return value_of(metrics, "backoff_breaker_transitions_total",
                    {{"guard", "payments"}, {"to", to}});
  };
  EXPECT_EQ(changes("open"), 1);
  EXPECT_EQ(changes("half_open"), 1);
  EXPECT_EQ(changes("closed"), 0);
  EXPECT_EQ(value_of(metrics, "backoff_breaker_state", {{"guard", "payments"}}), 2);
  EXPECT_EQ(value_of(metrics, "backoff_retry_budget_tokens", {{"guard", "payments"}}), 5);
}

TEST_F(ObservatoryTest, counts_the_dead_letters_that_are_there_by_where_they_are_kept) {
  const auto letters = [](std::uint64_t count, std::int64_t oldest) {
    auto result = std::make_shared<detail::LetterCount>();
    result->set({count, {oldest}});
    return result;
  };
  const auto value = [&](const char* where) {
    return value_of(observatory.metrics(at(0s)), "backoff_dead_letters",
                    {{"sender", "orders"}, {"kept_in", where}});
  };
  auto a = sender("orders", 1, owing(0));
  auto b = sender("orders", 2, owing(3));
  auto c = sender("orders", 3, owing(0));
  EXPECT_EQ(value("memory"), 0);
  EXPECT_EQ(value("outbox"), std::nullopt) << "there is no outbox";
  const auto own = letters(2, 70);
  a->show_letters({own, false});
  b->show_letters({letters(5, 60), true});
  c->show_letters({letters(4, 50), false});
  EXPECT_EQ(value("memory"), 6);
  EXPECT_EQ(value("outbox"), 5);
  for (const auto& one : observatory.status(9, at(0s)).senders) {
    if (one.name.number == 1) {
      EXPECT_EQ(one.dead_letters, (DeadLetterTally{2, {70}}));
      EXPECT_FALSE(one.has_outbox);
    } else if (one.name.number == 2) {
      EXPECT_EQ(one.dead_letters, (DeadLetterTally{5, {60}}));
      EXPECT_TRUE(one.has_outbox);
    }
  }
  own->set({1, {75}});
  EXPECT_EQ(value("memory"), 5) << "they may go, too";
  c = nullptr;
  EXPECT_EQ(value("memory"), 1) << "with the sender that kept them";
}

TEST(letter_count, keeps_the_time_of_the_first) {
  detail::LetterCount letters;
  letters.add({30});
  letters.add({20});
  EXPECT_EQ(letters.get(), (DeadLetterTally{2, {30}})) << "though the clock was set back";
  letters.set({});
  letters.add({90});
  EXPECT_EQ(letters.get(), (DeadLetterTally{1, {90}}));
}

TEST_F(ObservatoryTest, counts_the_dead_letters_of_outboxes) {
  detail::OutboxSeat seat{observatory.state()->outboxes("orders")};
  detail::OutboxSeat other{observatory.state()->outboxes("orders")};
  seat.set_letters({3, {1'700'000'000'000'000'000}});
  other.set_letters({4, {7}});
  EXPECT_EQ(
    value_of(observatory.metrics(at(0s)), "backoff_outbox_dead_letters", {{"outbox", "orders"}}),
    7);
  const auto outboxes = observatory.status(9, at(0s)).outboxes;
  EXPECT_EQ(outboxes.at(0).dead_letters, (DeadLetterTally{3, {1'700'000'000'000'000'000}}));
  EXPECT_EQ(outboxes.at(1).dead_letters, (DeadLetterTally{4, {7}}));
}

TEST_F(ObservatoryTest, shows_since_when_a_breaker_is_open_and_its_next_probe) {
  GuardStatus status;
  status.has_breaker = true;
  detail::GuardSeat seat{observatory.state()->guards("payments"), status, at(1s)};
  const auto seen = [&](Duration now) { return observatory.status(9, at(now)).guards.at(0); };
  EXPECT_EQ(seen(5s).breaker_for, 4s);
  status.breaker = BreakerState::open;
  status.open_for = 5s;
  seat.publish(status, at(10s));
  EXPECT_EQ(seen(12s).breaker_for, 2s);
  EXPECT_EQ(seen(12s).probe_in, 3s);
  status.open_for = 1s;
  seat.publish(status, at(14s));
  EXPECT_EQ(seen(14s).breaker_for, 4s) << "it is open since then";
  EXPECT_EQ(seen(14s).probe_in, 1s);
  EXPECT_EQ(seen(20s).probe_in, 0s) << "the next call is the probe";
  status.breaker = BreakerState::half_open;
  seat.publish(status, at(21s));
  EXPECT_EQ(seen(23s).breaker_for, 2s);
}

TEST_F(ObservatoryTest, counts_commits_by_size_and_failures_by_kind) {
  detail::OutboxSeat seat{observatory.state()->outboxes("orders")};
  seat.note_commit(1ms, 1);
  seat.note_commit(3ms, 10);
  seat.note_commit(1ms, 11);
  seat.note_commit(1ms, 5000);
  seat.note_failure(static_cast<std::size_t>(StoreFailure::full), at(1s));
  seat.set_waiting(7);
  const auto metrics = observatory.metrics(at(2s));
  const testing::LabelValues orders{{"outbox", "orders"}};
  EXPECT_EQ(value_of(metrics, "backoff_outbox_commits_total", orders), 4);
  EXPECT_EQ(value_of(metrics, "backoff_outbox_waiting_changes", orders), 7);
  EXPECT_EQ(
    value_of(metrics, "backoff_outbox_failures_total", {{"outbox", "orders"}, {"failure", "full"}}),
    1);
  const auto batches = sample_of(metrics, "backoff_outbox_batch_changes", orders)->buckets;
  EXPECT_THAT(batches.bounds, ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(batches.counts, ElementsAre(1, 1, 1, 0, 1));
  EXPECT_EQ(batches.sum, 5022);
  EXPECT_DOUBLE_EQ(sample_of(metrics, "backoff_outbox_commit_seconds", orders)->buckets.sum, 0.006);
  const auto outbox = observatory.status(9, at(3s)).outboxes.at(0);
  EXPECT_EQ(outbox.commits, 4u);
  EXPECT_EQ(outbox.failures, 1u);
  EXPECT_TRUE(outbox.is_failing);
  EXPECT_EQ(outbox.failing_for, 2s);
}

} // namespace backoff_actor::sinks_test
