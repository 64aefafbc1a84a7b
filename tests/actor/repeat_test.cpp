// `Repeat`: entries of a sender's calendar, in memory and in a durable outbox. It begins in the
// evening before the clocks of Berlin are put forward.

#include "durable_fixture.hpp"

#include "../unit/calendar/zones_2026.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

namespace backoff_actor::actor_test {

using calendar_test::wall;

constexpr auto evening = wall(2026, 3, 28, 18h);
constexpr auto first_night = wall(2026, 3, 29, 1h); // 03:00, for 02:30 does not exist
constexpr auto second_night = wall(2026, 3, 30, 30min);
constexpr auto third_night = wall(2026, 3, 31, 30min);

Zone find_test_zone(const std::string& name) {
  if (name == "Europe/Berlin")
    return calendar_test::berlin();
  Problems problems;
  problems.add("zone", name, "Europe/Berlin");
  throw InvalidArgument(problems);
}

class RepeatTest : public DurableTest {
protected:
  RepeatTest() { clock_step = Duration{evening.since_epoch - midnight} - time.now().since_origin; }

  static SenderOptions with_zones() {
    auto options = default_options();
    options.rare.find_zone = find_test_zone;
    return options;
  }

  static Repeat nightly(Missed missed = Missed::run_once) {
    Repeat result;
    result.name = "report";
    result.schedule = "at(02:30, Europe/Berlin)";
    result.message = caf::make_message(std::string{"report"});
    result.missed = missed;
    return result;
  }

  std::shared_ptr<testing::Answer<RepeatAnswer>> ask_to_repeat(Repeat what) {
    auto answer = time.ask<RepeatAnswer>(sender, std::move(what));
    time.run();
    return answer;
  }

  // `added, due at 2026-03-29T01:00:00Z`, or the error.
  std::string repeat(Repeat what) {
    const auto answer = ask_to_repeat(std::move(what));
    if (!answer->is_ready())
      return "nothing yet";
    if (!answer->value)
      return text_of(answer->error);
    auto result = std::string{to_string(answer->value->change)};
    if (answer->value->next != WallTime{})
      result.append(", due at ").append(to_string(answer->value->next));
    return result;
  }

  // The process dies: what was not committed is lost. Another one opens what is there.
  void die_and_start(FaultPlan faults, SenderOptions options) {
    const auto left = store->copy();
    stop_sender();
    store = left;
    start_durable(std::move(faults), std::move(options));
  }

  WallTime wall_now() { return {midnight + (time.now().since_origin + clock_step).count()}; }

  void advance_to(WallTime at) { time.advance(Duration{at.since_epoch - wall_now().since_epoch}); }

  // When messages were submitted for which times: `1 for 2026-03-29T01:00:00Z`.
  Strings due() const {
    Strings result;
    for (const auto& x : log.all<event::CalendarEntryDue>())
      result.push_back(std::to_string(x.runs) + " for " + to_string(x.last));
    return result;
  }

  std::string state_of(const std::string& key) {
    const auto answer = time.ask<AskAnswer>(sender, Ask{.idempotency_key = key});
    time.run();
    return answer->value ? std::string{to_string(answer->value->state)} : text_of(answer->error);
  }

  std::string cancelled(const std::string& key) {
    const auto answer = time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = key});
    time.run();
    return answer->value ? std::string{to_string(answer->value->found)} : text_of(answer->error);
  }

  std::string context(std::uint64_t delivery) const {
    const auto found = store->find(delivery);
    return found ? found->context : "none";
  }
};

// -- each time ----------------------------------------------------------------------------------

TEST_F(RepeatTest, submits_a_message_at_each_time_to_the_nanosecond) {
  start_durable({}, with_zones());
  EXPECT_EQ(repeat(nightly()), "added, due at 2026-03-29T01:00:00Z");
  for (const auto night : {first_night, second_night, third_night}) {
    const auto before = danger.texts().size();
    advance_to({night.since_epoch - 1});
    EXPECT_EQ(danger.texts().size(), before);
    time.advance(1ns);
    EXPECT_EQ(danger.texts().size(), before + 1);
  }
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:00:00Z", "1 for 2026-03-30T00:30:00Z",
                                 "1 for 2026-03-31T00:30:00Z"));
  EXPECT_EQ(state_of("report@2026-03-31T00:30:00Z"), "done");
  EXPECT_EQ(status().owed, 0u) << "an entry is not owed";
}

