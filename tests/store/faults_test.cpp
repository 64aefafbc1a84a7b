// A scripted run, with one thing going wrong at every single write and sync that it makes: nothing
// that was committed is lost, nothing is half there, and the store can be used again.

#include "common/faulty_vfs.hpp"
#include "errors_fixture.hpp"

#include "backoff_actor/store/lock/internal/owner_record.hpp"

#include <algorithm>
#include <cstdio>

namespace backoff_actor::store_test {

namespace {

using test::Fault;
using test::FaultyVfs;
using test::Kept;
using Batch = std::vector<StoreChange>;

std::string text_of(Fault fault) {
  constexpr const char* names[] = {"full",       "write_error", "disk_gone", "sync_error",
                                   "power_loss", "torn_write",  "sync_full"};
  return names[static_cast<std::size_t>(fault)];
}

constexpr Kept all_kept[] = {Kept::nothing, Kept::first_half, Kept::second_half, Kept::every_second,
                             Kept::everything};

// Every kind of change, alone and in batches, with payloads beyond a page; enough for several
// checkpoints of a log of 12 pages.
std::vector<Batch> script() {
  std::vector<Batch> result;
  for (std::uint64_t id = 1; id <= 4; ++id)
    result.push_back({change::Insert{delivery(id)}});
  result.push_back({change::Insert{delivery(5, std::string(9'000, 'x'))},
                    change::Insert{delivery(6, std::string(20'000, 'y'))}});
  result.push_back({change::CountAttempts{5, 1}, change::CountAttempts{1, 1}});
  result.push_back({change::Acknowledge{1, {10}}});
  result.push_back({change::Bury{5, DeadLetterReason::rejected, 2, "bad", {11}}});
  Batch many;
  for (std::uint64_t id = 7; id <= 30; ++id)
    many.emplace_back(change::Insert{delivery(id, std::string(500, 'z'))});
  result.push_back(many);
  many.clear();
  for (std::uint64_t id = 2; id <= 20; ++id)
    many.emplace_back(change::Acknowledge{id, {static_cast<std::int64_t>(id)}});
  result.push_back(many);
  result.push_back({change::ForgetKeys{{15}}});
  result.push_back({change::Acknowledge{30, {40}}, change::Insert{delivery(31)}});
  for (std::uint64_t id = 21; id <= 25; ++id)
    result.push_back({change::Acknowledge{id, {50}}});
  return result;
}

// What the store holds before the first batch, and after each.
std::vector<Contents> states() {
  std::vector<Contents> result{{}};
  ReferenceStore reference;
  for (const auto& batch : script()) {
    reference.commit(batch);
    result.push_back(reference.contents());
  }
  return result;
}

} // namespace

class store_faults : public StoreTest {
protected:
  store_faults() { options_ = {.checkpoint_pages = 12, .vfs = FaultyVfs::name}; }

  void remove_files() {
    for (const auto* const suffix : {"", "-wal", "-shm", "-journal", ".lock"})
      std::filesystem::remove(file().string() + suffix);
  }

  // Opens the store and commits all batches up to the first error, whose failure is returned.
  std::optional<StoreFailure> run() {
    try {
      store();
      for (; done_ < script_.size(); ++done_)
        commit(store(), script_[done_]);
    } catch (const StoreError& error) {
      return error.failure();
    }
    return std::nullopt;
  }

  // The calls of a run in which nothing goes wrong, closing included.
  test::DiskCalls calls_of_a_run() {
    const auto before = vfs_.calls();
    EXPECT_EQ(run(), std::nullopt);
    EXPECT_EQ(contents_of(store()), states_.back());
    close();
    const auto after = vfs_.calls();
    EXPECT_GE(after.syncs_of_database - before.syncs_of_database, 4U) << "too few checkpoints";
    return {after.writes - before.writes, after.truncates - before.truncates,
            after.syncs - before.syncs, 0};
  }

  void begin(Fault fault, std::uint64_t n) {
    close();
    vfs_.lose_power(Kept::everything); // forgets the files of the run before
    remove_files();
    done_ = 0;
    vfs_.arm(fault, n);
  }

  // What the last owner has left is of another boot of the machine from now on.
  void boot() {
    const auto lock = file().string() + ".lock";
    auto record = detail::read_record(read_file(lock));
    if (!record)
      return;
    record->boot = "another";
    write_file(lock, detail::text_of(*record));
  }

  FaultyVfs vfs_;
  std::vector<Batch> script_ = script();
  std::vector<Contents> states_ = states();
  std::size_t done_ = 0; // batches that were committed
};

TEST_F(store_faults, a_disk_that_fails_at_any_call_loses_nothing_and_is_used_again_after_it) {
  const auto calls = calls_of_a_run();
  std::uint64_t points = 0;
  std::uint64_t unnoticed = 0;
  for (const auto fault : {Fault::full, Fault::write_error, Fault::disk_gone, Fault::sync_error}) {
    const auto count = fault == Fault::sync_error ? calls.syncs : calls.writes;
    for (std::uint64_t n = 1; n <= count; ++n) {
      SCOPED_TRACE(text_of(fault) + " at " + std::to_string(n));
      begin(fault, n);
      const auto failure = run();
      if (!vfs_.has_struck()) {
        close(); // the last checkpoint is made here
        ASSERT_TRUE(vfs_.has_struck());
      }
      ++points;
      unnoticed += failure ? 0U : 1U;
      if (failure) {
        ASSERT_EQ(*failure, fault == Fault::full ? StoreFailure::full : StoreFailure::input_output);
      }
      vfs_.disarm();
      // At every other point the store is opened anew first.
      if (n % 2 == 0)
        close();
      ASSERT_EQ(contents_of(store()), states_[done_]);
      ASSERT_EQ(run(), std::nullopt);
      ASSERT_EQ(contents_of(store()), states_.back());
      ASSERT_EQ(contents_of(reopen()), states_.back());
    }
  }
  std::printf("%llu fault points, %llu of which met no commit but a checkpoint\n",
              static_cast<unsigned long long>(points), static_cast<unsigned long long>(unnoticed));
  EXPECT_GT(points, 500U);
}

TEST_F(store_faults,
       a_power_loss_at_any_call_leaves_all_that_was_committed_and_no_part_of_a_batch) {
  const auto calls = calls_of_a_run();
  std::uint64_t points = 0;
  std::uint64_t whole = 0;
  for (const auto fault : {Fault::power_loss, Fault::torn_write}) {
    for (const auto kept : all_kept) {
      if (fault == Fault::torn_write && kept != Kept::nothing && kept != Kept::everything)
        continue;
      for (std::uint64_t n = 1; n <= calls.writes + calls.truncates + calls.syncs; ++n) {
        SCOPED_TRACE(text_of(fault) + " at " + std::to_string(n) + ", kept "
                     + std::to_string(static_cast<int>(kept)));
        begin(fault, n);
        run();
        close();
        ASSERT_TRUE(vfs_.has_struck());
        vfs_.disarm();
        vfs_.lose_power(kept);
        ++points;
        const auto found = contents_of(store());
        if (found != states_[done_]) {
          ASSERT_LT(done_, script_.size());
          ASSERT_EQ(found, states_[done_ + 1]);
          ++done_;
          ++whole;
        }
        if (n % 4 != 0)
          continue;
        ASSERT_EQ(run(), std::nullopt);
        ASSERT_EQ(contents_of(reopen()), states_.back());
      }
    }
  }
  std::printf("%llu fault points, at %llu of which the failed batch was there as a whole\n",
              static_cast<unsigned long long>(points), static_cast<unsigned long long>(whole));
  EXPECT_GT(points, 1'500U);
}

TEST_F(store_faults, without_syncs_a_power_loss_takes_the_last_batches_and_nothing_from_within) {
  options_.durability = Durability::process_death;
  const auto calls = calls_of_a_run();
  std::uint64_t points = 0;
  std::uint64_t lost = 0;
  for (const auto kept : all_kept) {
    if (kept == Kept::everything)
      continue; // see the next test
    for (std::uint64_t n = 1; n <= calls.writes + calls.truncates + calls.syncs; ++n) {
      SCOPED_TRACE(std::to_string(n) + ", kept " + std::to_string(static_cast<int>(kept)));
      begin(Fault::power_loss, n);
      run();
      close();
      vfs_.disarm();
      vfs_.lose_power(kept);
      boot();
      ++points;
      const auto contents = contents_of(store());
      // The numbers of what was lost are not given again.
      const auto found = std::find_if(states_.begin(), states_.end(), [&](Contents state) {
        state.last_id = std::max(state.last_id, contents.last_id);
        return state == contents;
      });
      ASSERT_NE(found, states_.end());
      const auto batches = static_cast<std::size_t>(found - states_.begin());
      ASSERT_LE(batches, done_ + 1);
      lost += batches < done_ ? 1U : 0U;
    }
  }
  std::printf("%llu fault points, at %llu of which committed batches were lost\n",
              static_cast<unsigned long long>(points), static_cast<unsigned long long>(lost));
  EXPECT_GT(points, 500U);
  EXPECT_GT(lost, 0U) << "nothing of what this option gives up was met";
}

TEST_F(store_faults, the_end_of_the_process_at_any_call_takes_nothing_even_without_syncs) {
  options_.durability = Durability::process_death;
  const auto calls = calls_of_a_run();
  for (std::uint64_t n = 1; n <= calls.writes + calls.truncates + calls.syncs; ++n) {
    SCOPED_TRACE(n);
    begin(Fault::power_loss, n);
    run();
    close();
    vfs_.disarm();
    vfs_.lose_power(Kept::everything);
    const auto found = contents_of(store());
    ASSERT_TRUE(found == states_[done_] || found == states_.at(done_ + 1));
  }
}

} // namespace backoff_actor::store_test
