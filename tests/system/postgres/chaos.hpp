#pragma once

#include "cluster/calendar.hpp"
#include "postgres/cluster_fixture.hpp"
#include "postgres/disk.hpp"
#include "postgres/producers.hpp"

#include <backoff_actor/core/unit_random.hpp>
#include <backoff_actor/testing/proxy/tcp_proxy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::system_test {

/// Everything that can happen to an owner, its connection and its server. What ends the connection
/// of an owner ends those of the producers, too.
enum class ChaosFault {
  kill,       ///< the owner gets SIGKILL, and is started again
  freeze,     ///< the owner gets SIGSTOP for longer than its lease, then SIGCONT
  terminate,  ///< the server ends the session that holds the lock
  cut,        ///< the owner's connections are reset, perhaps in the middle of a COMMIT
  cut_answer, ///< the owner's next connections are reset in the middle of an answer
  line_down,  ///< the owner's connections are reset, and new ones refused, for a while
  crash,      ///< the server is ended without a checkpoint, and started again
  full_disk,  ///< there is no room on the server's disk for a while
};

/// A fault's name, for people.
std::string to_string(ChaosFault fault);

/// Three workers, each behind a proxy of its own, three producers behind another one, and a server
/// on a small disk.
class PostgresChaosTest : public PostgresClusterTest {
protected:
  static constexpr std::size_t workers = 3;

  void make_chaos_cluster();

  /// Lets it run for a while without a fault. Then nothing was done twice, if the machine was fast
  /// enough for the first owner to stay one.
  void expect_nothing_twice_without_a_fault();

  /// Does it, and mends it. A frozen worker may stay so for a while: others mend it later.
  void cause(ChaosFault fault);

  /// The next fault of the seed.
  ChaosFault next_fault();

  /// Waits until somebody owns the outbox and works.
  void wait_until_well();

  /// Mends what is not mended yet.
  void mend_all();

  /// Ends the producers. Then the service is to do what they have committed, too.
  void stop_producers();

  /// Ends the calendar. Then the service is to do what the owners have made of it, too.
  void stop_calendar();

  /// Each time of the calendar was done as one message, and none before it came or while its entry
  /// was paused.
  void expect_each_time_once();

  /// What the producers have committed is done in order, and nothing of what was rolled back.
  void expect_what_was_committed();

  /// No session has changed anything after its epoch was over.
  void expect_no_stale_commit() const;

  void print_counts() const;

private:
  double draw() { return draws_(drawn_++); }
  std::chrono::microseconds draw_span(std::chrono::microseconds from, std::chrono::microseconds to);
  /// A plan that resets so many connections after a random number of bytes.
  testing::ConnectionPlan cuts(std::size_t connections, double from, double to);
  void pass(std::chrono::microseconds span);
  void go_on();
  void thaw_those_whose_time_it_is();
  std::size_t target();
  std::string behind(const testing::TcpProxy& proxy, const std::string& user) const;
  std::unique_ptr<testing::TcpProxy> make_proxy() const;
  void freeze(std::size_t worker);
  void crash_server();
  void fill_disk();

  const std::uint64_t seed_ = seed_of_test();
  static std::uint64_t seed_of_test();

  std::unique_ptr<SmallDisk> disk_; // none: not permitted
  std::vector<std::unique_ptr<testing::TcpProxy>> proxies_;
  std::unique_ptr<testing::TcpProxy> producers_proxy_;
  std::unique_ptr<Producers> producers_; // end before their proxy and the server
  std::unique_ptr<cluster::Calendar> calendar_;
  std::map<std::size_t, Micros> frozen_until_;
  std::map<ChaosFault, std::uint64_t> caused_;
  std::vector<Micros> takeovers_;
  const Draws draws_{seed_, 11};
  std::uint64_t drawn_ = 0;
};

} // namespace backoff_actor::system_test