TEST_F(RepeatTest, goes_by_the_clock_of_the_computer_in_memory) {
  start({}, with_zones());
  auto often = nightly();
  often.schedule = "every(1h)";
  const auto answer = ask_to_repeat(often);
  ASSERT_TRUE(answer->value);
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  const auto wait = Duration{answer->value->next.since_epoch} - Duration{clock};
  time.advance(wait - 5s);
  EXPECT_THAT(danger.texts(), IsEmpty());
  time.advance(10s);
  EXPECT_THAT(danger.texts(), ElementsAre("report"));
  time.advance(1h);
  EXPECT_THAT(danger.texts(), ElementsAre("report", "report"));
}

TEST_F(RepeatTest, gives_each_run_the_key_and_the_life_of_the_entry) {
  auto options = with_zones();
  options.ordering = Ordering::per_key;
  start_durable({testing::times(3, testing::hang())}, options);
  auto entry = nightly();
  entry.key = "customer 7";
  entry.time_to_live = 10s;
  repeat(entry);
  advance_to(first_night);
  const auto run = store->find(2);
  ASSERT_TRUE(run);
  EXPECT_EQ(run->key, "customer 7");
  EXPECT_EQ(run->idempotency_key, "report@2026-03-29T01:00:00Z");
  EXPECT_EQ(run->context, "");
  time.advance(10s);
  EXPECT_EQ(log.all<event::DeadLettered>().at(0).reason, DeadLetterReason::expired);
}

TEST_F(RepeatTest, holds_up_no_other_message_and_no_drain_and_takes_no_room) {
  auto options = with_zones(); // in strict order
  options.capacity = 1;
  start_durable({}, options);
  repeat(nightly());
  EXPECT_EQ(ask("now")->value, "now");
  const auto drained = time.ask<Drained>(sender, Drain{});
  time.run();
  ASSERT_TRUE(drained->value);
  EXPECT_EQ(drained->value->left, 0u);
}

TEST_F(RepeatTest, does_not_come_early_when_delays_are_ended_by_hand) {
  start_durable({}, with_zones());
  repeat(nightly());
  tell(RetryNow{});
  time.advance(2min);
  EXPECT_THAT(danger.texts(), IsEmpty());
}

// -- entries ------------------------------------------------------------------------------------

TEST_F(RepeatTest, leaves_an_entry_that_is_the_same_as_it_is) {
  start_durable({}, with_zones());
  repeat(nightly());
  time.advance(1min);
  const auto commits = store->commits();
  EXPECT_EQ(repeat(nightly()), "unchanged, due at 2026-03-29T01:00:00Z");
  auto written_otherwise = nightly();
  written_otherwise.schedule = "at( 02:30,Europe/Berlin, gap run_after )";
  EXPECT_EQ(repeat(written_otherwise), "unchanged, due at 2026-03-29T01:00:00Z");
  EXPECT_EQ(store->commits(), commits);
  EXPECT_EQ(log.count<event::CalendarEntryChanged>(), 1u);
}

TEST_F(RepeatTest, changes_an_entry_in_each_of_its_parts) {
  start_durable({}, with_zones());
  repeat(nightly());
  const std::vector<std::function<void(Repeat&)>> changes{
    [](Repeat& x) { x.missed = Missed::skip; },
    [](Repeat& x) { x.grace = 2min; },
    [](Repeat& x) { x.key = "k"; },
    [](Repeat& x) { x.time_to_live = 5s; },
    [](Repeat& x) { x.message = caf::make_message(std::string{"other"}); },
  };
  for (const auto& change : changes) {
    auto entry = nightly();
    change(entry);
    EXPECT_EQ(repeat(entry), "changed, due at 2026-03-29T01:00:00Z");
    EXPECT_EQ(store->owed().size(), 1u) << "the entry before is gone";
    EXPECT_EQ(repeat(entry), "unchanged, due at 2026-03-29T01:00:00Z");
  }
}

