#include "backoff_actor/web/internal/live_frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace backoff_actor::web::live_frames_test {

namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto nothing_else =
  R"({"senders":[],"senders_left_out":0,"supervisors":[],"supervisors_left_out":0,"guards":[],)"
  R"("outboxes":[],"ownerships":[]})";

ObservedSender sender(const std::string& kind, std::uint64_t number, std::uint64_t owed = 0) {
  ObservedSender result{{kind, number}};
  result.glance.owed = owed;
  result.glance.silent_since = owed == 0 ? Instant::never() : Instant{2s};
  return result;
}

ObservedStatus of(std::vector<ObservedSender> senders) {
  ObservedStatus result;
  result.senders = std::move(senders);
  return result;
}

// The value of a key of the outermost object, up to the next key.
std::string part(const std::string& event, const std::string& key, const std::string& next) {
  const auto begin = event.find("\"" + key + "\":") + key.size() + 3;
  return event.substr(begin, event.find(",\"" + next + "\":", begin) - begin);
}

std::string rows_of(const std::string& event) { return part(event, "senders", "gone"); }
std::string gone_of(const std::string& event) { return part(event, "gone", "causes"); }
std::string causes_of(const std::string& event) { return part(event, "causes", "rest"); }

} // namespace

TEST(live_frames, of_nothing_are_complete_events) {
  LiveFrames frames;
  frames.look({}, {1500ms});
  EXPECT_EQ(frames.all(),
            std::string{"event: all\ndata: "
                        R"({"at":1500,"numbers":["phase","flags","owed","inFlight","oldest",)"
                        R"("due","acknowledged","failures","dead","restarts","turn",)"
                        R"("supervisor","letters","lettersSince","downSince","scheduled",)"
                        R"("withNote","entries","entryDue"],)"
                        R"("kinds":[],"senders":[],"gone":[],"causes":[],"rest":)"}
              + nothing_else + "}\n\n");
  EXPECT_EQ(frames.changes(),
            std::string{"event: changes\ndata: "
                        R"({"at":1500,"kinds":null,"senders":[],"gone":[],"causes":[],"rest":)"}
              + nothing_else + "}\n\n");
  frames.look({}, {2s});
  EXPECT_EQ(frames.changes(), "event: changes\ndata: "
                              R"({"at":2000,"kinds":null,"senders":[],"gone":[],"causes":[],)"
                              R"("rest":null})"
                              "\n\n");
}

TEST(live_frames, have_all_numbers_of_a_sender) {
  auto one = sender("orders", 17, 5);
  one.glance.phase = Phase::waiting;
  one.glance.is_paused = true;
  one.glance.is_store_behind = true;
  one.glance.in_flight = 3;
  one.glance.scheduled = 2;
  one.glance.with_note = 1;
  one.glance.calendar_entries = 9;
  one.glance.calendar_due = {75s};
  one.glance.oldest_since = {71s};
  one.glance.due = {73'400ms};
  one.glance.counters.acknowledged = 120;
  one.glance.counters.crashes = 1;
  one.glance.counters.failed_starts = 20;
  one.glance.counters.hangs = 300;
  one.glance.counters.nacks = 4000;
  one.glance.counters.dead_lettered = 7;
  one.glance.restarts = 8;
  one.glance.silent_since = {71s};
  one.last_cause = "Danger, \"High\" Voltage!";
  one.cause_at = {72'900ms};
  one.supervisor = {"root", 4};
  one.dead_letters = {6, {1'700'000'000'123'456'789}};
  LiveFrames frames;
  frames.look(of({one}), {73s});
  EXPECT_EQ(rows_of(frames.all()),
            "[[0,17,2,9,5,3,71000,73400,120,4321,7,8,71000,4,6,1700000000123,0,2,1,9,75000]]");
  EXPECT_EQ(causes_of(frames.all()), R"([[0,17,72900,"Danger, \"High\" Voltage!"]])");
  EXPECT_EQ(part(frames.all(), "kinds", "senders"), R"(["orders"])");
}

TEST(live_frames, tell_the_flags_apart) {
  const auto with = [](bool SenderGlance::*flag) {
    auto one = sender("a", 1);
    one.glance.*flag = true;
    LiveFrames frames;
    frames.look(of({one}), {1s});
    const auto row = rows_of(frames.all());
    return row.substr(8, row.find(',', 8) - 8);
  };
  EXPECT_EQ(with(&SenderGlance::is_paused), "1");
  EXPECT_EQ(with(&SenderGlance::is_held_back), "2");
  EXPECT_EQ(with(&SenderGlance::is_on_fallback), "4");
  EXPECT_EQ(with(&SenderGlance::is_store_behind), "8");
  EXPECT_EQ(with(&SenderGlance::is_service_down), "32");
  EXPECT_EQ(with(&SenderGlance::is_delayed), "0") << "that it has a due time says so";
}

