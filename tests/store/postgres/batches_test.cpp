// What a batch costs the server, and what becomes of many rows.

#include "control.hpp"
#include "fixture.hpp"

#include "common/becomes_true.hpp"

#include <chrono>
#include <functional>
#include <sstream>
#include <stdexcept>

namespace backoff_actor::store_test {

namespace {

constexpr auto newest_oldest_id = "SELECT oldest_id FROM backoff.last_commit";

} // namespace

class postgres_batches : public PostgresTest {
protected:
  // Inserts deliveries `first` to `last`, a thousand in a commit.
  static void insert(DeliveryStore& store, std::uint64_t first, std::uint64_t last,
                     std::size_t bytes = 20) {
    std::vector<StoreChange> changes;
    for (auto id = first; id <= last; ++id) {
      changes.emplace_back(change::Insert{delivery(id, std::string(bytes, 'x'))});
      if (changes.size() == 1000 || id == last) {
        store.commit(changes);
        changes.clear();
      }
    }
  }

  // How many blocks of the tables the server reads for a commit, the mean of some hundreds.
  double blocks_of_a_commit(const std::function<void()>& commit_one) {
    struct Told {
      long commits = 0;
      long blocks = 0;
    };
    // The server tells what a session has done a while later, all of it at once.
    const auto told_after = [&](long commits) {
      Told result;
      EXPECT_TRUE(test::becomes_true([&] {
        commit_one();
        std::istringstream text{
          query("SELECT (SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'last_commit') "
                "|| ' ' || (SELECT sum(heap_blks_read + heap_blks_hit + idx_blks_read + "
                "idx_blks_hit) FROM pg_statio_user_tables)")};
        text >> result.commits >> result.blocks;
        return result.commits >= commits;
      }));
      return result;
    };
    const auto before = told_after(1);
    for (auto i = 0; i < 300; ++i)
      commit_one();
    const auto after = told_after(before.commits + 300);
    return static_cast<double>(after.blocks - before.blocks)
           / static_cast<double>(after.commits - before.commits);
  }