TEST_F(RepeatTest, is_due_by_another_schedule_from_then_on) {
  start_durable({}, with_zones());
  repeat(nightly(Missed::run_all));
  advance_to({first_night.since_epoch - 1});
  auto other = nightly(Missed::run_all);
  other.schedule = "every(1h, offset 10min)";
  EXPECT_EQ(repeat(other), "changed, due at 2026-03-29T01:10:00Z");
  time.advance(2h);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:10:00Z", "1 for 2026-03-29T02:10:00Z"));
}

TEST_F(RepeatTest, lets_times_pass_while_it_is_paused_and_misses_none) {
  start_durable({}, with_zones());
  auto entry = nightly(Missed::run_all);
  entry.is_paused = true;
  EXPECT_EQ(repeat(entry), "added");
  advance_to(second_night);
  die_and_start({}, with_zones());
  entry.is_paused = false;
  EXPECT_EQ(repeat(entry), "changed, due at 2026-03-31T00:30:00Z");
  advance_to(third_night);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-31T00:30:00Z"));
}

TEST_F(RepeatTest, names_all_that_is_wrong_and_changes_nothing) {
  start_durable({}, with_zones());
  Repeat wrong;
  wrong.schedule = "at(25:30, Europe/Paris)";
  wrong.missed = static_cast<Missed>(9);
  wrong.grace = 0s;
  wrong.time_to_live = -1s;
  const auto text = repeat(wrong);
  EXPECT_THAT(text, HasSubstr("Repeat: name: got '', allowed 1 to 200 bytes"));
  EXPECT_THAT(text, HasSubstr("grace: got 0ns, allowed 1s.."));
  EXPECT_THAT(text, HasSubstr("missed: got 9, allowed run_once, run_all or skip"));
  EXPECT_THAT(text, HasSubstr("time_to_live: got -1s, allowed 1ns.."));
  EXPECT_THAT(text, HasSubstr("message: got none, allowed a message"));
  EXPECT_THAT(text,
              HasSubstr("schedule: got 'at(25:30, Europe/Paris)', allowed one that can be read"));
  EXPECT_THAT(text, HasSubstr("25:30"));
  EXPECT_THAT(text, HasSubstr("Europe/Paris, allowed Europe/Berlin"));
  EXPECT_EQ(store->owed().size(), 0u);
}

TEST_F(RepeatTest, knows_utc_alone_without_a_function_that_finds_zones) {
  start_durable({});
  EXPECT_THAT(repeat(nightly()), HasSubstr("allowed UTC, for the sender has no "
                                           "RareSenderOptions::find_zone"));
  auto in_utc = nightly();
  in_utc.schedule = "at(02:30)";
  EXPECT_EQ(repeat(in_utc), "added, due at 2026-03-29T02:30:00Z");
}

TEST_F(RepeatTest, is_refused_if_its_message_cannot_be_stored) {
  start_durable({}, with_zones());
  auto entry = nightly();
  entry.message = caf::make_message(std::int32_t{7});
  EXPECT_THAT(repeat(entry), HasSubstr("not one of the durable types"));
  store->fail_next(1);
  EXPECT_THAT(repeat(nightly()), HasSubstr("not_stored"));
  EXPECT_EQ(state_of("calendar:report"), "unknown");
  time.advance(1min);
  EXPECT_EQ(store->owed().size(), 0u);
}

TEST_F(RepeatTest, keeps_the_entry_before_if_the_new_one_cannot_be_stored) {
  start_durable({}, with_zones());
  repeat(nightly());
  auto other = nightly();
  other.schedule = "every(1h)";
  store->fail_next(1);
  EXPECT_THAT(repeat(other), HasSubstr("not_stored"));
  advance_to(first_night);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:00:00Z"));
}

