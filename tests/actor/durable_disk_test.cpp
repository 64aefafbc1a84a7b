// Senders whose durable outbox is a file on a disk that fails, at every single call.

#include "fixture.hpp"

#include "common/faulty_vfs.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/store/sqlite_store.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace backoff_actor::actor_test {

using DiskFault = test::Fault;
using test::FaultyVfs;
using test::Kept;

constexpr auto tests_types = [](caf::actor_system_config& config) { register_test_types(config); };

// A process that uses the file: its system, its sender, and what its clients were told.
class Life {
public:
  explicit Life(const std::filesystem::path& file)
    : outbox_(open_sqlite_store(file, {.checkpoint_pages = 8, .vfs = FaultyVfs::name}),
              durable<std::string>(), {.max_batch = 3, .thread = WriterThread::scheduler}),
      danger_(FaultPlan{{testing::ok(), testing::crash(), testing::ok(), testing::ok(),
                         testing::crash(), testing::crash()}}) {
    SenderOptions options;
    options.seed = 72451;
    options.outbox = outbox_;
    options.on_event = log_.hook();
    sender_ = time_.keep(spawn_back_off_sender(time_.system(), danger_.factory(), options));
    time_.run();
  }

  // A client that submits, and wants to know whether it was accepted.
  void submit(const std::string& text) {
    asked_[text] = time_.ask<Accepted>(
      sender_, Submit{.message = caf::make_message(text), .answer_when_accepted = true});
    time_.run();
  }

  void work() {
    for (int i = 0; i < 12; ++i) {
      submit("order " + std::to_string(i));
      if (i % 3 == 2)
        time_.advance(200ms);
    }
  }

  void wait(Duration span) { time_.advance(span); }

  void stop() {
    time_.stop(sender_);
    time_.advance(1s);
  }

  std::set<std::string> accepted() const {
    std::set<std::string> result;
    for (const auto& [text, answer] : asked_)
      if (answer->value)
        result.insert(text);
    return result;
  }

  // The errors of those that were not accepted, by text.
  std::map<std::string, std::string> refused() const {
    std::map<std::string, std::string> result;
    for (const auto& [text, answer] : asked_)
      if (answer->error)
        result[text] = answer->error_text;
    return result;
  }

  std::size_t unanswered() const { return asked_.size() - accepted().size() - refused().size(); }

  std::set<std::string> executed() const {
    const auto texts = danger_.texts();
    return {texts.begin(), texts.end()};
  }

  std::size_t acknowledged() const { return log_.count<event::Acknowledged>(); }

private:
  testing::VirtualTime time_{tests_types};
  testing::EventLog log_;
  DurableOutbox outbox_;
  DangerousActor danger_;
  caf::actor sender_;
  std::map<std::string, std::shared_ptr<testing::Answer<Accepted>>> asked_;
};

class DurableDisk : public ::testing::Test {
protected:
  std::filesystem::path file() const { return folder_ / "outbox.db"; }

  // The calls of a life that begins with an open file.
  test::DiskCalls calls_of_a_life() {
    begin();
    Life life{file()};
    const auto before = vfs_.calls();
    life.work();
    life.stop();
    const auto after = vfs_.calls();
    EXPECT_EQ(life.accepted().size(), 12u);
    EXPECT_GE(after.syncs_of_database - before.syncs_of_database, 1u) << "no checkpoint";
    return {after.writes - before.writes, after.truncates - before.truncates,
            after.syncs - before.syncs, 0};
  }

  void begin() {
    vfs_.disarm();
    vfs_.lose_power(Kept::everything);
    for (const auto* const suffix : {"", "-wal", "-shm", "-journal", ".lock"})
      std::filesystem::remove(file().string() + suffix);
  }

  std::set<std::string> owed() {
    std::set<std::string> result;
    open_sqlite_store(file())->for_each_owed(
      [&](const StoredDelivery& x) { result.insert(std::to_string(x.id)); });
    return result;
  }

  example::TemporaryFolder folder_{"durable_disk"};
  FaultyVfs vfs_;
};

TEST_F(DurableDisk, that_fails_at_any_call_refuses_clearly_and_loses_nothing_that_was_accepted) {
  const auto calls = calls_of_a_life();
  std::size_t points = 0;
  std::size_t refusals = 0;
  for (const auto fault :
       {DiskFault::full, DiskFault::write_error, DiskFault::disk_gone, DiskFault::sync_error}) {
    const auto count = fault == DiskFault::sync_error ? calls.syncs : calls.writes;
    for (std::uint64_t n = 1; n <= count; ++n) {
      SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at " + std::to_string(n));
      begin();
      {
        Life life{file()};
        vfs_.arm(fault, n);
        life.work();
        vfs_.disarm();
        life.wait(1min);
        life.submit("at last");
        life.wait(1min);
        ++points;
        refusals += life.refused().size();

        ASSERT_EQ(life.unanswered(), 0u);
        for (const auto& [text, error] : life.refused()) {
          ASSERT_THAT(error, HasSubstr("not_stored")) << text;
          ASSERT_THAT(error, HasSubstr("outbox.db")) << text;
          ASSERT_EQ(life.executed().count(text), 0u) << text;
        }
        ASSERT_EQ(life.executed(), life.accepted());
        ASSERT_EQ(life.accepted().count("at last"), 1u) << "the disk is well again";
        ASSERT_EQ(life.acknowledged(), life.accepted().size());
        life.stop();
      }
      ASSERT_THAT(owed(), IsEmpty()) << "all acknowledgements were written in the end";
    }
  }
  std::printf("%zu fault points, %zu submissions refused\n", points, refusals);
  EXPECT_GT(points, 100u);
  EXPECT_GT(refusals, 100u);
}

TEST_F(DurableDisk, that_loses_power_at_any_call_has_all_that_was_accepted) {
  const auto calls = calls_of_a_life();
  std::size_t points = 0;
  std::size_t accepted_in_all = 0;
  std::size_t resent = 0;
  for (const auto fault : {DiskFault::power_loss, DiskFault::torn_write})
    for (const auto kept : {Kept::nothing, Kept::first_half, Kept::everything})
      for (std::uint64_t n = 1; n <= calls.writes + calls.syncs; ++n) {
        SCOPED_TRACE("fault " + std::to_string(static_cast<int>(fault)) + " at " + std::to_string(n)
                     + ", kept " + std::to_string(static_cast<int>(kept)));
        begin();
        std::set<std::string> accepted;
        std::set<std::string> executed;
        {
          Life life{file()};
          vfs_.arm(fault, n);
          life.work();
          accepted = life.accepted();
          executed = life.executed();
          accepted_in_all += accepted.size();
        }
        vfs_.disarm();
        vfs_.lose_power(kept);
        ++points;
        Life life{file()};
        life.wait(1min);

        for (const auto& text : life.executed())
          resent += executed.count(text);
        executed.merge(life.executed());
        ASSERT_TRUE(
          std::includes(executed.begin(), executed.end(), accepted.begin(), accepted.end()));
        life.stop();
      }
  std::printf("%zu fault points, %zu accepted before them, %zu made once more\n", points,
              accepted_in_all, resent);
  EXPECT_GT(points, 100u);
  EXPECT_GT(accepted_in_all, 1000u);
  EXPECT_GT(resent, 0u);
}

} // namespace backoff_actor::actor_test
