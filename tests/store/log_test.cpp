// The log of a store is looked after as its file is: what was committed and is in the log alone is
// never lost in silence.

#include "errors_fixture.hpp"

#include "backoff_actor/store/internal/sqlite_log.hpp"
#include "backoff_actor/store/lock/internal/owner_record.hpp"
#include "common/faulty_vfs.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::store_test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

} // namespace

class store_log : public StoreErrors {
protected:
  // Commits deliveries 1 to `count`, each alone, in a process that is killed then.
  void commit_and_be_killed(std::uint64_t count) {
    const auto owner = fork();
    ASSERT_GE(owner, 0);
    if (owner == 0) {
      const auto own = open_sqlite_store(file(), options_);
      for (std::uint64_t id = own->last_id() + 1; id <= count; ++id)
        commit(*own, {change::Insert{delivery(id, std::string(300, 'x'))}});
      raise(SIGKILL);
    }
    waitpid(owner, nullptr, 0);
  }

  std::string log() const { return name() + "-wal"; }
  std::string lock() const { return name() + ".lock"; }

  std::string missing(const std::string& how_many) const {
    return name() + ": is damaged: its log, " + log() + ", is missing or cut off, and at least "
           + how_many + "; put the log back beside it, or accept the loss: backoffctl outbox "
           + "accept-loss " + name();
  }

  // Nothing of the store is changed by the attempt.
  void expect_refused(const std::string& text) {
    const auto before = read_file(file());
    const auto log_before = read_file(log());
    expect(opening(file()), StoreFailure::damaged, text);
    expect(reading(file()), StoreFailure::damaged, text);
    EXPECT_EQ(read_file(file()), before);
    EXPECT_EQ(read_file(log()), log_before);
  }
};

TEST_F(store_log, that_is_missing_after_a_kill_is_noticed) {
  commit_and_be_killed(30);
  std::filesystem::remove(log());
  // Of 31 commits: the first made the file its own.
  expect_refused(missing("30 commits are lost, including those of deliveries 1 to 30"));
}

TEST_F(store_log, that_is_empty_or_cut_is_noticed) {
  commit_and_be_killed(30);
  const auto whole = read_file(log());
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    SCOPED_TRACE(size);
    std::filesystem::resize_file(log(), 0);
    write_file(log(), whole.substr(0, size));
    const auto [failure, text] = opening(file());
    EXPECT_EQ(to_string(failure), "damaged");
    EXPECT_THAT(text, HasSubstr("is missing or cut off, and at least "));
    EXPECT_EQ(read_file(log()).size(), size);
  }
  write_file(log(), whole);
  EXPECT_EQ(contents_of(store()).owed.size(), 30U) << "the log is put back";
}

TEST_F(store_log, in_which_one_byte_has_flipped_is_noticed_wherever_it_is) {
  commit_and_be_killed(30);
  const auto whole = read_file(log());
  for (std::size_t at = 1; at < whole.size(); at += whole.size() / 40) {
    SCOPED_TRACE(at);
    auto flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    write_file(log(), flipped);
    const auto [failure, text] = opening(file());
    EXPECT_EQ(to_string(failure), "damaged");
    EXPECT_THAT(text, HasSubstr("is missing or cut off, and at least "));
  }
}

TEST_F(store_log, that_was_left_out_of_a_copy_is_noticed) {
  commit_and_be_killed(30);
  const auto copy = folder_ / "copy.db";
  std::filesystem::copy_file(file(), copy);
  const auto [failure, text] = opening(copy);
  EXPECT_EQ(to_string(failure), "damaged");
  EXPECT_THAT(text,
              HasSubstr("is missing or cut off, and at least 1 commit is lost; put the log back"));
}

TEST_F(store_log, is_not_needed_by_a_copy_of_a_store_that_was_closed) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)}});
  close();
  const auto copy = folder_ / "copy.db";
  std::filesystem::copy_file(file(), copy);
  EXPECT_EQ(contents_of(*open_sqlite_store_to_read(copy)).owed.size(), 2U);
  EXPECT_EQ(contents_of(*open_sqlite_store(copy)).owed.size(), 2U);
}