TEST_F(RepeatTest, is_answered_once_it_is_stored) {
  start_durable({}, with_zones());
  store->fail_always(StoreFailure::unreachable);
  const auto answer = ask_to_repeat(nightly());
  EXPECT_FALSE(answer->is_ready());
  EXPECT_EQ(state_of("calendar:report"), "waiting");
  store->fail_always({});
  time.advance(1min);
  EXPECT_TRUE(answer->value);
}

TEST_F(RepeatTest, refuses_more_entries_than_the_capacity) {
  auto options = with_zones();
  options.capacity = 2;
  start_durable({}, options);
  for (const auto* name : {"a", "b"}) {
    auto entry = nightly();
    entry.name = name;
    EXPECT_THAT(repeat(entry), HasSubstr("added"));
  }
  EXPECT_THAT(repeat(nightly()), HasSubstr("outbox_full"));
}

TEST_F(RepeatTest, refuses_a_message_that_no_run_could_submit) {
  auto options = with_zones();
  options.rare.capacity_bytes = 100;
  start_durable({}, options);
  auto entry = nightly();
  entry.message = caf::make_message(std::string(200, 'x'));
  EXPECT_THAT(repeat(entry), HasSubstr("message: got one that weighs"));
}

TEST_F(RepeatTest, is_refused_while_the_sender_drains) {
  start_durable({testing::times(9, testing::hang())}, with_zones());
  submit_durably("a");
  tell(Drain{});
  EXPECT_THAT(repeat(nightly()), HasSubstr("draining"));
}

// -- Cancel, Replace, Ask -----------------------------------------------------------------------

TEST_F(RepeatTest, is_cancelled_by_its_key) {
  start_durable({}, with_zones());
  repeat(nightly());
  EXPECT_EQ(cancelled("calendar:report"), "waiting");
  EXPECT_EQ(store->owed().size(), 0u);
  EXPECT_EQ(state_of("calendar:report"), "unknown");
  EXPECT_EQ(cancelled("calendar:report"), "unknown");
  advance_to(third_night);
  EXPECT_THAT(danger.texts(), IsEmpty());
  EXPECT_EQ(log.all<event::CalendarEntryChanged>().back().what,
            event::CalendarEntryChanged::What::removed);
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(RepeatTest, is_cancelled_before_it_is_stored) {
  start_durable({}, with_zones());
  repeat(nightly());
  store->fail_always(StoreFailure::unreachable);
  auto other = nightly();
  other.schedule = "every(1h)";
  const auto answer = ask_to_repeat(other);
  const auto cancel = time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = "calendar:report"});
  time.run();
  EXPECT_THAT(text_of(answer->error), HasSubstr("cancelled"));
  EXPECT_FALSE(cancel->is_ready());
  store->fail_always({});
  time.advance(1min);
  EXPECT_TRUE(cancel->value);
  EXPECT_EQ(store->owed().size(), 0u);
  advance_to(third_night);
  EXPECT_THAT(danger.texts(), IsEmpty());
}

TEST_F(RepeatTest, is_cancelled_while_its_runs_are_not_stored) {
  start_durable({}, with_zones());
  repeat(nightly());
  advance_to({first_night.since_epoch - 1});
  store->fail_always(StoreFailure::unreachable);
  time.advance(1ns);
  const auto cancel = time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = "calendar:report"});
  time.run();
  store->fail_always({});
  time.advance(1min);
  EXPECT_TRUE(cancel->value);
  EXPECT_THAT(danger.texts(), ElementsAre("report")) << "which was submitted";
  EXPECT_EQ(store->owed().size(), 0u);
}

// A store that does not answer when contexts are written, and has no room when a delivery goes.
class StuckStore final : public StoreInFront {
public:
  using StoreInFront::StoreInFront;

  void commit(std::span<const StoreChange> changes) override {
    for (const auto& x : changes) {
      if (is_silent && std::holds_alternative<change::SetContext>(x))
        throw StoreError(StoreFailure::unreachable, "no answer");
      const auto* const end = std::get_if<change::Acknowledge>(&x);
      if (is_full && end && end->is_dropped)
        throw StoreError(StoreFailure::full, "no room");
    }
    StoreInFront::commit(changes);
  }

  bool is_silent = false;
  bool is_full = false;
};

