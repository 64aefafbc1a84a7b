// What goes wrong with a file is said in full: which file, what is wrong, and what to do.

#include "common/faulty_vfs.hpp"
#include "errors_fixture.hpp"

#include <chrono>
#include <cstdio>

#include <sqlite3.h>

namespace backoff_actor::store_test {

namespace {

using namespace std::chrono_literals;

constexpr auto advice_of_damage =
  "; copy it with its -wal file; then restore a backup, or recover what is still readable with the "
  "command .recover of the sqlite3 shell";

} // namespace

using store_errors = StoreErrors;

TEST_F(store_errors, a_folder_that_is_missing_is_named) {
  const auto folder = folder_ / "none";
  expect(opening(folder / "outbox.db"), StoreFailure::cannot_open,
         (folder / "outbox.db").string() + ": there is no folder " + folder.string()
           + "; create it first");
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(store_errors, a_folder_is_no_store) {
  expect(opening(folder_.path()), StoreFailure::cannot_open,
         folder_.path().string() + ": is a folder; name a file in it");
}

// Such a name would be in each message about the file.
TEST_F(store_errors, a_connection_string_is_no_name_of_a_file_and_is_not_repeated) {
  const auto refusal = "the name is a connection string of PostgreSQL, which is not repeated here; "
                       "name a file, or open the outbox by postgres_store";
  for (const auto* name : {"host=h password = sesame dbname=db", "postgres:/w:sesame@db1/shop",
                           "postgresql:w:sesame@db1", "Postgres://db1", "PASSWORD\t=sesame"}) {
    expect(opening(name), StoreFailure::cannot_open, refusal);
    expect(opening(folder_ / "password=sesame"), StoreFailure::cannot_open, refusal);
    expect(reading(name), StoreFailure::cannot_open, refusal);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(store_errors, a_device_is_no_store) {
  expect(opening("/dev/null"), StoreFailure::cannot_open,
         "/dev/null: is not a regular file; name a store, or a file that does not exist yet");
}

TEST_F(store_errors, a_link_that_leads_nowhere_is_said_to) {
  std::filesystem::create_symlink(folder_ / "none", file());
  expect(opening(file()), StoreFailure::cannot_open,
         name() + ": is a symbolic link to a missing file; name the file itself");
}

TEST_F(store_errors, a_text_is_no_store_and_stays_as_it_is) {
  write_file(file(), "Dear diary,\n" + std::string(5'000, '.'));
  const auto before = read_file(file());
  const auto text =
    name() + ": is not a store (SQLite: file is not a database); nothing in it was changed; name ";
  expect(opening(file()), StoreFailure::foreign,
         text + "another file, or one that does not exist yet");
  expect(reading(file()), StoreFailure::foreign, text + "a store that a sender has used");
  EXPECT_EQ(read_file(file()), before);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{folder_.path()}, {}), 1)
    << "something was left beside it";
}

TEST_F(store_errors, a_store_whose_maker_was_killed_is_for_its_owner_to_finish) {
  {
    // As a kill leaves it: some pages changed, and the journal that takes that back.
    const auto maker = (folder_ / "made.db").string();
    SQLite::Database database{maker, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    database.exec("PRAGMA cache_size = 1; CREATE TABLE t(a); DROP TABLE t; BEGIN; "
                  "CREATE TABLE t(a); INSERT INTO t VALUES(zeroblob(1000000))");
    std::filesystem::copy_file(maker, file());
    std::filesystem::copy_file(maker + "-journal", name() + "-journal");
  }
  expect(reading(file()), StoreFailure::cannot_open,
         name()
           + ": is incomplete, because the program that was creating it was killed (SQLite: "
             "attempt to write a "
             "readonly database); start the program that uses it, and that program completes it");

  open_sqlite_store(file(), options_);
  EXPECT_EQ(open_sqlite_store_to_read(file(), options_)->last_id(), 0u);
}

TEST_F(store_errors, a_database_of_another_program_is_no_store_and_stays_as_it_is) {
  in_sqlite("CREATE TABLE deliveries(a); INSERT INTO deliveries VALUES(1)");
  const auto before = read_file(file());
  const auto text =
    name()
    + ": is an SQLite database of another program (application_id 0); nothing in it was "
      "changed; name ";
  expect(opening(file()), StoreFailure::foreign,
         text + "another file, or one that does not exist yet");
  expect(reading(file()), StoreFailure::foreign, text + "a store that a sender has used");
  EXPECT_EQ(read_file(file()), before);
  EXPECT_FALSE(std::filesystem::exists(name() + ".lock"));
}

TEST_F(store_errors, a_database_with_another_programs_number_is_no_store) {
  in_sqlite("PRAGMA application_id = 1196444487; CREATE TABLE tiles(a)");
  expect(
    opening(file()), StoreFailure::foreign,
    name()
      + ": is an SQLite database of another program (application_id 1196444487); nothing in it "
        "was changed; name another file, or one that does not exist yet");
}

TEST_F(store_errors, the_log_of_another_program_is_not_copied_into_its_file) {
  const auto copy = folder_ / "copy.db";
  {
    SQLite::Database other{name(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    other.exec("PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
    std::filesystem::copy_file(file(), copy);
    std::filesystem::copy_file(name() + "-wal", copy.string() + "-wal");
  }
  const auto before = read_file(copy);
  const auto log = read_file(copy.string() + "-wal");
  EXPECT_EQ(opening(copy).failure, StoreFailure::foreign);
  EXPECT_EQ(read_file(copy), before);
  EXPECT_EQ(read_file(copy.string() + "-wal"), log);
}

TEST_F(store_errors, a_store_of_a_later_version_is_left_to_it) {
  fill();
  in_sqlite("PRAGMA user_version = 5");
  const auto text = name()
                    + ": was written by a later version of backoff_actor (format 5, this one knows "
                      "1 to 4); use that version";
  expect(opening(file()), StoreFailure::newer, text);
  expect(reading(file()), StoreFailure::newer, text);
}

TEST_F(store_errors, a_file_without_a_byte_is_a_new_store) {
  write_file(file(), "");
  commit(store(), {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 1U);
}

TEST_F(store_errors, a_database_that_nobody_has_used_yet_becomes_a_store) {
  in_sqlite("VACUUM; PRAGMA journal_mode = WAL");
  ASSERT_GT(std::filesystem::file_size(file()), 0U);
  commit(store(), {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 1U);
}

TEST_F(store_errors, there_is_nothing_to_look_at_in_a_file_that_is_missing_or_empty) {
  expect(reading(file()), StoreFailure::cannot_open,
         name() + ": does not exist; name a store that a sender has used");
  EXPECT_FALSE(std::filesystem::exists(file()));
  write_file(file(), "");
  expect(reading(file()), StoreFailure::cannot_open,
         name() + ": is empty; a sender must use it before there is something to read");
}

TEST_F(store_errors, a_store_that_was_cut_off_is_damaged) {
  fill();
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
  const auto text =
    name() + ": is damaged (SQLite: database disk image is malformed)" + advice_of_damage;
  expect(opening(file()), StoreFailure::damaged, text);
  expect(reading(file()), StoreFailure::damaged, text);
}

TEST_F(store_errors, a_store_without_one_of_its_tables_is_damaged) {
  fill();
  in_sqlite("DROP TABLE dead_letters");
  expect(opening(file()), StoreFailure::damaged,
         name() + ": is damaged (it does not have the tables of format 3)" + advice_of_damage);
}

TEST_F(store_errors, a_page_that_was_overwritten_is_damage_that_is_met_by_whoever_reads_it) {
  fill();
  {
    std::fstream out{file(), std::ios::binary | std::ios::in | std::ios::out};
    const auto pages = std::filesystem::file_size(file()) / 4096;
    for (std::uint64_t page = 7; page < pages; ++page) { // behind the root pages of the tables
      out.seekp(static_cast<std::streamoff>(page * 4096));
      out << std::string(4096, '\x55');
    }
  }
  const auto text =
    name() + ": is damaged (SQLite: database disk image is malformed)" + advice_of_damage;
  expect(failure_of([&] { contents_of(store()); }), StoreFailure::damaged, text);
  expect(failure_of([&] { contents_of(*open_sqlite_store_to_read(file())); }),
         StoreFailure::damaged, text);
  // What is on other pages can still be used.
  EXPECT_EQ(store().last_id(), 40U);
}

TEST_F(store_errors, values_that_no_store_has_written_are_damage) {
  fill();
  in_sqlite("UPDATE deliveries SET attempts = 4294967296 WHERE id = 3");
  expect(failure_of([&] { contents_of(store()); }), StoreFailure::damaged,
         name() + ": is damaged (a delivery has a number outside the allowed range)"
           + advice_of_damage);
  close();
  in_sqlite("UPDATE deliveries SET attempts = -1 WHERE id = 3");
  expect(failure_of([&] { contents_of(store()); }), StoreFailure::damaged,
         name() + ": is damaged (a number is below 0)" + advice_of_damage);
  commit(store(), {change::Bury{4, DeadLetterReason::rejected, 0, "", {}}});
  close();
  in_sqlite("UPDATE dead_letters SET reason = 'bored'");
  expect(failure_of([&] { store().for_each_dead_letter([](const StoredDeadLetter&) {}); }),
         StoreFailure::damaged,
         name() + ": is damaged (a dead letter has an unknown reason)" + advice_of_damage);
}

TEST_F(store_errors, a_message_that_is_too_large_is_refused_and_the_others_go_on) {
  // A store that takes no more than 100 kB, for a gigabyte is much for a test.
  const auto limit = [](sqlite3* database, const char**, const sqlite3_api_routines*) {
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 100'000);
    return SQLITE_OK;
  };
  const auto entry = reinterpret_cast<void (*)()>(
    static_cast<int (*)(sqlite3*, const char**, const sqlite3_api_routines*)>(limit));
  sqlite3_auto_extension(entry);
  store();
  sqlite3_cancel_auto_extension(entry);
  expect(failure_of([&] {
           commit(store(), {change::Insert{delivery(1)},
                            change::Insert{delivery(2, std::string(100'000, 'x'))}});
         }),
         StoreFailure::too_large,
         name()
           + ": a message is larger than the store can take (SQLite: string or blob too big); "
             "store the large content elsewhere, and submit only its address");
  EXPECT_EQ(contents_of(store()), Contents{});
  commit(store(), {change::Insert{delivery(1)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 1U);
}

TEST_F(store_errors, what_a_disk_fails_to_do_is_said) {
  test::FaultyVfs vfs;
  options_ = {.vfs = test::FaultyVfs::name};
  commit(store(), {change::Insert{delivery(1)}});
  const auto failing = [&](test::Fault fault) {
    vfs.arm(fault, 1);
    const auto result = failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); });
    vfs.disarm();
    return result;
  };
  expect(failing(test::Fault::full), StoreFailure::full,
         name()
           + ": there is no room on the disk (SQLite: database or disk is full); make room and try "
             "again");
  expect(
    failing(test::Fault::write_error), StoreFailure::input_output,
    name()
      + ": the disk failed (SQLite: disk I/O error, write, Input/output error); see the system's "
        "log; what was committed before is safe");
  expect(
    failing(test::Fault::sync_error), StoreFailure::input_output,
    name()
      + ": the disk failed (SQLite: disk I/O error, fsync, Input/output error); see the system's "
        "log; what was committed before is safe");
  expect(failing(test::Fault::sync_full), StoreFailure::full,
         name()
           + ": there is no room on the disk (SQLite: disk I/O error, fsync, No space left on "
             "device); make room and try again");
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  close();
}

TEST_F(store_errors, options_are_all_checked_at_once_and_before_anything_is_made) {
  const SqliteOptions bad{.busy_timeout = -1ms,
                          .checkpoint_pages = static_cast<std::uint32_t>(-1),
                          .log_reserve = static_cast<std::uint64_t>(-1),
                          .vfs = "none"};
  try {
    open_sqlite_store(file(), bad);
    FAIL() << "there was no error";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(),
                 "SqliteOptions: busy_timeout: got -1ms, allowed 0ns..1h\n"
                 "SqliteOptions: checkpoint_pages: got -1, allowed 1..1000000\n"
                 "SqliteOptions: log_reserve: got -1, allowed 0..1073741824\n"
                 "SqliteOptions: vfs: got none, allowed the name of a VFS that is registered with "
                 "SQLite, or nothing");
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
}

} // namespace backoff_actor::store_test
