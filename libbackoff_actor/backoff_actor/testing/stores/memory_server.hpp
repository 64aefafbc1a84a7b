#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/shared_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/testing/stores/memory_store.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// What becomes of a commit whose answer gets lost.
enum class LostCommit : std::uint8_t {
  made,     ///< the server makes it
  not_made, ///< the server never hears of it
};

/// A server for tests, with one outbox that several processes want. It keeps everything in memory,
/// and fails on request. The processes need not be real ones: each `store` stands for one.
///
///     VirtualTime time;
///     MemoryServer server{[&] { return time.now(); }};
///     SharedOutbox outbox;
///     outbox.store = server.store("node-a");
///
/// @thread any, several at the same time
class BACKOFF_ACTOR_EXPORT MemoryServer {
public:
  /// @param clock the server's clock, by which it counts the lease
  /// @param lease how long it lets an owner go on that says nothing
  /// @param name appears in the texts of errors
  explicit MemoryServer(std::function<Instant()> clock, Duration lease = std::chrono::seconds{5},
                        std::string name = "memory");
  /// The stores that it gave stay usable.
  ~MemoryServer();

  MemoryServer(const MemoryServer&) = delete;
  MemoryServer& operator=(const MemoryServer&) = delete;

  /// The outbox, as the process `node` sees it. A call of `own` with a time above 0 waits in real
  /// time, whatever the server's clock shows.
  std::shared_ptr<SharedStore> store(std::string node);

  // -- other programs -------------------------------------------------------------------

  /// Another program hands this message over, and commits. Returns the number of its row.
  ///
  /// @param message its `row` does not count; its `time_to_live` does from now on
  /// @param not_before when it may be taken, by the server's clock
  std::uint64_t hand_over(IncomingMessage message, Instant not_before = Instant{});

  /// The same for a transaction that has its row and is not committed yet: `commit_row` does that.
  std::uint64_t begin_row(IncomingMessage message);
  /// Commits it.
  void commit_row(std::uint64_t row);

  /// From now on an owner reads no row with more bytes.
  void limit_rows(std::size_t bytes);

  /// The rows that are there, in order.
  std::vector<std::uint64_t> incoming() const;

  /// How often the owner has looked for rows.
  std::size_t looks() const;

  // -- faults ---------------------------------------------------------------------------

  /// Ends the session of the owner, as an administrator does. The owner hears of it at its next
  /// call, which throws `unreachable`.
  void end_session();

  /// The connection of the owner breaks in its next call, which throws `unreachable`. The session
  /// ends. If that call is a commit, `what` becomes of it.
  void cut_next_call(LostCommit what);

  /// From now on the calls of this process throw `unreachable`, and the server hears nothing of
  /// them. Its session stays, until the lease is over.
  void cut_off(const std::string& node);
  /// Ends `cut_off`.
  void connect_again(const std::string& node);

  /// The server crashes: it ends all sessions, and every call throws `unreachable`. All that was
  /// committed stays.
  void crash();
  /// The server is there again, after a crash.
  void start_again();

  /// Forgets the last commits, as if a replica that is behind were the server now. It ends all
  /// sessions. An owner that comes back makes them again.
  void forget_last(std::size_t commits);

  /// Lets every commit fail from now on; without a `failure`, none fails any more. The server hears
  /// the owner all the same.
  void fail_commits(std::optional<StoreFailure> failure);

  /// Lets every new session fail from now on; without a `failure`, none fails any more.
  void fail_sessions(std::optional<StoreFailure> failure);

  /// Lets every look for rows fail from now on; without a `failure`, none fails any more.
  void fail_looks(std::optional<StoreFailure> failure);

  // -- what is there --------------------------------------------------------------------

  /// A commit that was made.
  struct Commit {
    std::string node{};      ///< the process that made it
    std::uint64_t epoch = 0; ///< the fencing token of that process
    std::size_t changes = 0; ///< how many there were in it
    Instant at{};            ///< when it was made, by the server's clock
  };

  /// The commits that were made, in order, without those that were forgotten.
  std::vector<Commit> commits() const;

  /// What the server keeps. A fault may replace it by another.
  std::shared_ptr<const MemoryStore> content() const;

  /// Who owns the outbox, or owned it last; none: nobody ever did.
  std::optional<StoreOwner> owner() const;

  /// How often a process has asked the server to renew its lease.
  std::size_t renewals() const;

private:
  struct State;
  class Owned;
  class Shared;
  class View;
  class Rows;
  class NewRows;

  static std::unique_ptr<Intake> open_rows(std::shared_ptr<State> state, std::string node);
  static std::unique_ptr<IncomingWriter> write_rows(std::shared_ptr<State> state, std::string node);

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