// What is stored meanwhile is until when its times are decided, and not that it is gone.
TEST_F(RepeatTest, is_cancelled_once_that_is_stored_whatever_else_of_it_is) {
  const auto stuck = std::make_shared<StuckStore>(store);
  outbox = {stuck, durable<std::string>(), durable_options()};
  start({}, with(outbox, with_zones()));
  repeat(nightly());
  stuck->is_silent = true;
  advance_to(first_night);
  time.advance(1s);
  EXPECT_THAT(danger.texts(), ElementsAre("report"));
  const auto cancel = time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = "calendar:report"});
  time.run();
  EXPECT_FALSE(cancel->is_ready());
  stuck->is_full = true;
  stuck->is_silent = false;
  time.advance(1min);
  EXPECT_FALSE(cancel->is_ready());
  EXPECT_THAT(context(1), HasSubstr("decided_until: " + std::to_string(first_night.since_epoch)))
    << "which is stored";
  stuck->is_full = false;
  time.advance(1min);
  EXPECT_TRUE(cancel->value);
  EXPECT_THAT(store->owed(), IsEmpty());
}

TEST_F(RepeatTest, gets_another_message_by_its_key) {
  start_durable({}, with_zones());
  repeat(nightly());
  const auto answer =
    time.ask<CancelAnswer>(sender, Replace{.idempotency_key = "calendar:report",
                                           .payload = caf::make_message(std::string{"new"})});
  time.run();
  ASSERT_TRUE(answer->value);
  EXPECT_EQ(answer->value->found, CancelFound::waiting);
  die_and_start({}, with_zones());
  advance_to(first_night);
  EXPECT_THAT(danger.texts(), ElementsAre("new"));
}

TEST_F(RepeatTest, is_found_with_its_time_by_its_key_and_its_number) {
  start_durable({}, with_zones());
  repeat(nightly());
  time.advance(1h);
  for (const auto& what : {Ask{.idempotency_key = "calendar:report"}, Ask{.delivery = 1}}) {
    const auto answer = time.ask<AskAnswer>(sender, what);
    time.run();
    ASSERT_TRUE(answer->value);
    EXPECT_EQ(answer->value->state, MessageState::waiting);
    EXPECT_EQ(answer->value->delivery, 1u);
    EXPECT_EQ(answer->value->age, 1h);
    EXPECT_EQ(answer->value->next_try_in, 6h);
  }
  EXPECT_EQ(store->find_message("calendar:report", 0).not_before, first_night);
}

TEST_F(RepeatTest, is_no_harm_to_a_message_with_such_a_key_of_its_own) {
  start_durable({}, with_zones());
  const auto own = submit("own", {.delay = 3h, .idempotency_key = "calendar:report"});
  repeat(nightly());
  die_and_start({}, with_zones());
  time.advance(3h);
  EXPECT_THAT(danger.texts(), ElementsAre("own"));
  advance_to(first_night);
  EXPECT_THAT(danger.texts(), ElementsAre("own", "report"));
}

// -- beyond the process -------------------------------------------------------------------------

TEST_F(RepeatTest, follows_its_rule_for_times_that_passed_while_no_process_ran) {
  struct Case {
    Missed missed;
    Strings runs;
  };
  for (const auto& [missed, runs] :
       {Case{Missed::run_once, {"1 for 2026-03-31T00:30:00Z"}},
        Case{Missed::run_all, {"3 for 2026-03-31T00:30:00Z"}}, Case{Missed::skip, {}}}) {
    SCOPED_TRACE(to_string(missed));
    store = std::make_shared<MemoryStore>("orders.db");
    clock_step = Duration{evening.since_epoch - midnight} - time.now().since_origin;
    start_durable({}, with_zones());
    repeat(nightly(missed));
    clock_step += 60h; // nobody runs for so long
    const auto before = due().size();
    die_and_start({}, with_zones());
    time.advance(1s);
    const auto all = due();
    EXPECT_EQ(Strings(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()), runs);
    EXPECT_EQ(repeat(nightly(missed)), "unchanged, due at 2026-04-01T00:30:00Z");
    stop_sender();
  }
}

