// Who may use a file, and who is using it.

#include "errors_fixture.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::store_test {

namespace {

using namespace std::chrono_literals;

// Gives up root's rights over files for as long as it lives.
class AsNobody {
public:
  AsNobody() {
    if (was_root_ && seteuid(65534) != 0)
      throw std::runtime_error("cannot be nobody");
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (was_root_ && seteuid(0) != 0)
      std::abort();
  }

private:
  bool was_root_ = geteuid() == 0;
};

} // namespace

using store_access = StoreErrors;

TEST_F(store_access, a_file_that_may_not_be_written_is_read_only) {
  options_.log_reserve = 0; // which another user may not write either
  fill();
  chmod(folder_.path().c_str(), 0777);
  chmod(file().c_str(), 0444);
  std::filesystem::remove(name() + ".lock");
  {
    const AsNobody nobody;
    expect(opening(file()), StoreFailure::read_only,
           name()
             + ": is not writable for this user (SQLite: attempt to write a readonly database); "
               "give this user write permission for the file and its folder");
    EXPECT_EQ(contents_of(*open_sqlite_store_to_read(file())).owed.size(), 40U);
  }
  chmod(file().c_str(), 0644);
  EXPECT_EQ(contents_of(store()).owed.size(), 40U);
}

TEST_F(store_access, a_folder_that_may_not_be_written_is_read_only) {
  fill();
  std::filesystem::remove(name() + ".lock");
  chmod(file().c_str(), 0666);
  chmod(folder_.path().c_str(), 0555);
  {
    const AsNobody nobody;
    expect(opening(file()), StoreFailure::read_only,
           name() + ": this user has no permission to create a file beside it (" + name()
             + ".lock: Permission denied); give this user write permission for the folder");
  }
  chmod(folder_.path().c_str(), 0755);
}

TEST_F(store_access, a_file_that_may_not_be_read_cannot_be_opened) {
  fill();
  chmod(folder_.path().c_str(), 0777);
  chmod(file().c_str(), 0);
  std::filesystem::remove(name() + ".lock");
  const AsNobody nobody;
  expect(opening(file()), StoreFailure::cannot_open,
         name()
           + ": cannot be opened (SQLite: unable to open database file, Permission denied); give "
             "this user permission to read and write the file, and to write its folder");
}

TEST_F(store_access, a_store_has_one_owner_whatever_its_file_is_called) {
  commit(store(), {change::Insert{delivery(1)}});
  const auto link = folder_ / "link.db";
  std::filesystem::create_symlink(file(), link);
  const auto text =
    std::filesystem::canonical(file()).string()
    + ": another part of this process is using it; end that first, or name another file";
  expect(opening(file()), StoreFailure::in_use, text);
  expect(opening(link), StoreFailure::in_use, text);
  expect(opening(folder_.path() / "." / ".." / folder_.path().filename() / "outbox.db"),
         StoreFailure::in_use, text);
  expect(opening(std::filesystem::relative(file())), StoreFailure::in_use, text);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U);
  close();
  open_sqlite_store(link);
}

TEST_F(store_access, another_process_that_has_the_store_is_named_until_it_is_killed) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const auto owner = fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const auto own = open_sqlite_store(file());
    commit(*own, {change::Insert{delivery(1)}});
    if (::write(ready[1], "x", 1) == 1)
      pause();
    _exit(1);
  }
  char x = 0;
  ASSERT_EQ(::read(ready[0], &x, 1), 1);
  expect(opening(file()), StoreFailure::in_use,
         name() + ": process " + std::to_string(owner)
           + " is using it; end that first, or name another file");
  EXPECT_EQ(contents_of(*open_sqlite_store_to_read(file())).owed.size(), 1U);
  kill(owner, SIGKILL);
  waitpid(owner, nullptr, 0);
  EXPECT_EQ(contents_of(store()).owed.size(), 1U) << "what it has committed";
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(store_access, a_stranger_who_locks_the_file_is_waited_for_and_then_named) {
  options_.busy_timeout = 20ms;
  commit(store(), {change::Insert{delivery(1)}});
  {
    SQLite::Database stranger{name(), SQLite::OPEN_READWRITE};
    stranger.exec("BEGIN IMMEDIATE");
    expect(
      failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }), StoreFailure::in_use,
      name()
        + ": another program has it locked (SQLite: database is locked); end that program, for "
          "example a shell sqlite3, or try again");
  }
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
}

TEST_F(store_access, a_file_that_was_removed_or_replaced_under_its_owner_takes_no_more) {
  commit(store(), {change::Insert{delivery(1)}});
  std::filesystem::rename(file(), folder_ / "moved.db");
  expect(
    failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }), StoreFailure::input_output,
    name()
      + ": was removed or renamed while it was in use; a commit would be lost, so the store "
        "commits nothing more; end the program, and put the file back. If nobody removed it, this "
        "program has itself opened and closed the file: then SQLite loses its locks");
  std::filesystem::rename(folder_ / "moved.db", file());
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
}

} // namespace backoff_actor::store_test
