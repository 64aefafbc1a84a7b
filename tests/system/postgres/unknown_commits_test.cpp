// The connection is lost in the middle of a COMMIT, and nobody knows whether it was made. The store
// finds out, and makes it once.

#include "common/patience.hpp"
#include "common/seeds.hpp"

#include "common/private_postgres.hpp"

#include <backoff_actor/core/unit_random.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

namespace backoff_actor::system_test {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class PostgresCommits : public ::testing::Test {
protected:
  static constexpr std::uint64_t batch = 10;

  void SetUp() override {
    if (!example::PrivatePostgres::is_installed())
      GTEST_SKIP() << "PostgreSQL is not installed";
    std::cout << "seed " << seed_ << '\n';
    server_.emplace();
    migrate_postgres(server_->socket_connection());
    proxy_.emplace("127.0.0.1", static_cast<std::uint16_t>(server_->port()));
    store_ = open_postgres_store(
      {"host=127.0.0.1 port=" + std::to_string(proxy_->port()) + " user=postgres dbname=postgres",
       "jobs"},
      {.lease = 1min, .connect_timeout = 1min, .node = "owner"});
    store_->set_message_format("a test's");
    // Runs in a session of its own, while the owner's may be gone.
    reader_ = open_postgres_store_to_read({server_->socket_connection(), "jobs"});
  }

  std::vector<StoreChange> next_batch() {
    std::vector<StoreChange> changes;
    for (std::uint64_t i = 0; i < batch; ++i)
      changes.push_back(change::Insert{{.id = ++last_id_, .message = {"x", {}}}});
    return changes;
  }

  /// Commits until the store says that it is done. Notes each time nobody knew whether it was.
  void commit(const std::vector<StoreChange>& changes) {
    for (const auto end = Clock::now() + test::patience; Clock::now() < end;) {
      try {
        store_->commit(changes);
        return;
      } catch (const StoreError& error) {
        ASSERT_EQ(error.failure(), StoreFailure::unreachable) << error.what();
        ++(reader_->last_id() == last_id_ ? made_ : not_made_);
        std::this_thread::sleep_for(2ms);
      }
    }
    FAIL() << "not committed";
  }

  /// The table holds every delivery once.
  void expect_all_once() {
    std::uint64_t expected = 0;
    reader_->for_each_owed([&](const StoredDelivery& x) { EXPECT_EQ(x.id, ++expected); });
    EXPECT_EQ(expected, last_id_);
    std::cout << last_id_ << " deliveries; unknown commits: " << made_ << " were made, "
              << not_made_ << " were not\n";
  }

  /// Whether it is of no use to wait for chance any longer.
  bool is_late() const { return Clock::now() > begin_ + test::patience; }

  double draw() { return draws_(drawn_++); }

  std::optional<example::PrivatePostgres> server_;
  std::optional<testing::TcpProxy> proxy_;
  std::shared_ptr<DeliveryStore> store_;
  std::shared_ptr<DeliveryStore> reader_;
  std::uint64_t last_id_ = 0;
  std::uint64_t made_ = 0;
  std::uint64_t not_made_ = 0;

private:
  const Clock::time_point begin_ = Clock::now();
  const std::uint64_t seed_ = test::first_seed();
  const Draws draws_{seed_, 7};
  std::uint64_t drawn_ = 0;
};

} // namespace

TEST_F(PostgresCommits, whose_answer_was_lost_are_made_once) {
  for (auto cut = 0; (cut < 60 || (made_ == 0 && !is_late())) && !HasFatalFailure(); ++cut) {
    const auto changes = next_batch();
    const std::chrono::microseconds moment{static_cast<std::int64_t>(draw() * 2000)};
    auto cutting = std::async(std::launch::async, [&] {
      std::this_thread::sleep_for(moment);
      proxy_->cut_all();
    });
    commit(changes);
    cutting.get();
    commit(next_batch()); // the cut may have come behind the commit
  }
  expect_all_once();
  EXPECT_GT(made_, 0u);
}

TEST_F(PostgresCommits, whose_session_was_ended_are_made_once) {
  for (auto end = 0; (end < 10 || (not_made_ == 0 && !is_late())) && !HasFatalFailure(); ++end) {
    auto ending = std::async(std::launch::async, [&] {
      server_->query("select pg_terminate_backend(pid) from pg_locks "
                     "where locktype = 'advisory' and granted");
    });
    while (ending.wait_for(0s) != std::future_status::ready && !HasFatalFailure())
      commit(next_batch());
    commit(next_batch());
  }
  expect_all_once();
  EXPECT_GT(not_made_, 0u);
}

} // namespace backoff_actor::system_test