  // Somebody has an old snapshot. After so many commits, one reads about as many blocks as before.
  void expect_flat(int commits, const std::function<void()>& commit_one) {
    Control snapshot{server()->connection(database())};
    snapshot.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    snapshot.query("SELECT 1 FROM backoff.outbox");
    const auto first = blocks_of_a_commit(commit_one);
    for (auto i = 0; i < commits; ++i)
      commit_one();
    EXPECT_LE(blocks_of_a_commit(commit_one), 1.5 * first);
  }
};

TEST_F(postgres_batches, a_commit_finds_its_rows_by_their_numbers_and_never_reads_the_backlog) {
  Control control{server()->connection(database())};
  insert(*open(), 1, 20'000);
  // A session tells what it has read when it ends, which may be after its connection did.
  control.await(
    "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'backoff_actor%'", "0");
  control.query("SELECT pg_stat_reset()");
  {
    const auto store = open();
    for (std::uint64_t n = 1; n <= 50; ++n)
      commit(*store, {change::Insert{delivery(20'000 + n)}, change::Acknowledge{n * 100, {1}},
                      change::CountAttempts{n * 100 + 1, 5}, change::CountHandOvers{n * 100 + 2, 1},
                      bury(n * 100 + 3)});
  }
  control.await("SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'delivery'", "50");
  EXPECT_EQ(control.query("SELECT seq_scan || ' ' || seq_tup_read FROM pg_stat_user_tables WHERE "
                          "relname = 'delivery'"),
            "0 0");
  EXPECT_LT(std::stoi(control.query("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = "
                                    "'delivery'")),
            1000);
  EXPECT_EQ(query("SELECT count(*) FROM backoff.delivery"), "19950");
}

TEST_F(postgres_batches, a_commit_is_one_transaction_and_leaves_one_row_of_the_last) {
  const auto store = open();
  const auto insertion = query("SELECT xmin FROM backoff.shard");
  insert(*store, 1, 100);
  for (std::uint64_t id = 1; id <= 100; ++id)
    commit(*store, {change::Acknowledge{id, {1}}, change::Insert{delivery(100 + id)}});
  EXPECT_EQ(query("SELECT commit_no, last_id FROM backoff.last_commit"), "101|200");
  EXPECT_EQ(query("SELECT xmin FROM backoff.shard"), insertion) << "no version of it was made";
}

// What a transaction that somebody leaves open costs: while it has its snapshot, the server removes
// no version of a row.
TEST_F(postgres_batches, a_commit_behind_an_old_snapshot_reads_no_more_blocks_than_the_first) {
  const auto store = open();
  std::uint64_t id = 0;
  expect_flat(10'000, [&] {
    ++id;
    if (id == 1)
      return commit(*store, {change::Insert{delivery(1)}});
    commit(*store, {change::Acknowledge{id - 1, {1}}, change::Insert{delivery(id)}});
  });
}

TEST_F(postgres_batches, a_commit_that_forgets_keys_behind_an_old_snapshot_reads_no_more) {
  const auto store = open();
  std::uint64_t id = 0;
  expect_flat(5'000, [&] {
    ++id;
    auto one = delivery(id);
    one.idempotency_key = std::to_string(id);
    const auto at = static_cast<std::int64_t>(id);
    commit(*store, {change::Insert{one}, change::Acknowledge{id, {at}},
                    change::ForgetKeys{WallTime{at - 10}}});
  });
}

TEST_F(postgres_batches, a_reader_begins_where_the_oldest_delivery_may_be) {
  const auto store = open();
  EXPECT_EQ(query("SELECT oldest_id FROM backoff.shard"), "1");
  std::vector<StoreChange> ends;
  insert(*store, 1, 3000);
  for (std::uint64_t id = 1; id <= 2900; ++id)
    ends.emplace_back(change::Acknowledge{id, {1}});
  store->commit(ends);
  commit(*store, {change::Insert{delivery(3001)}});
  EXPECT_EQ(query(newest_oldest_id), "2901");
  EXPECT_EQ(contents_of(*store).owed.size(), 101U);
  ends.clear();
  for (std::uint64_t id = 2901; id <= 3001; ++id)
    ends.emplace_back(change::Acknowledge{id, {1}});
  insert(*store, 3002, 6000);
  for (std::uint64_t id = 3002; id <= 6000; ++id)
    ends.emplace_back(change::Acknowledge{id, {1}});
  store->commit(ends);
  store->commit(std::vector<StoreChange>{change::Insert{delivery(6001)}});
  EXPECT_EQ(query(newest_oldest_id), "6001");
  EXPECT_EQ(contents_of(*store).owed.size(), 1U);
}

TEST_F(postgres_batches, a_batch_larger_than_one_statement_is_one_commit) {
  const auto store = open();
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 9; ++id) // of 8 MiB each
    changes.emplace_back(change::Insert{delivery(id, std::string(8U << 20, 'x'))});
  changes.emplace_back(bury(9));
  store->commit(changes);
  EXPECT_EQ(query("SELECT commit_no, last_id FROM backoff.last_commit"), "1|9");
  std::size_t bytes = 0;
  store->for_each_owed([&](const StoredDelivery& one) { bytes += one.message.bytes.size(); });
  EXPECT_EQ(bytes, 8U * (8U << 20));
}

TEST_F(postgres_batches, a_message_that_no_server_takes_is_refused_and_nothing_is_changed) {
  const auto store = open();
  std::vector<StoreChange> changes{change::Insert{delivery(1)}, change::Insert{delivery(2)}};
  std::get<change::Insert>(changes[1]).delivery.message.bytes.resize(1'000'000'001);
  const auto found = failure_of([&] { store->commit(changes); });
  EXPECT_EQ(found.failure, StoreFailure::too_large);
  EXPECT_EQ(found.text, name() + ": delivery 2 has more than 1000000000 bytes");
  EXPECT_EQ(store->last_id(), 0U);
  changes.pop_back();
  store->commit(changes);
}

TEST_F(postgres_batches, keys_that_are_forgotten_together_are_dropped_a_thousand_at_a_time) {
  const auto store = open();
  std::vector<StoreChange> changes;
  for (std::uint64_t id = 1; id <= 2'500; ++id) {
    changes.emplace_back(change::Insert{delivery(id)});
    changes.emplace_back(change::Acknowledge{id, {static_cast<std::int64_t>(id)}});
  }
  store->commit(changes);
  commit(*store, {change::ForgetKeys{{2'400}}});
  const auto rows = [this] { return query("SELECT count(*) FROM backoff.acknowledged_key"); };
  EXPECT_EQ(rows(), "1500");
  EXPECT_EQ(contents_of(*store).keys.size(), 101U) << "whatever is still there";
  while (store->is_untidy())
    store->tidy_up();
  EXPECT_EQ(rows(), "101");
  EXPECT_EQ(contents_of(*store).keys.size(), 101U);
}

TEST_F(postgres_batches, an_empty_batch_touches_nothing) {
  const auto store = open();
  commit(*store, {});
  EXPECT_EQ(query("SELECT commit_no FROM backoff.shard"), "0");
}

TEST_F(postgres_batches, a_visitor_that_throws_leaves_the_store_usable) {
  const auto store = open();
  insert(*store, 1, 1000);
  EXPECT_THROW(
    store->for_each_owed([](const StoredDelivery&) { throw std::runtime_error("enough"); }),
    std::runtime_error);
  EXPECT_EQ(contents_of(*store).owed.size(), 1000U);
  const auto view = open_postgres_store_to_read(address());
  EXPECT_THROW(
    view->for_each_owed([](const StoredDelivery&) { throw std::runtime_error("enough"); }),
    std::runtime_error);
  EXPECT_EQ(contents_of(*view).owed.size(), 1000U);
}

} // namespace backoff_actor::store_test
