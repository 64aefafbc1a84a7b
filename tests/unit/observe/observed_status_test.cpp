#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

namespace backoff_actor::observed_status_test {

namespace {

using namespace std::chrono_literals;

ObservedGuard guard_with(double retries_left) {
  return {"g", false, BreakerState::closed, true, retries_left};
}

ObservedStatus of_guard(const ObservedGuard& guard) {
  ObservedStatus result;
  result.guards.push_back(guard);
  return result;
}

} // namespace

TEST(observed_status, of_nothing_has_all_keys) {
  EXPECT_EQ(to_json(ObservedStatus{}),
            R"({"senders":[],"senders_left_out":0,"supervisors":[],"supervisors_left_out":0,)"
            R"("guards":[],"outboxes":[],"ownerships":[]})");
}

TEST(observed_status, has_the_numbers_of_a_sender) {
  const Instant now{100s};
  ObservedSender sender{{"billing", 17}};
  sender.glance.oldest_since = now + -1500ms;
  sender.glance.silent_since = now + -2ns;
  sender.glance.failing_since = now + -4s;
  sender.glance.counters = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  sender.glance.restarts = 21;
  sender.glance.owed = 22;
  sender.glance.owed_bytes = std::numeric_limits<std::uint64_t>::max();
  sender.glance.in_flight = 24;
  sender.glance.scheduled = 27;
  sender.glance.with_note = 28;
  sender.glance.ghosts = 25;
  sender.glance.abandoned = 26;
  sender.glance.calendar_entries = 29;
  sender.glance.calendar_due = now + 7s;
  sender.glance.phase = Phase::waiting;
  sender.glance.due = now + 250ms;
  sender.last_cause = "Danger, High Voltage!";
  sender.cause_at = now + -3s;
  sender.supervisor = {"root", 4};
  sender.dead_letters = {3, {1'700'000'000'000'000'000}};
  ObservedStatus status;
  status.senders.push_back(sender);
  status.senders_left_out = 3;
  status.at = now;
  EXPECT_THAT(
    to_json(status),
    ::testing::StartsWith(
      R"({"senders":[{"name":"billing#17","supervisor":"root#4","phase":"waiting",)"
      R"("is_paused":false,"is_held_back":false,"is_on_fallback":false,"is_delayed":false,)"
      R"("is_store_behind":false,"is_service_down":false,)"
      R"("restarts":21,"owed":22,"owed_bytes":18446744073709551615,)"
      R"("in_flight":24,"scheduled":27,"with_note":28,"ghosts":25,"abandoned":26,)"
      R"("calendar_entries":29,)"
      R"("oldest_age_seconds":1.500000000,"silent_for_seconds":0.000000002,)"
      R"("nothing_succeeded_for_seconds":4.000000000,)"
      R"("due_in_seconds":0.250000000,"calendar_due_in_seconds":7.000000000,)"
      R"("last_cause":"Danger, High Voltage!","cause_age_seconds":3.000000000,)"
      R"("dead_letters":3,"oldest_dead_letter_at":"2023-11-14T22:13:20Z","pool":null,)"
      R"("counters":{"accepted":1,"refused":2,"acknowledged":3,"dead_lettered":4,"hand_overs":5,)"
      R"("resends":6,"nacks":7,"crashes":8,"failed_starts":9,"hangs":10,"restored":11,)"
      R"("suspended":12,"late_answers":13,"cancelled":14)"));
  EXPECT_THAT(
    to_json(status),
    ::testing::EndsWith(
      R"(}}],"senders_left_out":3,)"
      R"("supervisors":[],"supervisors_left_out":0,"guards":[],"outboxes":[],"ownerships":[]})"));
}

TEST(observed_status, has_neither_ages_of_what_never_was_nor_negative_spans) {
  ObservedStatus status;
  status.at = {10s};
  status.senders.push_back({{"a", 1}});
  EXPECT_THAT(to_json(status),
              ::testing::HasSubstr(R"("oldest_age_seconds":0.000000000,)"
                                   R"("silent_for_seconds":0.000000000,)"
                                   R"("nothing_succeeded_for_seconds":0.000000000,)"
                                   R"("due_in_seconds":null,"calendar_due_in_seconds":null,)"
                                   R"("last_cause":null,)"
                                   R"("cause_age_seconds":0.000000000,)"));
  status.senders.front().glance.silent_since = {11s}; // a turn while the status was made
  status.senders.front().glance.due = {9s};
  EXPECT_THAT(to_json(status),
              ::testing::HasSubstr(R"("silent_for_seconds":0.000000000,)"
                                   R"("nothing_succeeded_for_seconds":0.000000000,)"
                                   R"("due_in_seconds":0.000000000,)"));
}

TEST(observed_status, has_the_workers_of_a_pool) {
  ObservedStatus status;
  status.senders.push_back({{"a", 1}});
  status.senders.front().has_pool = true;
  status.senders.front().pool.workers = {1, 2, 3, 4, 5};
  status.senders.front().pool.ready = 6;
  EXPECT_THAT(to_json(status),
              ::testing::HasSubstr(R"("pool":{"starting":1,"serving":2,"waiting":3,"leaving":4,)"
                                   R"("resting":5,"ready":6})"));
}

TEST(observed_status, tells_the_flags_of_a_sender_apart) {
  const auto with = [](bool SenderGlance::*flag) {
    ObservedStatus status;
    status.senders.push_back({{"a", 1}});
    status.senders.front().glance.*flag = true;
    const auto json = to_json(status);
    const auto end = json.find(":true");
    const auto begin = json.rfind('"', end - 2) + 1;
    return json.rfind(":true") == end ? json.substr(begin, end - 1 - begin) : "more than one";
  };
  EXPECT_EQ(with(&SenderGlance::is_paused), "is_paused");
  EXPECT_EQ(with(&SenderGlance::is_held_back), "is_held_back");
  EXPECT_EQ(with(&SenderGlance::is_on_fallback), "is_on_fallback");
  EXPECT_EQ(with(&SenderGlance::is_delayed), "is_delayed");
  EXPECT_EQ(with(&SenderGlance::is_store_behind), "is_store_behind");
  EXPECT_EQ(with(&SenderGlance::is_service_down), "is_service_down");
}

TEST(observed_status, has_supervisors_guards_outboxes_and_owners) {
  ObservedStatus status;
  status.supervisors = {{{"root", 1}, 1, 2, 3, 4, 5, 6, 7, {"up", 8}},
                        {{"", 8}, 0, 0, 0, 0, 0, 0, 0}};
  status.supervisors_left_out = 9;
  status.guards = {{"payments", true, BreakerState::half_open, true, 0.1, true, 7, 8s, 9s},
                   {"bare", false, BreakerState::open, false, 5, false, 6, 8s, 9s},
                   {"cut", true, BreakerState::open, false, 5, false, 6, 8s, 9s},
                   {"well", true, BreakerState::closed, false, 5, false, 6, 8s, 9s}};
  status.outboxes = {{"orders", 1, 2, 3, true, 61s}, {"letters", 4, 0, 0, false, 0s, {5, {0}}}};
  status.ownerships = {{"orders", 3, 9s, 2, CalendarOutlook{-1500ms, 4}},
                       {"refunds", 3, 9s, 2, CalendarOutlook{}},
                       {"letters", 0, 0s, 0}};
  EXPECT_EQ(
    to_json(status),
    R"({"senders":[],"senders_left_out":0,"supervisors":[{"name":"root#1",)"
    R"("supervisor":"up#8","running":1,"starting":2,"waiting":3,"ending":4,"stopped":5,)"
    R"("restarts":6,"escalations":7},)"
    R"({"name":null,"supervisor":null,"running":0,"starting":0,"waiting":0,"ending":0,)"
    R"("stopped":0,"restarts":0,)"
    R"("escalations":0}],"supervisors_left_out":9,"guards":[{"name":"payments",)"
    R"("has_breaker":true,"breaker":"half_open","breaker_for_seconds":8.000000000,)"
    R"("probe_in_seconds":null,"has_budget":true,"retries_left":0.1,)"
    R"("has_rate":true,"calls_left":7},{"name":"bare","has_breaker":false,"breaker":null,)"
    R"("breaker_for_seconds":null,"probe_in_seconds":null,)"
    R"("has_budget":false,"retries_left":null,"has_rate":false,"calls_left":null},)"
    R"({"name":"cut","has_breaker":true,"breaker":"open","breaker_for_seconds":8.000000000,)"
    R"("probe_in_seconds":9.000000000,)"
    R"("has_budget":false,"retries_left":null,"has_rate":false,"calls_left":null},)"
    R"({"name":"well","has_breaker":true,"breaker":"closed","breaker_for_seconds":null,)"
    R"("probe_in_seconds":null,)"
    R"("has_budget":false,"retries_left":null,"has_rate":false,"calls_left":null}],)"
    R"("outboxes":[{"name":"orders","commits":1,"failures":2,)"
    R"("waiting_changes":3,"is_failing":true,"failing_for_seconds":61.000000000,)"
    R"("dead_letters":0,"oldest_dead_letter_at":null},)"
    R"({"name":"letters","commits":4,"failures":0,"waiting_changes":0,"is_failing":false,)"
    R"("failing_for_seconds":0.000000000,"dead_letters":5,)"
    R"("oldest_dead_letter_at":"1970-01-01T00:00:00Z"}],)"
    R"("ownerships":[{"name":"orders","is_owner":true,"epoch":3,)"
    R"("sure_for_seconds":9.000000000,"takeovers":2,"next_entry_in_seconds":-1.500000000,)"
    R"("entry_problems":4},{"name":"refunds","is_owner":true,"epoch":3,)"
    R"("sure_for_seconds":9.000000000,"takeovers":2,"next_entry_in_seconds":null,)"
    R"("entry_problems":0},{"name":"letters","is_owner":false,)"
    R"("epoch":0,"sure_for_seconds":0.000000000,"takeovers":0,"next_entry_in_seconds":null,)"
    R"("entry_problems":null}]})");
}

TEST(observed_status, has_names_of_any_bytes) {
  const auto name_of = [](const std::string& name) {
    const auto json = to_json(of_guard({name, false, BreakerState::closed, false, 0}));
    const auto begin = json.find("\"name\":") + 7;
    return json.substr(begin, json.find(",\"has_breaker\"") - begin);
  };
  EXPECT_EQ(name_of("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(name_of("a\nb"), R"("a\nb")");
  EXPECT_EQ(name_of("\xFF\xC3(\xC3\xA9"), "\"\xEF\xBF\xBD\xEF\xBF\xBD(\xC3\xA9\"");
}

TEST(observed_status, has_numbers_that_every_reader_of_json_takes) {
  const auto number_of = [](double number) {
    const auto json = to_json(of_guard(guard_with(number)));
    const auto begin = json.find("\"retries_left\":") + 15;
    return json.substr(begin, json.find(',', begin) - begin);
  };
  EXPECT_EQ(number_of(0), "0");
  EXPECT_EQ(number_of(2.5), "2.5");
  EXPECT_EQ(number_of(1e300), "1e+300");
  EXPECT_EQ(number_of(std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(number_of(std::numeric_limits<double>::quiet_NaN()), "null");
}

} // namespace backoff_actor::observed_status_test
