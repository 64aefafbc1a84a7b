#pragma once

// Design notes
//
// The store has a session that owns the outbox, or has lost it. A commit whose answer was lost is
// kept with its number. The next call connects, takes the lock again, and compares the number of
// the last commit that the server has:
//
//     one more than known      the lost commit was made
//     the one that is known    it was not made
//     a lower one              a replica that was behind is the primary now: the commits that it
//                              lacks are made again, from a short memory
//
// A lock that another session has, or an epoch that is over, ends the ownership for ever.
//
// The intake may be the first to reach such a replica. Rows that have become deliveries are there
// again. So it reads none before the store has made its commits again: at its next call, or at its
// next renewal.

#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/delivery/store_error.hpp"
#include "backoff_actor/store/postgres/internal/pg_changes.hpp"
#include "backoff_actor/store/postgres/internal/pg_session.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// What the store of an owner and its intake tell each other.
//
// @thread any
class PgBoard {
public:
  explicit PgBoard(const PgOutboxRow& row) : epoch_(row.epoch), commit_no_(row.commit_no) {}

  std::uint64_t epoch() const { return epoch_; }

  // The number of the last commit that is known to be made. A server that has a lower one has lost
  // commits.
  std::uint64_t commit_no() const { return commit_no_; }
  void set_commit_no(std::uint64_t commit_no) { commit_no_ = commit_no; }

  void tell(std::string notice) {
    const std::lock_guard lock{mutex_};
    notices_.push_back(std::move(notice));
  }

  std::vector<std::string> take_notices() {
    const std::lock_guard lock{mutex_};
    return std::exchange(notices_, {});
  }

private:
  const std::uint64_t epoch_;
  std::atomic<std::uint64_t> commit_no_;
  std::mutex mutex_;
  std::vector<std::string> notices_{};
};

// Reads the table `incoming` for the owner of an outbox, in a session of its own.
std::unique_ptr<Intake> open_pg_intake(std::shared_ptr<const PgWish> wish,
                                       std::shared_ptr<PgBoard> board);

// Writes to that table, in a session of its own.
std::unique_ptr<IncomingWriter> open_pg_writer(std::shared_ptr<const PgWish> wish);

class PostgresDeliveryStore final : public OwnedStore {
public:
  // @param session has claimed the outbox, and found `row`
  PostgresDeliveryStore(std::shared_ptr<const PgWish> wish, std::unique_ptr<PgSession> session,
                        PgOutboxRow row);

  std::string name() const override { return wish_->target.name; }
  void commit(std::span<const StoreChange> changes) override;
  void for_each_owed(const std::function<void(StoredDelivery)>& visit) override;
  void for_each_acknowledged_key(const std::function<void(AcknowledgedKey)>& visit) override;
  void for_each_dead_letter(const std::function<void(StoredDeadLetter)>& visit) override;
  void for_each_newest_dead_letter(std::uint64_t below, std::size_t at_most,
                                   const std::function<void(StoredDeadLetter)>& visit) override;
  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) override;
  DeadLetterTally count_dead_letters() override;
  std::uint64_t last_id() override { return row_.last_id; }
  std::string message_format() override { return row_.message_format; }
  void set_message_format(const std::string& format) override;
  std::size_t remove_dead_letters(std::span<const std::uint64_t> ids) override;
  std::size_t resubmit_dead_letters(std::span<const std::uint64_t> ids) override;
  StoreOwnership ownership() const override;
  void renew() override;
  std::unique_ptr<Intake> open_intake() override;
  std::unique_ptr<IncomingWriter> open_writer() override { return open_pg_writer(wish_); }
  std::vector<std::string> take_notices() override;
  bool is_untidy() const override { return has_keys_to_drop_; }
  void tidy_up() override;

private:
  // A commit whose answer was lost.
  struct Unanswered {
    PgCommit commit;
    bool is_of_caller; // who will bring the same changes once more
  };

  template <class F>
  auto call(const F& f) -> decltype(f());
  void reach();
  void reconnect();
  bool take_lock(PgSession& session);
  void settle(PgSession& session, const PgOutboxRow& found);
  void make_again(PgSession& session, std::uint64_t commit_no);
  void make(PgCommit commit, bool is_of_caller);
  void make_alone(const std::function<void(PgChanges&)>& fill);
  PgChanges new_changes() const;
  bool may_keep_answers();
  void keep(PgCommit& commit, const std::vector<PgRows>& rows);
  void set_row(PgOutboxRow row);
  void remember(PgCommit commit);
  std::unordered_map<std::uint64_t, bool> dead_among(std::span<const std::uint64_t> ids);
  [[noreturn]] void disown(const std::string& why);
  std::string who_owns(PgSession& session) const;

  std::shared_ptr<const PgWish> wish_;
  std::unique_ptr<PgSession> session_; // null: it is lost
  int pid_;                            // of the server, for the last session
  PgOutboxRow row_;                    // after the last commit that is known to be made
  std::optional<Unanswered> unanswered_{};
  bool was_made_ = false;     // the commit that the caller will bring once more
  bool may_have_keys_ = true; // whether an owed delivery may have an idempotency key
  bool may_have_answers_ = false;
  bool has_told_of_answers_ = false; // that the tables have no place for them
  bool has_keys_to_drop_;
  std::size_t ended_ = 0; // deliveries since the last look for the oldest
  std::optional<StoreError> disowned_{};
  std::deque<PgCommit> recent_{}; // the last commits, in order
  std::size_t recent_bytes_ = 0;
  std::vector<std::string> notices_{};
  const std::shared_ptr<PgBoard> board_;
};

} // namespace backoff_actor::detail
