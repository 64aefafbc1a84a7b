#pragma once

#include "backoff_actor/engine/outbox/owner_lease.hpp"
#include "backoff_actor/testing/stores/memory_server.hpp"
#include "common/random_walk.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

using test::require;

/// What clients and workers know, beside all processes.
struct OwnerAccount {
  std::uint64_t submitted = 0;
  std::set<std::uint64_t> confirmed; // messages whose clients were told that they are safe
  std::set<std::uint64_t> refused;   // whose clients were told that they are not
  std::set<std::uint64_t> lost;      // whose clients died, or were told that nobody knows
  std::set<std::uint64_t> done;      // that a worker has done
};

/// A process that wants the outbox: what it does is what the write queue and the sender do, with a
/// clock of its own that need not run at the true speed.
class OwnerProcess {
public:
  static constexpr Duration lease = std::chrono::seconds{5};

  OwnerProcess(std::string node, int percent, testing::MemoryServer& server, OwnerAccount& account)
    : node_(std::move(node)), percent_(percent), server_(server), account_(account),
      shared_(server_.store(node_)) {}

  const std::string& node() const { return node_; }
  bool owns() const { return store_ != nullptr; }
  bool is_frozen() const { return is_frozen_; }
  bool has_begun_a_call() const { return call_.has_value(); }
  std::uint64_t epoch() const { return epoch_; }
  bool has_work() const { return !owed_.empty() || !pending_.empty() || !unanswered_.empty(); }

  void freeze(bool is_frozen) { is_frozen_ = is_frozen; }

  // Others have ended its session, before its lease was over: it cannot know of it yet.
  void note_early_end() {
    has_early_end_ = true;
    if (call_ && call_->outcome)
      call_->is_after_early_end = false;
  }

  // -- what it does -----------------------------------------------------------------------

  // The process dies, and another begins on the same machine.
  void die() {
    for (const auto& [id, x] : owed_)
      if (account_.confirmed.count(x.message) == 0)
        account_.lost.insert(x.message);
    forget_all();
    shared_ = server_.store(node_);
    is_frozen_ = false;
  }

  void submit() {
    const auto message = ++account_.submitted;
    if (!owns())
      return void(account_.refused.insert(message));
    StoredDelivery delivery;
    delivery.id = ++last_id_;
    delivery.message.types = std::to_string(message);
    owed_[delivery.id] = {message};
    pending_.emplace_back(change::Insert{delivery});
  }

  // Begins a call of the server, if there is a reason to.
  void begin_call(Instant now) {
    if (is_frozen_ || call_)
      return;
    if (!owns())
      return own();
    Call call;
    if (!unanswered_.empty())
      call.changes = std::exchange(unanswered_, {});
    else if (!pending_.empty())
      call.changes = std::exchange(pending_, {});
    else if (local(now) < lease_.renew_at())
      return;
    lease_.begin(local(now));
    call_ = std::move(call);
  }

  // The server gets the call.
  void reach_server() {
    if (!call_ || call_->outcome)
      return;
    call_->is_after_early_end = has_early_end_;
    try {
      if (call_->changes.empty())
        store_->renew();
      else
        store_->commit(call_->changes);
      call_->outcome = Outcome{};
    } catch (const StoreError& error) {
      call_->outcome = Outcome{error.failure()};
    }
  }

  // The call does not get to the server, which notices nothing.
  void lose_call() {
    server_.cut_off(node_);
    reach_server();
    server_.connect_again(node_);
  }

  // The process hears what became of its call.
  void hear_answer() {
    if (is_frozen_ || !call_ || !call_->outcome)
      return;
    auto call = std::move(*call_);
    call_.reset();
    if (call.is_after_early_end)
      has_early_end_ = false;
    const auto failure = call.outcome->failure;
    if (!failure)
      return succeed(call.changes);
    if (*failure == StoreFailure::disowned)
      return lose();
    if (*failure == StoreFailure::full)
      return refuse(call.changes);
    lease_.doubt();
    unanswered_ = std::move(call.changes);
  }

