#include "backoffctl/top/top.hpp"
#include "backoffctl/top/top_source.hpp"

#include "backoff_actor/observe/metrics/observed_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace backoffctl::top_status_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

// What the library writes.
backoff_actor::ObservedStatus observed() {
  using namespace backoff_actor;
  ObservedStatus status;
  ObservedSender sender;
  sender.name = {"billing", 17};
  sender.glance.phase = Phase::waiting;
  sender.glance.is_delayed = true;
  sender.glance.owed = 22;
  sender.glance.in_flight = 3;
  sender.glance.abandoned = 1;
  sender.glance.counters.acknowledged = 40;
  sender.glance.counters.dead_lettered = 5;
  sender.glance.counters.crashes = 6;
  sender.glance.counters.failed_starts = 7;
  sender.glance.counters.hangs = 8;
  status.at = {100s};
  sender.glance.oldest_since = status.at + -1500ms;
  sender.glance.silent_since = status.at + -2s;
  sender.has_pool = true;
  sender.pool.workers = {1, 2, 3, 4, 5};
  sender.pool.ready = 6;
  sender.glance.due = status.at + 500ms;
  sender.last_cause = "Danger, High Voltage!";
  sender.cause_at = status.at + -4s;
  status.senders = {sender, {}};
  status.senders_left_out = 9;
  status.supervisors = {{{"root", 1}, 1, 2, 3, 4, 5, 6, 7}};
  status.guards = {{"payments", true, BreakerState::half_open, true, 2.5, true, 7},
                   {"bare", false, BreakerState::open, false, 5, false, 6}};
  status.outboxes = {{"orders", 1, 2, 3, true, 61s}};
  status.ownerships = {{"orders", 3, 1500ms, 2}, {"refunds", 0, 0s, 1}};
  return status;
}

