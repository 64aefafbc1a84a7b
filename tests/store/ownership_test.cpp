// A store has one owner, and its files are its owner's alone.

#include "errors_fixture.hpp"

#include "backoff_actor/store/lock/internal/network_file_system.hpp"
#include "backoff_actor/store/lock/internal/owner_record.hpp"

#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace backoff_actor::store_test {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

unsigned mode_of(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 ? found.st_mode & 0777U : 0U;
}

} // namespace

class store_ownership : public StoreErrors {
protected:
  std::string lock() const { return name() + ".lock"; }

  // What another process gets that opens the file by this name; empty: it opens it.
  std::string opened_elsewhere(const std::filesystem::path& path) {
    return other_.ask(path.string() + "\n");
  }

private:
  // A process that was there before this one opened any store.
  class Other {
  public:
    explicit Other(const SqliteOptions& options) {
      if (pipe(question_) != 0 || pipe(answer_) != 0)
        throw std::runtime_error("no pipe");
      if (pid_ = fork(); pid_ != 0)
        return;
      for (std::string path; !(path = line_from(question_[0])).empty();) {
        std::string text;
        try {
          open_sqlite_store(path, options);
        } catch (const StoreError& error) {
          text = std::string{to_string(error.failure())} + ", " + error.what();
        }
        send(answer_[1], text + "\n");
      }
      _exit(0);
    }
    Other(const Other&) = delete;
    Other& operator=(const Other&) = delete;
    ~Other() {
      send(question_[1], "\n");
      waitpid(pid_, nullptr, 0);
      for (const auto one : {question_[0], question_[1], answer_[0], answer_[1]})
        ::close(one);
    }

    std::string ask(const std::string& line) {
      send(question_[1], line);
      return line_from(answer_[0]);
    }

  private:
    static void send(int to, const std::string& text) {
      if (::write(to, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        std::abort();
    }
    static std::string line_from(int from) {
      std::string result;
      for (char c = 0; ::read(from, &c, 1) == 1 && c != '\n';)
        result += c;
      return result;
    }

    int question_[2]{};
    int answer_[2]{};
    pid_t pid_ = -1;
  };

  Other other_{options_};
};

TEST_F(store_ownership, is_not_lost_with_the_lock_which_is_made_again) {
  commit(store(), {change::Insert{delivery(1)}});
  std::filesystem::remove(lock());
  EXPECT_EQ(opened_elsewhere(file()),
            "in_use, " + name()
              + ": another process is using it under another name, or since before " + lock()
              + " was removed; end that first, or name another file");
  EXPECT_FALSE(std::filesystem::exists(lock())) << "who is refused leaves nothing";
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_THAT(store().take_notices(),
              ElementsAre(name() + ": " + lock()
                          + " was removed while it was in use; the store created it again"));
  EXPECT_EQ(opened_elsewhere(file()), "in_use, " + name() + ": process " + std::to_string(getpid())
                                        + " is using it; end that first, or name another file");
  EXPECT_EQ(detail::read_record(read_file(lock()))->last_id, 2U);
}

TEST_F(store_ownership, is_of_the_file_whatever_it_is_called) {
  commit(store(), {change::Insert{delivery(1)}});
  const auto link = folder_ / "link.db";
  std::filesystem::create_hard_link(file(), link);
  EXPECT_EQ(opened_elsewhere(link),
            "in_use, " + link.string()
              + ": another process is using it under another name, or since before " + link.string()
              + ".lock was removed; end that first, or name another file");
  expect(
    opening(link), StoreFailure::in_use,
    link.string()
      + ": another part of this process is using it under another name; end that first, or name "
        "another file");
  // SQLite has its own locks still: a stranger cannot write over what is being written.
  commit(store(), {change::Insert{delivery(2)}});
  EXPECT_EQ(contents_of(reopen()).owed.size(), 2U);
}

TEST_F(store_ownership, is_told_from_a_lock_that_somebody_else_has_taken) {
  fill();
  write_file(lock(), "4194305\n"); // beyond the largest process number
  const auto stranger = ::open(lock().c_str(), O_RDWR);
  ASSERT_EQ(flock(stranger, LOCK_EX), 0);
  expect(opening(file()), StoreFailure::in_use,
         name() + ": another process has locked " + lock()
           + " (no process here has the number in it, 4194305) and is using it; end "
             "that first, or name another file");
  ::close(stranger);
}

TEST_F(store_ownership, of_a_file_on_another_machine_is_refused) {
  EXPECT_EQ(detail::network_file_system(0x6969), "NFS");
  EXPECT_EQ(detail::network_file_system(static_cast<long>(static_cast<int>(0xff534d42))), "SMB");
  EXPECT_EQ(detail::network_file_system(0xef53), "") << "ext4";
  EXPECT_EQ(detail::network_file_system(0x01021994), "") << "tmpfs";
}

TEST_F(store_ownership, goes_with_files_that_nobody_else_can_use) {
  const auto before = umask(0);
  commit(store(), {change::Insert{delivery(1)}});
  for (const auto* const suffix : {"", "-wal", "-shm", ".lock"})
    EXPECT_EQ(mode_of(name() + suffix), 0600U) << suffix;
  EXPECT_THAT(store().take_notices(), IsEmpty());
  close();
  umask(before);
  for (const auto* const suffix : {"", "-wal", "-shm", ".lock"})
    EXPECT_EQ(mode_of(name() + suffix), 0600U) << suffix;
}

TEST_F(store_ownership, is_shared_as_far_as_is_asked_for_whatever_the_umask_is) {
  options_.mode = std::filesystem::perms{0660};
  const auto before = umask(0077);
  commit(store(), {change::Insert{delivery(1)}});
  umask(before);
  for (const auto* const suffix : {"", "-wal", "-shm", ".lock"})
    EXPECT_EQ(mode_of(name() + suffix), 0660U) << suffix;
  EXPECT_THAT(store().take_notices(), IsEmpty());
}

TEST_F(store_ownership, of_files_that_others_may_use_is_told_and_left_as_it_is) {
  fill();
  chmod(name().c_str(), 0644);
  chmod(lock().c_str(), 0666);
  EXPECT_THAT(store().take_notices(),
              ElementsAre(name() + ": other users have access to its files: " + name() + " (0644), "
                          + lock()
                          + " (0666); make them 0600 with chmod, or allow the access with "
                            "SqliteOptions::mode"));
  EXPECT_EQ(mode_of(name()), 0644U);
}

TEST_F(store_ownership, is_doubted_when_a_number_is_there_already) {
  commit(store(), {change::Insert{delivery(1)}});
  in_sqlite("INSERT INTO deliveries(id, submitted_at, attempts, key, idempotency_key, types, "
            "payload) VALUES(2, 0, 0, x'', x'', x'', x'')");
  expect(failure_of([&] { commit(store(), {change::Insert{delivery(2)}}); }), StoreFailure::in_use,
         name()
           + ": another program writes to this store (SQLite: UNIQUE constraint failed: "
             "deliveries.id); find and end that program; nothing in the file is damaged");
}

TEST(store_owner_record, of_which_only_a_part_was_written_is_not_believed) {
  const auto whole = detail::text_of({12, 345, 678, "boot"});
  const auto read = detail::read_record(whole);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->commits, 345u);

  auto torn = whole;
  torn.replace(torn.find("345"), 3, "399");
  EXPECT_FALSE(detail::read_record(torn));
}

} // namespace backoff_actor::store_test
