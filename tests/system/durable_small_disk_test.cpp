// A producer with a durable outbox on a disk of a few MB that fills and empties, which is killed at
// any moment. What it hears and does is written down elsewhere: in the pipe.

#include "durable/life.hpp"

#include "common/seeds.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/core/unit_random.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace backoff_actor::system_test {

namespace {

using std::chrono::microseconds;

constexpr std::uint64_t in_flight = 16;
constexpr std::uint64_t batch = 32;

// A disk of its own, in memory, for this process and those that it starts.
class SmallDisk {
public:
  SmallDisk() {
    const auto may_mount =
      geteuid() == 0 ? unshare(CLONE_NEWNS) == 0 : unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    is_there_ = may_mount && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
                && mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=4m") == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (is_there_)
      umount2(folder_.path().c_str(), MNT_DETACH);
  }

  bool is_there() const { return is_there_; }
  std::filesystem::path file() const { return folder_ / "outbox.db"; }

  // Takes all the room that there is.
  void fill() const {
    const auto ballast = open((folder_ / "ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const std::string page(4096, 'x');
    while (write(ballast, page.data(), page.size()) == static_cast<ssize_t>(page.size())) {
    }
    close(ballast);
  }
  void empty() const { std::filesystem::remove(folder_ / "ballast"); }

private:
  example::TemporaryFolder folder_{"backoff_actor-disk"};
  bool is_there_ = false;
};

// Fills the disk and empties it, again and again.
class Tide {
public:
  Tide(const SmallDisk& disk, std::uint64_t seed)
    : thread_([this, &disk, draws = Draws{seed, 1}] {
        for (std::uint64_t i = 0; !is_over_; ++i) {
          i % 2 == 0 ? disk.fill() : disk.empty();
          std::this_thread::sleep_for(microseconds{static_cast<int>(draws(i) * 30'000)});
        }
        disk.empty();
      }) {}
  Tide(const Tide&) = delete;
  Tide& operator=(const Tide&) = delete;
  ~Tide() {
    is_over_ = true;
    thread_.join();
  }

private:
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

} // namespace

TEST(DurableSmallDisk,
     that_fills_and_empties_under_two_hundred_kills_loses_nothing_and_repeats_little) {
  const SmallDisk disk;
  if (!disk.is_there())
    GTEST_SKIP() << "left out: this user may not mount a disk in memory";
  const auto seed = test::first_seed();
  std::cout << "seed " << seed << '\n';
  const Draws draws{seed, 0};
  std::set<std::uint64_t> accepted;
  std::set<std::uint64_t> executed;
  std::uint64_t next = 1;
  std::uint64_t kills = 0;
  std::uint64_t lives = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t most_duplicates = 0;
  std::uint64_t refused = 0;
  std::uint64_t not_opened = 0;
  const auto add = [&](const Life& life) {
    std::uint64_t twice = 0;
    for (const auto& note : life.notes) {
      if (note.word == "accepted" || note.word == "known")
        accepted.insert(note.number);
      else if (note.word == "executed")
        twice += executed.insert(note.number).second ? 0U : 1U;
      else if (note.word == "failed")
        ++refused;
      if (note.word == "accepted" || note.word == "failed")
        next = std::max(next, note.number + 1);
    }
    not_opened += life.count("opened") == 0 ? 1U : 0U;
    kills += life.was_killed() ? 1U : 0U;
    duplicates += twice;
    most_duplicates = std::max(most_duplicates, twice);
  };
  // However slow the machine is, one life feels that the disk is full.
  const auto felt =
    live(disk.file(), {next, 3'000, 0, in_flight, batch}, std::nullopt, [&disk](const Note& note) {
      if (note.word == "accepted" && note.number == 1)
        disk.fill();
      else if (note.word == "failed")
        disk.empty();
    });
  ASSERT_TRUE(felt.ended_well()) << to_string(felt);
  add(felt);
  EXPECT_GT(refused, 0U) << "the disk was never full";
  {
    const Tide tide{disk, seed};
    for (; kills < 200 && lives < 2'000; ++lives) {
      // Most are killed when they have opened the store, however long that takes; some before.
      const auto* const since = lives % 4 == 3 ? "" : "opened";
      const microseconds when{static_cast<int>(draws(lives) * 100'000)};
      add(live(disk.file(), {next, 1'000'000, 0, in_flight, batch}, Blow{SIGKILL, since, 1, when}));
    }
  }
  EXPECT_EQ(kills, 200U);
  const auto last = live(disk.file(), {next, 1, 0, in_flight, batch});
  ASSERT_TRUE(last.ended_well()) << to_string(last);
  add(last);
  std::uint64_t lost = 0;
  for (const auto number : accepted)
    lost += executed.count(number) == 0 ? 1U : 0U;
  std::cout << lives << " lives, " << kills << " kills, " << accepted.size() << " accepted, "
            << refused << " refused, lost " << lost << ", " << duplicates << " duplicates, at most "
            << most_duplicates << " in a life; " << not_opened << " lives without a store\n";
  EXPECT_EQ(lost, 0U);
  EXPECT_LE(most_duplicates, in_flight + 2 * batch);
  EXPECT_GT(accepted.size(), 500U);
}

} // namespace backoff_actor::system_test