TEST_F(store_log, is_missed_with_an_older_copy_of_the_file) {
  commit(store(), {change::Insert{delivery(1)}});
  close();
  const auto older = read_file(file());
  commit(store(), {change::Insert{delivery(2)}});
  close();
  write_file(file(), older);
  expect_refused(missing("3 commits are lost, including those of deliveries 2 to 2"));
}

TEST_F(store_log, that_is_removed_under_its_owner_takes_no_more) {
  commit(store(), {change::Insert{delivery(1)}});
  std::filesystem::remove(log());
  const auto text = name() + ": its log, " + log()
                    + ", was removed or renamed while it was in use; a commit would be lost, so "
                      "the store commits nothing more; end the program, and put the file back. If "
                      "nobody removed it, this "
                      "program has itself opened and closed the file: then SQLite loses its locks";
  for (int i = 0; i < 2; ++i)
    expect(failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }),
           StoreFailure::input_output, text);
}

TEST_F(store_log, beside_a_file_that_is_missing_or_empty_is_not_destroyed) {
  commit_and_be_killed(30);
  const auto before = read_file(log());
  const auto whole = read_file(file());
  write_file(file(), "");
  const auto advice =
    ", but its log exists; put the file back, or give up what is in the log: remove " + log();
  expect(opening(file()), StoreFailure::damaged, name() + ": is empty" + advice);
  std::filesystem::remove(file());
  expect(opening(file()), StoreFailure::damaged, name() + ": is missing" + advice);
  EXPECT_EQ(read_file(log()), before);
  EXPECT_FALSE(std::filesystem::exists(file()));
  write_file(file(), whole);
  EXPECT_EQ(contents_of(store()).owed.size(), 30U);
}

TEST_F(store_log, of_a_store_that_is_gone_is_no_hindrance_to_a_new_one) {
  commit(store(), {change::Insert{delivery(1)}});
  close();
  std::filesystem::remove(file());
  std::filesystem::remove(lock());
  EXPECT_THAT(contents_of(store()).owed, IsEmpty());
}

TEST_F(store_log, need_not_be_there_for_a_file_to_be_missed_that_is_gone_or_empty) {
  for (std::uint64_t id = 1; id <= 30; ++id)
    commit(store(), {change::Insert{delivery(id)}});
  close();
  const auto whole = read_file(file());
  const auto error =
    name() + ": is missing or empty, and at least 31 commits are lost, including "
    + "those of deliveries 1 to 30, by " + name()
    + ".lock; put the file back, or accept the loss: backoffctl outbox accept-loss " + name();
  write_file(file(), "");
  expect(opening(file()), StoreFailure::damaged, error);
  std::filesystem::remove(file());
  expect(opening(file()), StoreFailure::damaged, error);
  EXPECT_FALSE(std::filesystem::exists(file()));
  write_file(file(), whole);
  EXPECT_EQ(contents_of(store()).owed.size(), 30U);
  close();

  std::filesystem::remove(file());
  const auto loss = accept_loss_of_sqlite_store(file(), options_);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->last_delivery, 30U);
  EXPECT_THAT(contents_of(store()).owed, IsEmpty());
  EXPECT_EQ(store().last_id(), 30U) << "no number is used twice";
}