  // Gives the oldest delivery that waits to the worker.
  void hand_over(Instant now) {
    if (is_frozen_ || !owns() || local(now) >= lease_.sure_until())
      return;
    const auto next = std::find_if(owed_.begin(), owed_.end(), [](const auto& entry) {
      return entry.second.is_stored && !entry.second.is_with_worker;
    });
    if (next == owed_.end())
      return;
    const auto owner = server_.owner();
    require(has_early_end_ || owner->epoch == epoch_,
            "nobody hands over while another process owns the outbox");
    next->second.is_with_worker = true;
  }

  // The worker has done the oldest that it has.
  void acknowledge() {
    if (is_frozen_)
      return;
    const auto held = std::find_if(owed_.begin(), owed_.end(),
                                   [](const auto& entry) { return entry.second.is_with_worker; });
    if (held == owed_.end())
      return;
    account_.done.insert(held->second.message);
    pending_.emplace_back(change::Acknowledge{held->first, {}});
    owed_.erase(held);
  }

private:
  struct Owed {
    std::uint64_t message;
    bool is_stored = false;
    bool is_with_worker = false;
  };

  struct Outcome {
    std::optional<StoreFailure> failure{};
  };

  struct Call {
    std::vector<StoreChange> changes{}; // empty: a renewal
    std::optional<Outcome> outcome{};
    bool is_after_early_end = false; // what comes back shows that the session has ended
  };

  Instant local(Instant now) const { return Instant{now.since_origin / 100 * percent_}; }

  void own() {
    try {
      auto store = shared_->own(Duration::zero());
      if (!store)
        return;
      store->for_each_owed([&](const StoredDelivery& x) {
        owed_[x.id] = {std::stoull(x.message.types), true};
      });
      last_id_ = store->last_id();
      epoch_ = store->ownership().epoch;
      lease_ = OwnerLease{store->ownership().lease};
      store_ = std::move(store);
    } catch (const StoreError&) {
      owed_.clear(); // the server is away
    }
  }

  void succeed(const std::vector<StoreChange>& changes) {
    lease_.answered();
    for (const auto& x : changes)
      if (const auto* const insertion = std::get_if<change::Insert>(&x)) {
        auto& owed = owed_.at(insertion->delivery.id);
        owed.is_stored = true;
        account_.confirmed.insert(owed.message);
      }
  }

  // Clients get what they submitted back; all other changes come before those that wait.
  void refuse(std::vector<StoreChange>& changes) {
    std::vector<StoreChange> kept;
    for (auto& x : changes)
      if (const auto* const insertion = std::get_if<change::Insert>(&x)) {
        account_.refused.insert(owed_.at(insertion->delivery.id).message);
        owed_.erase(insertion->delivery.id);
      } else {
        kept.push_back(std::move(x));
      }
    pending_.insert(pending_.begin(), std::make_move_iterator(kept.begin()),
                    std::make_move_iterator(kept.end()));
  }

  void lose() {
    lease_.lose();
    for (const auto& [id, x] : owed_)
      if (account_.confirmed.count(x.message) == 0)
        account_.lost.insert(x.message);
    forget_all();
  }

  void forget_all() {
    call_.reset();
    owed_.clear();
    pending_.clear();
    unanswered_.clear();
    lease_ = {};
    has_early_end_ = false;
    store_ = nullptr;
  }

  std::string node_;
  int percent_; // of the true speed
  testing::MemoryServer& server_;
  OwnerAccount& account_;
  std::shared_ptr<SharedStore> shared_;
  std::shared_ptr<OwnedStore> store_; // none: it stands by
  std::uint64_t epoch_ = 0;
  OwnerLease lease_;
  std::optional<Call> call_;
  std::map<std::uint64_t, Owed> owed_;
  std::vector<StoreChange> pending_;
  std::vector<StoreChange> unanswered_;
  std::uint64_t last_id_ = 0;
  bool has_early_end_ = false;
  bool is_frozen_ = false;
};

} // namespace backoff_actor::model_test
