#pragma once

// Inside of the server for tests; not for its users.

#include "backoff_actor/testing/stores/memory_server.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace backoff_actor::testing {

struct MemoryServer::State {
  struct Session {
    std::string node;
    Instant heard;
  };

  struct LoggedCommit {
    Commit commit;
    std::vector<StoreChange> changes;
  };

  // What another program has handed over. It stays here, even when its row is gone.
  struct Row {
    IncomingMessage message;
    Instant at;
    Instant not_before;
    bool is_committed;
  };

  State(std::function<Instant()> its_clock, Duration its_lease, std::string its_name)
    : clock(std::move(its_clock)), lease(its_lease), name(std::move(its_name)) {}

  [[noreturn]] void fail(StoreFailure failure, std::string_view why) const {
    throw StoreError(failure, std::string{name}.append(": ").append(why));
  }

  void require_server_for(const std::string& node) const {
    if (!is_up || cut_off.contains(node))
      fail(StoreFailure::unreachable, "the server does not answer");
  }

  // The server's time. Ends the session of an owner that has said nothing for the lease.
  Instant look_at_clock() {
    const auto now = clock();
    if (session && now - session->heard >= lease)
      end_session();
    return now;
  }

  void end_session() {
    session = nullptr;
    changed.notify_all();
  }

  void apply(const std::string& node, Instant now, std::span<const StoreChange> given) {
    std::vector<StoreChange> changes(given.begin(), given.end());
    for (auto& x : changes)
      if (auto* const insertion = std::get_if<change::Insert>(&x); insertion != nullptr)
        fill_in(*insertion);
    content->commit(changes);
    note_rows(changes);
    log.push_back({{node, epoch, changes.size(), now},
                   std::vector<StoreChange>(changes.begin(), changes.end())});
  }

  void fill_in(change::Insert& x) const {
    if (!x.is_left_in_row)
      return;
    const auto& message = rows.at(x.incoming - 1).message;
    x.delivery.key = message.key;
    x.delivery.idempotency_key = message.idempotency_key;
    x.delivery.context = message.context;
    x.delivery.message = {message.type, message.payload};
  }

  void note_rows(std::span<const StoreChange> changes) {
    for (const auto& x : changes)
      if (const auto* const insertion = std::get_if<change::Insert>(&x))
        gone.insert(insertion->incoming);
      else if (const auto* const drop = std::get_if<change::DropIncoming>(&x))
        drop_rows(*drop);
      else if (const auto* const message = std::get_if<change::SetMessage>(&x))
        set_rows(*message);
  }

  void set_rows(const change::SetMessage& x) {
    if (x.incoming == 0)
      return;
    gone.insert(x.incoming);
    const auto& by = rows[x.incoming - 1].message;
    for (std::size_t row = 1; row < x.incoming && !by.idempotency_key.empty(); ++row)
      if (auto& message = rows[row - 1].message; message.idempotency_key == by.idempotency_key) {
        message.type = by.type;
        message.payload = by.payload;
      }
  }

  void drop_rows(const change::DropIncoming& x) {
    gone.insert(x.incoming);
    for (std::size_t row = 1; row < x.incoming && !x.cancelled_key.empty(); ++row)
      if (rows[row - 1].message.idempotency_key == x.cancelled_key)
        gone.insert(row);
  }

  std::uint64_t add_row(IncomingMessage message, Instant not_before, bool is_committed) {
    const auto row = rows.size() + 1;
    message.row = row;
    rows.push_back({std::move(message), clock(), not_before, is_committed});
    return row;
  }

  FoundMessage find_message(const std::string& idempotency_key, std::uint64_t delivery) const {
    auto result = content->find_message(idempotency_key, delivery);
    if (idempotency_key.empty() || result.state == MessageState::owed
        || result.state == MessageState::done)
      return result;
    for (const auto& x : rows)
      if (x.message.idempotency_key == idempotency_key && x.is_committed
          && !gone.contains(x.message.row) && x.message.type != "backoff.cancel")
        return {MessageState::waiting,
                0,
                {x.at.since_origin.count()},
                0,
                x.not_before == Instant{}
                  ? std::nullopt
                  : std::optional{WallTime{x.not_before.since_origin.count()}}};
    return result;
  }

  std::optional<StoreOwner> owner() const {
    if (epoch == 0)
      return std::nullopt;
    return StoreOwner{last_node, epoch, {since.since_origin.count()}, session != nullptr};
  }

  const std::function<Instant()> clock;
  const Duration lease;
  const std::string name;
  std::mutex mutex;
  std::condition_variable changed; // there is no owner any more
  std::shared_ptr<MemoryStore> content = std::make_shared<MemoryStore>(name);
  std::shared_ptr<Session> session; // of the owner
  std::uint64_t epoch = 0;
  std::string last_node;
  Instant since{};
  bool is_up = true;
  std::set<std::string> cut_off;
  std::optional<LostCommit> cut;
  std::optional<StoreFailure> commit_failure;
  std::optional<StoreFailure> session_failure;
  std::optional<StoreFailure> look_failure;
  std::vector<LoggedCommit> log; // all that was committed, by all owners
  std::vector<Row> rows;         // by number, from 1
  std::set<std::uint64_t> gone;  // rows that commits have deleted
  std::size_t looks = 0;
  std::size_t row_limit = ~std::size_t{0}; // bytes
  std::atomic<std::size_t> renewals = 0;
};

} // namespace backoff_actor::testing
