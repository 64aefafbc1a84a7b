#pragma once

#include "cluster/ledger.hpp"
#include "common/private_postgres.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace backoff_actor::system_test {

/// Makes the producers' role, and the table that stands for their own data. As superuser.
void make_shop(const example::PrivatePostgres& server);

/// Ends the sessions of all producers. As superuser.
void end_sessions_of_producers(const example::PrivatePostgres& server);

/// Programs that hand jobs over in transactions of their own, until they are told to stop. Each
/// transaction writes a row to the producers' own table, and one to five rows to `incoming`. One in
/// ten is rolled back.
///
/// Each is a thread with a session of its own. A session may end at any time: then the producer
/// connects again. If it got no answer to a COMMIT, its own table says whether it was made.
///
/// @thread the thread that made it
class Producers {
public:
  static constexpr std::size_t count = 3;

  /// Starts them.
  ///
  /// @param connection of a user with the role `backoff_producer`
  /// @param outbox is there already
  /// @param keys of the jobs: the key is the number of the job modulo this
  Producers(const std::string& connection, const std::string& outbox, std::uint64_t keys,
            std::uint64_t seed);
  Producers(const Producers&) = delete;
  Producers& operator=(const Producers&) = delete;
  /// Stops them.
  ~Producers();

  /// Waits until each has ended its transaction and knows what became of it.
  void stop();

  // -- after `stop` -------------------------------------------------------------------

  std::vector<cluster::Transaction> transactions() const;

  /// Why one of them gave up; empty: none did.
  std::string complaint() const;

  /// What happened to them, on one line.
  std::string summary() const;

private:
  // What one of them did.
  struct Ledger {
    std::vector<cluster::Transaction> transactions;
    std::uint64_t asked_for = 0;       // the rollbacks that it wanted
    std::uint64_t failed = 0;          // transactions that ended before their COMMIT
    std::uint64_t found_committed = 0; // by its own table, after a COMMIT without an answer
    std::uint64_t found_rolled_back = 0;
    std::string complaint;
  };

  class Producer;

  std::atomic<bool> is_over_ = false;
  std::vector<Ledger> ledgers_;
  std::vector<std::thread> threads_; // the last: they use the others
};

} // namespace backoff_actor::system_test