TEST_F(RepeatTest, lives_on_with_the_next_sender_of_the_process) {
  start_durable({}, with_zones());
  repeat(nightly());
  submit_durably("later", {.delay = 1h});
  restart({}, with_zones());
  EXPECT_EQ(repeat(nightly()), "unchanged, due at 2026-03-29T01:00:00Z");
  advance_to(first_night);
  EXPECT_THAT(danger.texts(), ElementsAre("later", "report"));
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(RepeatTest, ends_without_a_dead_letter_in_memory) {
  start({}, with_zones());
  repeat(nightly());
  time.stop(sender);
  time.run();
  sender = nullptr;
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(RepeatTest, is_told_with_what_is_wrong_and_waits_if_it_cannot_be_read_any_more) {
  start_durable({}, with_zones());
  repeat(nightly());
  auto broken = *store->find(1);
  broken.id = 2;
  broken.idempotency_key = "calendar:broken";
  const auto at = broken.context.find("grace: ");
  broken.context.replace(at, broken.context.find('\n', at) - at, "grace: soon");
  store->commit(std::vector<StoreChange>{change::Insert{broken}});
  die_and_start({}, default_options()); // this process knows no zones
  Strings notices;
  for (const auto& x : log.all<event::StoreNotice>())
    notices.push_back(x.text);
  ASSERT_EQ(notices.size(), 2u);
  EXPECT_THAT(notices.at(0), HasSubstr("the calendar entry report waits: schedule: "));
  EXPECT_THAT(notices.at(0), HasSubstr("Europe/Berlin"));
  EXPECT_THAT(notices.at(1), HasSubstr("the calendar entry broken waits: grace: got 'soon'"));
  advance_to(first_night);
  EXPECT_THAT(danger.texts(), IsEmpty());
  stop_sender();
  start({}, with(outbox, with_zones())); // the next one does
  time.run();
  EXPECT_EQ(store->find(2)->context, broken.context);
  time.advance(1s);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:00:00Z"));
  auto mended = nightly();
  mended.name = "broken";
  EXPECT_THAT(repeat(mended), HasSubstr("changed, due at 2026-03-30T00:30:00Z"));
}

TEST_F(RepeatTest, of_two_entries_with_one_name_the_later_holds) {
  start_durable({}, with_zones());
  repeat(nightly());
  auto later = *store->find(1);
  later.id = 2;
  later.context.replace(later.context.find("run_once"), 8, "run_all");
  store->commit(std::vector<StoreChange>{change::Insert{later}}); // and the process dies
  die_and_start({}, with_zones());
  EXPECT_THAT(store->owed(), ElementsAre(2u));
  EXPECT_EQ(repeat(nightly(Missed::run_all)), "unchanged, due at 2026-03-29T01:00:00Z");
}

// A store that a process leaves after each of its commits.
class CopiedStore final : public StoreInFront {
public:
  explicit CopiedStore(std::shared_ptr<MemoryStore> store)
    : StoreInFront(store), all_(std::move(store)) {}

  void commit(std::span<const StoreChange> changes) override {
    StoreInFront::commit(changes);
    copies.push_back(all_->copy());
  }

  std::vector<std::shared_ptr<MemoryStore>> copies{};

private:
  std::shared_ptr<MemoryStore> all_;
};

TEST_F(RepeatTest, leaves_out_no_time_and_does_none_again_whenever_the_process_dies) {
  const auto copied = std::make_shared<CopiedStore>(store);
  outbox = {copied, durable<std::string>(), durable_options()};
  auto options = with_zones();
  options.rare.idempotency_retention = 48h;
  start({}, with(outbox, options));
  repeat(nightly(Missed::run_all));
  const auto before = copied->copies.size();
  advance_to(second_night);
  const auto copies = copied->copies;
  ASSERT_GT(copies.size(), before + 3);
  for (auto i = before; i < copies.size(); ++i) {
    SCOPED_TRACE(i);
    stop_sender();
    clock_step -= wall_now().since_epoch > second_night.since_epoch
                    ? Duration{wall_now().since_epoch - second_night.since_epoch}
                    : 0ns;
    store = copies[i];
    // What the commits up to this one have done.
    std::size_t done = 0;
    store->for_each_acknowledged_key([&](const AcknowledgedKey&) { ++done; });
    start_durable({}, options);
    time.advance(1s);
    EXPECT_EQ(done + danger.texts().size(), 2u);
    EXPECT_EQ(state_of("report@2026-03-29T01:00:00Z"), "done");
    EXPECT_EQ(state_of("report@2026-03-30T00:30:00Z"), "done");
  }
}

// -- what cannot be submitted -------------------------------------------------------------------

TEST_F(RepeatTest, tries_again_in_order_each_second_while_there_is_no_room) {
  auto options = with_zones();
  options.capacity = 2;
  start_durable({}, options);
  repeat(nightly(Missed::run_all));
  tell(Pause{});
  advance_to(third_night);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:00:00Z", "1 for 2026-03-30T00:30:00Z"));
  EXPECT_THAT(context(1), HasSubstr("decided_until: " + std::to_string(second_night.since_epoch)));
  tell(Resume{});
  time.advance(1s);
  EXPECT_EQ(due().back(), "1 for 2026-03-31T00:30:00Z");
  EXPECT_EQ(danger.texts().size(), 3u);
}

TEST_F(RepeatTest, submits_again_what_could_not_be_stored) {
  start_durable({}, with_zones());
  repeat(nightly(Missed::run_all));
  advance_to({first_night.since_epoch - 1});
  store->fail_next(1);
  time.advance(1ns);
  EXPECT_THAT(danger.texts(), IsEmpty());
  EXPECT_THAT(context(1), HasSubstr("decided_until: " + std::to_string(evening.since_epoch)));
  time.advance(1s);
  EXPECT_THAT(danger.texts(), ElementsAre("report"));
  std::size_t letters = 0;
  store->for_each_dead_letter([&](const StoredDeadLetter&) { ++letters; });
  EXPECT_EQ(letters, 0u);
}

TEST_F(RepeatTest, submits_again_what_was_not_stored_when_its_sender_ended) {
  start_durable({}, with_zones());
  repeat(nightly(Missed::run_all));
  advance_to({first_night.since_epoch - 1});
  store->fail_always(StoreFailure::unreachable);
  time.advance(1ns);
  stop_sender();
  store->fail_always({});
  start({}, with(outbox, with_zones()));
  time.advance(1min);
  EXPECT_THAT(danger.texts(), ElementsAre("report"));
  EXPECT_EQ(log.count<event::DeadLettered>(), 0u);
}

TEST_F(RepeatTest, submits_a_hundred_times_of_an_entry_at_once_and_goes_on) {
  start_durable({}, with_zones());
  auto often = nightly(Missed::run_all);
  often.schedule = "every(1min)";
  repeat(often);
  clock_step += 250min;
  die_and_start({}, with_zones());
  time.advance(1s);
  EXPECT_THAT(due(), ElementsAre("100 for 2026-03-28T19:40:00Z", "100 for 2026-03-28T21:20:00Z",
                                 "50 for 2026-03-28T22:10:00Z"));
  EXPECT_EQ(danger.texts().size(), 250u);
}

// -- the clock ----------------------------------------------------------------------------------

TEST_F(RepeatTest, notices_within_a_minute_that_the_clock_was_put_forward) {
  start_durable({}, with_zones());
  repeat(nightly());
  time.advance(10s);
  clock_step += 8h;
  time.advance(1min);
  EXPECT_THAT(due(), ElementsAre("1 for 2026-03-29T01:00:00Z"));
}

TEST_F(RepeatTest, does_no_time_again_if_the_clock_is_put_back) {
  start_durable({}, with_zones());
  repeat(nightly());
  advance_to(first_night);
  clock_step -= 3h;
  time.advance(4h);
  EXPECT_EQ(danger.texts().size(), 1u);
  advance_to({second_night.since_epoch - 1});
  EXPECT_EQ(danger.texts().size(), 1u);
  time.advance(1ns);
  EXPECT_EQ(danger.texts().size(), 2u);
}

} // namespace backoff_actor::actor_test