std::string problem_of(const std::string& json) {
  try {
    read_status(json);
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

std::string with(const std::string& from, const std::string& to) {
  auto json = to_json(observed());
  const auto found = json.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return json.replace(found, from.size(), to);
}

std::string url_of(const std::string& given) {
  const auto url = parse_status_url(given);
  return url ? to_string(*url) : "none";
}

std::string trouble_of(CallResult::Kind kind, int status, const std::string& error,
                       const std::string& body = {}) {
  return answer_of({"h", 1, "/status"}, {kind, status, 0s, error, body}).trouble;
}

} // namespace

TEST(top_status, reads_what_the_library_writes) {
  const auto status = read_status(to_json(observed()));
  ASSERT_EQ(status.senders.size(), 2u);
  const auto& sender = status.senders[0];
  EXPECT_EQ(sender.name, "billing#17");
  EXPECT_EQ(sender.phase, "waiting");
  EXPECT_TRUE(sender.is_delayed);
  EXPECT_FALSE(sender.is_paused);
  EXPECT_EQ(sender.owed, 22u);
  EXPECT_EQ(sender.in_flight, 3u);
  EXPECT_EQ(sender.abandoned, 1u);
  EXPECT_EQ(sender.oldest_s, 1.5);
  EXPECT_EQ(sender.silent_s, 2.0);
  EXPECT_EQ(sender.acknowledged, 40u);
  EXPECT_EQ(sender.dead_lettered, 5u);
  EXPECT_EQ(sender.failures, 21u);
  ASSERT_TRUE(sender.pool);
  EXPECT_EQ(sender.pool->serving, 2u);
  EXPECT_EQ(sender.pool->resting, 5u);
  EXPECT_EQ(sender.pool->ready, 6u);
  EXPECT_FALSE(status.senders[1].pool);
  EXPECT_EQ(status.senders[1].name, "(sender)");
  EXPECT_EQ(status.senders_left_out, 9u);
  ASSERT_EQ(status.supervisors.rows.size(), 1u);
  EXPECT_THAT(status.supervisors.rows[0].cells,
              ElementsAre("root#1", "1", "2", "3", "4", "5", "6", "7"));
  ASSERT_EQ(status.guards.rows.size(), 2u);
  EXPECT_THAT(status.guards.rows[0].cells, ElementsAre("payments", "half_open", "2.5", "7"));
  EXPECT_THAT(status.guards.rows[1].cells, ElementsAre("bare", "-", "-", "-"));
  ASSERT_EQ(status.outboxes.rows.size(), 1u);
  EXPECT_THAT(status.outboxes.rows[0].cells, ElementsAre("orders", "1", "2", "3", "1 min 1 s"));
  EXPECT_TRUE(status.outboxes.rows[0].is_alarm);
}

TEST(top_status, reads_why_and_for_how_long_and_who_owns_what) {
  const auto status = read_status(to_json(observed()));
  const auto& sender = status.senders.at(0);
  EXPECT_EQ(sender.due_s, 0.5);
  EXPECT_EQ(sender.cause, "Danger, High Voltage!");
  EXPECT_EQ(sender.cause_s, 4.0);
  EXPECT_EQ(status.senders.at(1).due_s, std::nullopt);
  EXPECT_EQ(status.senders.at(1).cause, "");
  ASSERT_EQ(status.ownerships.rows.size(), 2u);
  EXPECT_THAT(status.ownerships.rows[0].cells, ElementsAre("orders", "owns it", "3", "1.5 s", "2"));
  EXPECT_THAT(status.ownerships.rows[1].cells, ElementsAre("refunds", "stands by", "-", "-", "1"));
}

// Programs and backoffctl are updated at different times.
TEST(top_status, reads_what_other_versions_write) {
  EXPECT_EQ(read_status(with(R"("in_flight":3,)", R"("in_flight":3,"new":[{}],)")).senders.size(),
            2u);
  EXPECT_EQ(read_status(with(R"("due_in_seconds":0.500000000,)", "")).senders.at(0).due_s,
            std::nullopt);
  EXPECT_EQ(read_status(with(R"("last_cause":"Danger, High Voltage!",)", "")).senders.at(0).cause,
            "");
  EXPECT_EQ(read_status(with(R"("ownerships")", R"("unknown")")).ownerships.rows.size(), 0u);
}

TEST(top_status, says_what_is_wrong) {
  EXPECT_EQ(problem_of(""), "it is not JSON");
  EXPECT_EQ(problem_of("<html>"), "it is not JSON");
  EXPECT_EQ(problem_of("[]"), "it is no object of JSON");
  EXPECT_EQ(problem_of("{}"), "there is no senders");
  EXPECT_EQ(problem_of(with(R"("owed":22)", R"("owed":-22)")),
            "senders[0]: owed is no whole number");
  EXPECT_EQ(problem_of(with(R"("owed":22)", R"("owed":null)")), "senders[0]: there is no owed");
  EXPECT_EQ(problem_of(with(R"("phase":"waiting")", R"("phase":1)")),
            "senders[0]: phase is no text");
  EXPECT_EQ(problem_of(with(R"("is_paused":false)", R"("is_paused":0)")),
            "senders[0]: is_paused is no true or false");
  EXPECT_EQ(problem_of(with(R"("guards":[)", R"("guards":[7,)")), "guards[0]: it is no object");
  EXPECT_EQ(problem_of(with(R"("outboxes":[)", R"("outboxes":{},"x":[)")), "outboxes is no list");
}

TEST(top_status, a_rate_needs_two_looks) {
  auto before = read_status(to_json(observed()));
  auto now = before;
  now.senders[0].acknowledged = 50;
  now.senders[1].name = "new#1";
  set_rates(now, before, 2);
  EXPECT_EQ(now.senders[0].rate_hz, 5.0);
  EXPECT_EQ(now.senders[1].rate_hz, std::nullopt);
  // A new process with the same names.
  now.senders[0].acknowledged = 39;
  now.senders[0].rate_hz.reset();
  set_rates(now, before, 2);
  EXPECT_EQ(now.senders[0].rate_hz, std::nullopt);
}

TEST(top_source, takes_addresses_as_users_write_them) {
  EXPECT_EQ(url_of("http://127.0.0.1:9464"), "http://127.0.0.1:9464/status");
  EXPECT_EQ(url_of("localhost:9464"), "http://localhost:9464/status");
  EXPECT_EQ(url_of("http://h:1/"), "http://h:1/status");
  EXPECT_EQ(url_of("http://h:1/status"), "http://h:1/status");
  EXPECT_EQ(url_of("http://h/orders/"), "http://h:80/orders/status");
  EXPECT_EQ(url_of("[::1]:9464"), "http://[::1]:9464/status");
  EXPECT_EQ(url_of("https://h"), "https://h:443/status");
  EXPECT_EQ(url_of("https://[::1]:9464/"), "https://[::1]:9464/status");
  EXPECT_EQ(url_of("ftp://h"), "none");
  EXPECT_EQ(url_of("http://h/?x"), "none");
  EXPECT_EQ(url_of(""), "none");
  EXPECT_EQ(url_of("http://h:70000"), "none");
}

TEST(top_source, says_in_a_sentence_why_there_is_no_status) {
  using Kind = CallResult::Kind;
  EXPECT_EQ(trouble_of(Kind::failed, 0, "Connection refused"),
            "http://h:1/status: Connection refused; does the program run, and does its WebServer "
            "listen there?");
  EXPECT_EQ(trouble_of(Kind::timedout, 0, ""), "http://h:1/status: no answer within 5 s");
  EXPECT_EQ(answer_of({"h", 1, "/status", true}, {Kind::timedout}).trouble,
            "https://h:1/status: no answer within 5 s; if it has no TLS, begin with http");
  EXPECT_THAT(trouble_of(Kind::answered, 403, ""), HasSubstr("WebOptions::allowed_hosts"));
  EXPECT_THAT(trouble_of(Kind::answered, 404, ""), HasSubstr("there is no such page (404)"));
  EXPECT_EQ(trouble_of(Kind::answered, 500, ""), "http://h:1/status answers 500 instead of 200");
  EXPECT_EQ(trouble_of(Kind::answered, 200, "", "OK"),
            "http://h:1/status is not the status of a program with backoff_actor: it is not JSON");
  EXPECT_EQ(trouble_of(Kind::answered, 200, "", to_json(observed())), "");
}

} // namespace backoffctl::top_status_test
