// Entries of a sender's calendar whose outbox is a file of SQLite.

#include "durable_fixture.hpp"

#include "common/temporary_folder.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

namespace backoff_actor::actor_test {

class RepeatOnDisk : public DurableTest {
protected:
  // A process that uses the file, until the next one does.
  void begin_process() {
    if (sender)
      stop_sender();
    outbox = {};
    outbox = {open_sqlite_store(folder_ / "outbox.db"), durable<std::string>(), durable_options()};
    start({}, with(outbox));
    time.run();
  }

  std::string repeat(const std::string& schedule) {
    Repeat entry;
    entry.name = "pulse";
    entry.schedule = schedule;
    entry.message = caf::make_message(std::string{"pulse"});
    entry.missed = Missed::run_all;
    const auto answer = time.ask<RepeatAnswer>(sender, entry);
    time.run();
    return answer->value ? std::string{to_string(answer->value->change)} : text_of(answer->error);
  }

  example::TemporaryFolder folder_{"repeat_on_disk"};
};

TEST_F(RepeatOnDisk, live_on_with_the_file) {
  begin_process(); // at 01:46:40 in UTC
  EXPECT_EQ(repeat("every(1h)"), "added");
  time.advance(20min);
  EXPECT_EQ(danger.texts().size(), 1u);
  clock_step += 3h;
  begin_process();
  EXPECT_EQ(repeat("every(1h)"), "unchanged");
  time.advance(1s);
  EXPECT_EQ(danger.texts().size(), 3u) << "of 03:00, 04:00 and 05:00";
  EXPECT_EQ(repeat("every(2h)"), "changed");
  begin_process();
  EXPECT_EQ(repeat("every(2h)"), "unchanged");
  time.advance(2h);
  EXPECT_EQ(danger.texts().size(), 1u);
}

TEST_F(RepeatOnDisk, are_gone_from_the_file_once_they_are_cancelled) {
  begin_process();
  repeat("every(1h)");
  const auto cancelled =
    time.ask<CancelAnswer>(sender, Cancel{.idempotency_key = entry_key("pulse")});
  time.run();
  ASSERT_TRUE(cancelled->value);
  begin_process();
  time.advance(2h);
  EXPECT_EQ(danger.texts().size(), 0u);
  EXPECT_EQ(repeat("every(1h)"), "added");
}

} // namespace backoff_actor::actor_test