TEST_F(store_log, that_lost_its_last_commits_with_the_machine_is_told_of_and_not_refused) {
  commit_and_be_killed(30);
  // As if the machine had been booted since.
  auto record = read_file(lock());
  const auto boot = record.find("boot ");
  ASSERT_NE(boot, std::string::npos);
  std::filesystem::remove(log());
  const auto other = detail::read_record(record);
  ASSERT_TRUE(other);
  write_file(lock(), detail::text_of({other->pid, other->commits, other->last_id, "another boot"}));
  EXPECT_THAT(contents_of(*open_sqlite_store_to_read(file())).owed, IsEmpty());
  EXPECT_THAT(store().take_notices(),
              ElementsAre(name()
                          + ": its last 30 commits were lost when the machine stopped, as "
                            "Durability::process_death allows"));
  EXPECT_THAT(store().take_notices(), IsEmpty()) << "each once";
  EXPECT_EQ(store().last_id(), 30U) << "no number is used twice";
  commit(store(), {change::Insert{delivery(31)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 1U);
}

TEST_F(store_log, that_outlives_the_machine_is_missed_after_a_boot_too) {
  options_.durability = Durability::power_loss;
  commit_and_be_killed(3);
  const auto record = detail::read_record(read_file(lock()));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->boot, "");
  std::filesystem::remove(log());
  expect_refused(missing("3 commits are lost, including those of deliveries 1 to 3"));
}

TEST_F(store_log, that_is_lost_can_be_accepted_to_be_and_what_is_missing_is_named) {
  commit(store(), {change::Insert{delivery(1)}});
  close();
  EXPECT_FALSE(accept_loss_of_sqlite_store(file())) << "nothing is missing";
  commit_and_be_killed(30);
  std::filesystem::remove(log());
  EXPECT_EQ(opening(file()).failure, StoreFailure::damaged);
  const auto loss = accept_loss_of_sqlite_store(file(), options_);
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->commits, 29U);
  EXPECT_EQ(loss->first_delivery, 2U);
  EXPECT_EQ(loss->last_delivery, 30U);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  EXPECT_EQ(store().last_id(), 30U);
  close();
  EXPECT_FALSE(accept_loss_of_sqlite_store(file(), options_)) << "once";
}

TEST_F(store_log, does_not_count_a_commit_that_failed) {
  commit(store(), {change::Insert{delivery(1)}});
  EXPECT_THROW(commit(store(), {change::Insert{delivery(2)}, change::Insert{delivery(2)}}),
               std::logic_error);
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
}

TEST_F(store_log, is_a_reserve_after_a_clean_end_and_one_that_is_asked_for) {
  options_.log_reserve = 100'000;
  commit(store(), {change::Insert{delivery(1)}});
  close();
  EXPECT_EQ(read_file(log()), std::string(100'000, '\0'));
  EXPECT_EQ(contents_of(*open_sqlite_store_to_read(file())).owed.size(), 1U);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  close();
  options_.log_reserve = 0;
  store();
  close();
  EXPECT_FALSE(std::filesystem::exists(log()));
}

TEST_F(store_log, is_not_many_times_as_long_as_the_file_where_there_is_little_room) {
  constexpr std::uint64_t mib = 1 << 20;
  EXPECT_EQ(detail::most_log_pages(4'000, 6, 1'000 * mib), 4'000U) << "much room";
  EXPECT_EQ(detail::most_log_pages(4'000, 6, 12 * mib), 256U);
  EXPECT_EQ(detail::most_log_pages(4'000, 100, 12 * mib), 800U);
  EXPECT_EQ(detail::most_log_pages(4'000, 1'000, 0), 4'000U);
  EXPECT_EQ(detail::most_log_pages(100, 6, 0), 100U) << "as asked for";
}

TEST_F(store_log, has_nothing_left_of_a_commit_that_was_refused_for_want_of_room) {
  test::FaultyVfs vfs;
  options_ = {.vfs = test::FaultyVfs::name};
  commit(store(), {change::Insert{delivery(1)}});
  vfs.arm(test::Fault::sync_full, 1, 3); // the commit, a checkpoint, the one more try
  EXPECT_EQ(failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }).failure,
            StoreFailure::full);
  vfs.kill();
  close();
  vfs.disarm();
  vfs.lose_power(test::Kept::everything);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  close();
}

TEST_F(store_log, that_has_filled_the_disk_makes_room_by_itself) {
  test::FaultyVfs vfs;
  options_ = {.vfs = test::FaultyVfs::name};
  commit(store(), {change::Insert{delivery(1)}});
  vfs.arm(test::Fault::sync_full, 1, 1);
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_TRUE(vfs.has_struck());
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
  close();
}

} // namespace backoff_actor::store_test
