// What waits for the disk: one sync a batch, and a few for each checkpoint.

#include "common/faulty_vfs.hpp"
#include "fixture.hpp"

#include <cstdio>

namespace backoff_actor::store_test {

namespace {

struct Syncs {
  std::uint64_t commits;
  std::uint64_t syncs;
  std::uint64_t checkpoints;
};

} // namespace

class store_syncs : public StoreTest {
protected:
  // So many rounds of a batch of deliveries that are inserted, and then acknowledged; 256 bytes
  // each.
  Syncs measure(std::uint64_t batch, std::uint64_t rounds) {
    const auto before = vfs_.calls();
    std::vector<StoreChange> changes;
    const std::string payload(256, 'x');
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const auto first = store().last_id() + 1;
      changes.clear();
      for (auto id = first; id < first + batch; ++id)
        changes.emplace_back(change::Insert{{.id = id, .message = {"blob", bytes(payload)}}});
      commit(store(), changes);
      changes.clear();
      for (auto id = first; id < first + batch; ++id)
        changes.emplace_back(change::Acknowledge{id, {}});
      commit(store(), changes);
    }
    const auto after = vfs_.calls();
    return {2 * rounds, after.syncs - before.syncs,
            after.syncs_of_database - before.syncs_of_database};
  }

  test::FaultyVfs vfs_;
};

TEST_F(store_syncs, a_batch_waits_for_one_sync_and_a_checkpoint_for_three) {
  options_ = {.vfs = test::FaultyVfs::name};
  store();
  struct Row {
    std::uint64_t batch;
    std::uint64_t rounds;
    std::uint64_t most; // syncs
  };
  // The third sync of a checkpoint is of the head of the log that begins anew with the next commit.
  std::puts("batch  commits  checkpoints  syncs  syncs per delivery");
  for (const auto& row :
       {Row{1, 4'000, 8'013}, Row{10, 1'000, 2'004}, Row{100, 200, 404}, Row{1000, 50, 106}}) {
    const auto [commits, syncs, checkpoints] = measure(row.batch, row.rounds);
    std::printf("%5d  %7d  %11d  %5d  %.4f\n", static_cast<int>(row.batch),
                static_cast<int>(commits), static_cast<int>(checkpoints), static_cast<int>(syncs),
                static_cast<double>(syncs) / static_cast<double>(row.batch * row.rounds));
    EXPECT_GE(checkpoints, 1U) << row.batch;
    EXPECT_LE(syncs, row.most) << row.batch;
    EXPECT_GE(syncs, commits + 2 * checkpoints) << row.batch;
    EXPECT_LE(syncs, commits + 3 * checkpoints + 1) << row.batch;
  }
  close();
}

TEST_F(store_syncs, a_store_that_need_not_outlive_the_machine_waits_for_checkpoints_only) {
  options_ = {.durability = Durability::process_death, .vfs = test::FaultyVfs::name};
  store();
  const auto [commits, syncs, checkpoints] = measure(1, 4'000);
  EXPECT_EQ(commits, 8'000U);
  EXPECT_EQ(checkpoints, 4U);
  EXPECT_EQ(syncs, 12U);
  close();
}

TEST_F(store_syncs, the_log_stays_within_what_was_asked_for_and_one_batch) {
  options_ = {.checkpoint_pages = 100, .vfs = test::FaultyVfs::name};
  store();
  measure(10, 1'000);
  EXPECT_LT(std::filesystem::file_size(file().string() + "-wal"), 120U * 4'120U);
  close();
}

TEST_F(store_syncs, what_changes_nothing_waits_for_nothing) {
  options_ = {.vfs = test::FaultyVfs::name};
  store();
  const auto before = vfs_.calls();
  commit(store(), {});
  commit(store(), {change::Acknowledge{7, {}}, change::CountAttempts{8, 1}});
  EXPECT_EQ(vfs_.calls().syncs, before.syncs);
  EXPECT_EQ(vfs_.calls().writes, before.writes);
  close();
}

} // namespace backoff_actor::store_test
