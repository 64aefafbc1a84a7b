// A producer with a durable outbox that is killed at any moment, over and over: what it accepted is
// executed, in order, and what is executed twice is explained by a kill.

#include "durable/account.hpp"
#include "durable/life.hpp"

#include "common/seeds.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/core/unit_random.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>

namespace backoff_actor::system_test {

namespace {

using std::chrono::microseconds;

class DurableKill : public ::testing::Test {
protected:
  DurableKill() { std::cout << "seed " << seed_ << '\n'; }

  /// A whole number from 0 to below `end`.
  std::uint64_t draw(std::uint64_t end) {
    return static_cast<std::uint64_t>(draws_(drawn_++) * static_cast<double>(end));
  }

  /// A kill from before the first line of `main` to the last write of a drain.
  Blow next_kill() {
    const microseconds soon{draw(4000)};
    switch (draw(6)) {
    case 0:
      return {SIGKILL, "", 1, microseconds{draw(15'000)}}; // while it starts
    case 1:
      return {SIGKILL, "", 1, microseconds{draw(80'000)}};
    case 2:
      return {SIGKILL, "opened", 1, soon}; // while it takes over what is owed
    case 3:
      return {SIGKILL, "accepted", 1 + draw(40), soon}; // another commit has begun
    case 4:
      return {SIGKILL, "executed", 1 + draw(40), soon}; // an acknowledgement is to be written
    default:
      return {SIGKILL, "draining", 1, soon};
    }
  }

  /// Lets producers live until so many were killed, and a last one in peace. Where there is poison,
  /// some are told to end instead, so that every attempt is on disk.
  void kill_and_finish(std::uint64_t kills, std::uint64_t poison) {
    LivesAccount account{file_, poison};
    std::map<std::string, int> last_notes;
    std::uint64_t lives = 0;
    for (; account.kills() < kills && lives < 10 * kills && !HasFailure(); ++lives) {
      auto kill = next_kill();
      if (poison != 0 && !kill.word.empty() && draw(3) == 0)
        kill.signal = SIGTERM;
      // What nobody was told of may be stored all the same, and is then submitted once more; but a
      // poisonous one could have become a dead letter meanwhile, and that does not come back.
      const auto from = (poison == 0 ? account.last_accepted() : account.on_disk().last_id) + 1;
      const auto life =
        live(file_, {from, kill.word == "draining" ? draw(20) : 1000, poison}, kill);
      ASSERT_TRUE(life.was_killed() || life.ended_well()) << to_string(life);
      account.add(life);
      ++last_notes[life.notes.empty() ? "nothing" : life.notes.back().word];
      ASSERT_FALSE(HasFailure()) << "in life " << lives << ":\n" << to_string(life);
    }
    EXPECT_GE(account.kills(), kills);

    const auto life = live(file_, {account.on_disk().last_id + 1, 20, poison});
    ASSERT_TRUE(life.ended_well()) << to_string(life);
    account.add(life);
    account.close();
    std::cout << lives << " lives, " << account.kills() << " kills, " << account.on_disk().last_id
              << " accepted, " << account.duplicates() << " duplicates, "
              << account.on_disk().dead.size() << " dead letters; last notes:";
    for (const auto& [word, count] : last_notes)
      std::cout << ' ' << word << ' ' << count;
    std::cout << '\n';
  }

  const example::TemporaryFolder folder_{"backoff_actor-kill"};
  const std::filesystem::path file_ = folder_ / "outbox.db";

private:
  const std::uint64_t seed_ = test::first_seed();
  const Draws draws_{seed_, 0};
  std::uint64_t drawn_ = 0;
};

} // namespace

TEST_F(DurableKill, a_producer_killed_a_hundred_times_executes_all_it_accepted_in_order) {
  kill_and_finish(100, 0);
}

TEST_F(DurableKill, poison_has_its_attempts_over_all_lives_and_becomes_one_dead_letter) {
  kill_and_finish(40, 7);
}

} // namespace backoff_actor::system_test
