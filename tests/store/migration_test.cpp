// Files of earlier versions are brought up to this one when their owner opens them.

#include "errors_fixture.hpp"

#include "common/faulty_vfs.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

namespace backoff_actor::store_test {

namespace {

using ::testing::ElementsAre;

} // namespace

class store_migration : public StoreErrors {
protected:
  // A file that version 1 has written, with its log, as `kill -9` has left them.
  void take_version_1() {
    const std::filesystem::path files{BACKOFF_ACTOR_STORE_FILES};
    std::filesystem::copy_file(files / "version_1.db", file());
    std::filesystem::copy_file(files / "version_1.db-wal", name() + "-wal");
    write_file(name() + ".lock", "16920\n"); // the owner's number, and nothing else
  }

  std::int64_t version() const {
    return SQLite::Database{name()}.execAndGet("PRAGMA user_version").getInt64();
  }

  // What version 2 has written, with the same deliveries.
  void take_version_2() {
    const std::filesystem::path files{BACKOFF_ACTOR_STORE_FILES};
    std::filesystem::copy_file(files / "version_2.db", file());
  }

  void expect_contents(DeliveryStore& store) {
    const auto found = contents_of(store);
    ASSERT_EQ(found.owed.size(), 3U);
    EXPECT_EQ(found.owed[0].id, 3U);
    EXPECT_EQ(found.owed[0].attempts, 2U);
    EXPECT_EQ(found.owed[0].hand_overs, 0U);
    EXPECT_EQ(found.owed[0].idempotency_key, "order 3");
    EXPECT_EQ(found.owed[0].deadline, WallTime{1'700'003'600'000'000'000});
    EXPECT_EQ(found.owed[0].message.bytes, bytes("three"));
    EXPECT_EQ(found.owed[1].message.bytes, bytes("five\n"));
    EXPECT_EQ(found.owed[2].key, "customer 6");
    ASSERT_EQ(found.dead.size(), 2U);
    EXPECT_EQ(found.dead[0].cause, "cannot parse it");
    EXPECT_EQ(found.dead[0].text, "") << "nobody has kept one";
    EXPECT_EQ(found.dead[1].reason, DeadLetterReason::rejected);
    EXPECT_EQ(found.keys,
              (std::map<std::string, WallTime>{{"order 1", WallTime{1'700'000'007'000'000'000}}}));
    EXPECT_EQ(found.last_id, 6U);
    EXPECT_EQ(store.message_format(), "caf 0.17");
  }
};

TEST_F(store_migration, of_version_1_keeps_all_that_is_in_it) {
  take_version_1();
  expect_contents(store());
  EXPECT_EQ(version(), 3);
  commit(store(), {change::CountHandOvers{3, 1}, change::Acknowledge{3, {5}}});
  EXPECT_EQ(contents_of(reopen()).keys.size(), 2U);
  EXPECT_THAT(store().take_notices(),
              ElementsAre(::testing::HasSubstr("other users have access to its files: " + name())));
}

// The files of those who keep no answers stay as they are, also for an earlier version of the
// library.
TEST_F(store_migration, to_version_4_comes_with_the_first_answer) {
  commit(store(), {change::Insert{delivery(1)}, change::Insert{delivery(2)},
                   change::Acknowledge{1, {1000}}});
  EXPECT_EQ(version(), 3);
  const auto reader = open_sqlite_store_to_read(file());
  EXPECT_EQ(reader->find_message("order 2", 0).state, MessageState::owed);
  const KeptAnswer answer{{"std::string", bytes("yes")}, 3};
  commit(store(), {change::KeepAnswer{"order 2", answer, {1001}}, change::Acknowledge{2, {1001}}});
  EXPECT_EQ(version(), 4);
  EXPECT_EQ(reader->find_message("order 2", 0).answer, answer) << "it was opened before";
  EXPECT_EQ(reopen().find_message("order 2", 0).answer, answer);
  EXPECT_EQ(version(), 4);
}

TEST_F(store_migration, of_version_2_keeps_all_that_is_in_it_and_has_texts_from_then_on) {
  take_version_2();
  expect_contents(*open_sqlite_store_to_read(file()));
  EXPECT_EQ(version(), 2) << "who only reads changes nothing";
  expect_contents(store());
  EXPECT_EQ(version(), 3);
  commit(store(), {change::Bury{3, DeadLetterReason::rejected, 1, "", {5}, "(\"three\")"}});
  const auto dead = contents_of(reopen()).dead;
  ASSERT_EQ(dead.size(), 3U);
  EXPECT_EQ(dead[0].text, "");
  EXPECT_EQ(dead[1].delivery.id, 3U);
  EXPECT_EQ(dead[1].text, "(\"three\")");
}

TEST_F(store_migration, of_version_2_finds_that_its_log_is_missing) {
  take_version_2();
  {
    SQLite::Database database{name(), SQLite::OPEN_READWRITE};
    database.exec("UPDATE meta SET is_open = 1"); // as a process that was killed has left it
  }
  std::filesystem::remove(name() + "-wal");
  EXPECT_EQ(failure_of([&] { store(); }).failure, StoreFailure::damaged);
  EXPECT_EQ(version(), 2);
}

TEST_F(store_migration, is_not_needed_to_look_at_version_1_and_changes_nothing_then) {
  take_version_1();
  const auto before = read_file(file());
  const auto log = read_file(name() + "-wal");
  expect_contents(*open_sqlite_store_to_read(file()));
  EXPECT_EQ(read_file(file()), before);
  EXPECT_EQ(read_file(name() + "-wal"), log);
}

TEST_F(store_migration, makes_the_tables_that_a_new_store_has) {
  const auto tables = [](const std::string& file) {
    std::string result;
    SQLite::Database database{file};
    SQLite::Statement rows{database, "SELECT sql FROM sqlite_schema ORDER BY name"};
    while (rows.executeStep())
      result += rows.getColumn(0).getString() + "\n";
    return result;
  };
  open_sqlite_store(folder_ / "new.db", options_);
  const auto wanted = tables((folder_ / "new.db").string());
  take_version_1();
  store();
  close();
  EXPECT_EQ(tables(name()), wanted);
  for (const auto* const suffix : {"", "-wal", "-shm", ".lock"})
    std::filesystem::remove(name() + suffix);
  take_version_2();
  store();
  close();
  EXPECT_EQ(tables(name()), wanted);
}

TEST_F(store_migration, that_fails_leaves_version_1_and_goes_on_at_the_next_start) {
  // At each write and sync of an opening that brings the file up.
  test::FaultyVfs vfs;
  options_ = {.vfs = test::FaultyVfs::name};
  std::uint64_t failed = 0;
  for (std::uint64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    close();
    vfs.lose_power(test::Kept::everything);
    for (const auto* const suffix : {"", "-wal", "-shm", ".lock"})
      std::filesystem::remove(name() + suffix);
    take_version_1();
    vfs.arm(test::Fault::power_loss, n);
    try {
      store();
    } catch (const StoreError&) {
      ++failed;
    }
    if (!vfs.has_struck())
      break;
    close();
    vfs.disarm();
    vfs.lose_power(n % 2 == 0 ? test::Kept::nothing : test::Kept::everything);
    expect_contents(store());
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(failed, 5U);
  vfs.disarm();
  close();
}

} // namespace backoff_actor::store_test