TEST(live_frames, say_where_dead_letters_are_and_that_some_have_come_or_gone) {
  auto one = sender("a", 1);
  one.has_outbox = true;
  LiveFrames frames;
  frames.look(of({one}), {1s});
  EXPECT_EQ(rows_of(frames.all()), "[[0,1,0,16,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
  one.dead_letters = {2, {-5'000'000}};
  frames.look(of({one}), {2s});
  EXPECT_EQ(rows_of(frames.changes()), "[[0,1,0,16,0,0,0,0,0,0,0,0,0,0,2,0,0,0,0,0,0]]")
    << "before 1970";
  one.dead_letters = {0, {5'000'000}};
  frames.look(of({one}), {3s});
  EXPECT_EQ(rows_of(frames.changes()), "[[0,1,0,16,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
}

TEST(live_frames, say_since_when_nothing_succeeds_if_the_service_is_down) {
  auto one = sender("a", 1);
  one.glance.failing_since = {71s};
  LiveFrames frames;
  frames.look(of({one}), {73s});
  EXPECT_EQ(rows_of(frames.all()), "[[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]")
    << "not known yet";
  one.glance.is_service_down = true;
  frames.look(of({one}), {74s});
  EXPECT_EQ(rows_of(frames.changes()), "[[0,1,0,32,0,0,0,0,0,0,0,0,0,0,0,0,71000,0,0,0,0]]");
}

TEST(live_frames, have_the_workers_of_a_pool) {
  auto one = sender("a", 1);
  one.has_pool = true;
  one.pool.workers = {1, 2, 3, 4, 5};
  one.pool.ready = 6;
  LiveFrames frames;
  frames.look(of({one}), {1s});
  EXPECT_EQ(rows_of(frames.all()), "[[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,2,3,4,5,6]]");
  --one.pool.ready;
  frames.look(of({one}), {2s});
  EXPECT_EQ(rows_of(frames.changes()), "[[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,2,3,4,5,5]]");
}

TEST(live_frames, have_only_what_has_changed) {
  LiveFrames frames;
  frames.look(of({sender("a", 1), sender("b", 1), sender("a", 2)}), {1s});
  frames.look(of({sender("a", 1), sender("b", 1, 9), sender("a", 2)}), {2s});
  EXPECT_EQ(rows_of(frames.changes()), "[[1,1,0,0,9,0,0,0,0,0,0,0,2000,0,0,0,0,0,0,0,0]]");
  EXPECT_EQ(gone_of(frames.changes()), "[]");
  EXPECT_THAT(frames.changes(), HasSubstr(R"("kinds":null)"));
  EXPECT_THAT(frames.all(), HasSubstr("[0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],[0,2,"));
}

TEST(live_frames, do_not_depend_on_the_order_in_which_senders_come) {
  LiveFrames frames;
  frames.look(of({sender("a", 1), sender("b", 7)}), {1s});
  frames.look(of({sender("b", 7), sender("a", 2), sender("a", 1, 5)}), {2s});
  EXPECT_EQ(
    rows_of(frames.all()),
    "[[0,1,0,0,5,0,0,0,0,0,0,0,2000,0,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"
    "[1,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
  EXPECT_EQ(
    rows_of(frames.changes()),
    "[[0,1,0,0,5,0,0,0,0,0,0,0,2000,0,0,0,0,0,0,0,0],[0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
  EXPECT_EQ(gone_of(frames.changes()), "[]");
}

TEST(live_frames, keep_nothing_of_a_look_that_was_broken_off) {
  LiveFrames frames;
  frames.look(of({sender("a", 1)}), {1s});
  frames.begin({2s});
  frames.add(sender("a", 2));
  frames.look(of({sender("a", 1), sender("a", 3)}), {3s});
  EXPECT_EQ(rows_of(frames.changes()), "[[0,3,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
  EXPECT_EQ(gone_of(frames.changes()), "[]");
}

TEST(live_frames, name_those_that_have_gone_or_come) {
  LiveFrames frames;
  frames.look(of({sender("a", 1), sender("a", 2), sender("b", 3), sender("b", 4)}), {1s});
  frames.look(of({sender("a", 2), sender("b", 3), sender("c", 5)}), {2s});
  EXPECT_EQ(gone_of(frames.changes()), "[[0,1],[1,4]]");
  EXPECT_EQ(rows_of(frames.changes()), "[[2,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]]");
  EXPECT_EQ(part(frames.changes(), "kinds", "senders"), R"(["a","b","c"])");
  frames.look({}, {3s});
  EXPECT_EQ(gone_of(frames.changes()), "[[0,2],[1,3],[2,5]]");
}

TEST(live_frames, have_a_cause_again_only_when_it_is_another_failure) {
  auto one = sender("a", 1);
  one.last_cause = "down";
  one.cause_at = {1s};
  LiveFrames frames;
  frames.look(of({one}), {1s});
  frames.look(of({one}), {2s});
  EXPECT_EQ(causes_of(frames.changes()), "[]");
  one.cause_at = {2500ms};
  frames.look(of({one}), {3s});
  EXPECT_EQ(causes_of(frames.changes()), R"([[0,1,2500,"down"]])");
}

TEST(live_frames, have_a_name_and_number_that_two_actor_systems_use_once) {
  LiveFrames frames;
  frames.look(of({sender("a", 1, 5), sender("a", 1, 6)}), {1s});
  EXPECT_EQ(rows_of(frames.all()).find("],["), std::string::npos);
  EXPECT_THAT(frames.all(), Not(HasSubstr("]]],")));
}

TEST(live_frames, come_twice_a_second_unless_a_look_costs_much) {
  EXPECT_EQ(time_between_looks(0s), 500ms);
  EXPECT_EQ(time_between_looks(10ms), 500ms);
  EXPECT_EQ(time_between_looks(20ms), 1s);
  EXPECT_EQ(time_between_looks(100ms), 5s);
  EXPECT_EQ(time_between_looks(1h), 5s);
  EXPECT_EQ(time_between_looks(Duration::max()), 5s);
}

} // namespace backoff_actor::web::live_frames_test
