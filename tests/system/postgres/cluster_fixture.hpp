#pragma once

#include "cluster/cluster.hpp"
#include "common/patience.hpp"
#include "common/private_postgres.hpp"
#include "common/temporary_folder.hpp"

#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::system_test {

using namespace std::chrono_literals;

using cluster::Micros;

/// Renders a span of microseconds for people.
inline std::string milliseconds(Micros span) { return std::to_string((span + 500) / 1000) + " ms"; }

/// Worker processes that share an outbox on a private server.
class PostgresClusterTest : public ::testing::Test {
protected:
  static constexpr auto patience = test::patience;

  void SetUp() override {
    if (!example::PrivatePostgres::is_installed())
      GTEST_SKIP() << "PostgreSQL is not installed";
  }

  /// Starts the server, makes the schema, and a cluster without workers.
  ///
  /// @param work how long each of the four children of a sender takes for a job
  /// @param has_lives whether some jobs wait for a time, are cancelled, or take several steps
  void make_cluster(example::PrivatePostgresOptions options = {}, std::uint64_t rate = 300,
                    Duration work = 8ms, bool has_lives = false) {
    server_.emplace(std::move(options));
    migrate_postgres(server_->socket_connection());
    cluster_.emplace(folder_.path(), BACKOFF_ACTOR_CLUSTER_WORKER,
                     cluster::WorkerOptions{.connection = server_->connection(),
                                            .outbox = "jobs",
                                            .rate = rate,
                                            .lease = lease_,
                                            .work = work,
                                            .has_lives = has_lives});
  }

  /// Adds a worker and starts it.
  std::size_t start(std::string connection = {}) {
    const auto worker = cluster_->add(std::move(connection));
    cluster_->start(worker);
    return worker;
  }

  /// Waits until this worker owns the outbox.
  void wait_until_owned_by(std::size_t worker) {
    ASSERT_TRUE(cluster_->wait(patience, [&] { return cluster_->owner() == worker; }))
      << complaints();
  }

  /// The workers of `start_two`.
  static constexpr std::size_t first = 0;
  static constexpr std::size_t second = 1;

  /// Starts one that owns the outbox, and another that stands by while the first works.
  void start_two() {
    ASSERT_EQ(start(), first);
    wait_until_owned_by(first);
    ASSERT_EQ(start(), second);
    wait_for_note(second, "up", 0);
    wait_for_calls(100);
  }

  /// Waits until another worker than `old` owns the outbox, and returns how long after `at`.
  Micros taken_over_after(Micros at, std::size_t old) {
    EXPECT_TRUE(
      cluster_->wait(patience, [&] { return cluster_->owned_after(at, old).has_value(); }))
      << complaints();
    const auto result =
      cluster_->owned_after(at, old).value_or(std::numeric_limits<Micros>::max()) - at;
    std::cout << "takeover " << milliseconds(result) << '\n';
    return result;
  }

  /// Waits until the service was called so often from now on.
  void wait_for_calls(std::size_t count) {
    const auto end = cluster_->service().count() + count;
    ASSERT_TRUE(cluster_->wait(patience, [&] { return cluster_->service().count() >= end; }))
      << complaints();
  }

  /// Waits until a worker has told this from a point in time on.
  void wait_for_note(std::size_t worker, const std::string& word, Micros from) {
    ASSERT_TRUE(cluster_->wait(patience, [&] { return has_note(worker, word, from); }))
      << "no " << word << " of " << cluster::Cluster::node(worker) << complaints();
  }

  bool has_note(std::size_t worker, const std::string& word, Micros from) const {
    return std::any_of(cluster_->notes().begin(), cluster_->notes().end(), [&](const auto& note) {
      return note.at >= from && note.word == word && note.node == cluster::Cluster::node(worker);
    });
  }

  /// The calls of a worker from a point in time on.
  std::vector<cluster::Call> calls_of(std::size_t worker, Micros from) {
    auto calls = cluster_->service().calls();
    std::erase_if(calls, [&](const auto& call) {
      return call.at < from || call.node != cluster::Cluster::node(worker);
    });
    return calls;
  }

  /// Lets the clients submit nothing more, waits until all is done, and ends the workers in order.
  /// Then nothing is lost, no key is out of order, nothing of a stale owner is accepted, and
  /// nothing is owed. Nothing was done early, or when it was said that it is cancelled. No job got
  /// the note of another one, or an older one than an earlier owner had stored.
  cluster::Verdict finish() {
    for (std::size_t worker = 0; worker < cluster_->size(); ++worker)
      cluster_->quiet(worker);
    EXPECT_TRUE(cluster_->wait_until_done(patience)) << complaints();
    const auto owner = cluster_->owner();
    for (std::size_t worker = 0; worker < cluster_->size(); ++worker)
      if (worker != owner)
        stop_if_it_runs(worker);
    if (owner)
      stop_if_it_runs(*owner);
    const auto verdict = cluster_->verdict();
    const auto lives =
      cluster_->life_verdict(records_ ? records_->notes() : std::vector<cluster::StoredNote>{});
    std::cout << to_string(verdict) << '\n' << to_string(lives) << '\n';
    EXPECT_EQ(lives.early, 0u);
    EXPECT_EQ(lives.done_when_gone, 0u);
    EXPECT_EQ(lives.notes_behind_stored, 0u);
    EXPECT_EQ(lives.notes_of_others, 0u);
    EXPECT_GT(verdict.confirmed, 0u);
    EXPECT_EQ(verdict.lost, 0u) << complaints();
    EXPECT_EQ(verdict.out_of_order, 0u);
    EXPECT_EQ(verdict.stale_accepted, 0u);
    EXPECT_EQ(verdict.renumbered, 0u);
    return verdict;
  }

  /// Ends a worker in order.
  void stop_if_it_runs(std::size_t worker) {
    if (cluster_->runs(worker)) {
      EXPECT_TRUE(cluster_->stop(worker, patience)) << cluster::Cluster::node(worker);
    }
  }

  /// How many deliveries the outbox owes.
  static std::uint64_t owed(const std::string& connection) {
    const auto outboxes = postgres_outboxes(connection);
    return outboxes.empty() ? 0 : outboxes.front().owed;
  }

  /// What the workers have told, the last of it.
  std::string complaints() const {
    std::string result = "\nnotes:\n";
    const auto& notes = cluster_->notes();
    for (auto i = notes.size() - std::min<std::size_t>(notes.size(), 25); i < notes.size(); ++i)
      result += std::to_string(notes[i].at / 1000) + " ms " + notes[i].node + ' ' + notes[i].word
                + ' ' + notes[i].text + '\n';
    return result + "now " + std::to_string(cluster::now() / 1000) + " ms\n";
  }

  const example::TemporaryFolder folder_{"backoff_actor-cluster"};
  Duration lease_ = 1s;
  std::optional<example::PrivatePostgres> server_;
  std::optional<cluster::Records> records_; // none: what is stored is not compared
  std::optional<cluster::Cluster> cluster_; // ends before the server
};

} // namespace backoff_actor::system_test
