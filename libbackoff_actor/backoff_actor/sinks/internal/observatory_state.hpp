#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"
#include "backoff_actor/sinks/observatory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// Something that says again and again that it is alive.
class Heartbeat {
public:
  void beat(Instant now) { last_.store(now.since_origin.count(), std::memory_order_relaxed); }
  Instant last() const { return {Duration{last_.load(std::memory_order_relaxed)}}; }

private:
  std::atomic<std::int64_t> last_{0};
};

// The kinds of one sort, by name. The state's lock protects it.
template <class OneKind>
class KindBook {
public:
  // The kind of that name. Once there are as many as there may be, a new name gets the kind
  // `other`.
  std::shared_ptr<OneKind> of(const std::string& name, std::size_t most) {
    auto found = kinds_.find(name);
    if (found == kinds_.end()) {
      const auto is_full = kinds_.size() >= most;
      left_out_ += is_full ? 1 : 0;
      found = kinds_.try_emplace(is_full ? "other" : name).first;
      if (!found->second)
        found->second = std::make_shared<OneKind>();
    }
    return found->second;
  }

  const std::map<std::string, std::shared_ptr<OneKind>>& all() const { return kinds_; }

  // How many asked for a kind and got `other`.
  std::uint64_t left_out() const { return left_out_; }

private:
  std::map<std::string, std::shared_ptr<OneKind>> kinds_;
  std::uint64_t left_out_ = 0;
};

// What an observatory sees. All members may be called from any thread.
class BACKOFF_ACTOR_EXPORT ObservatoryState {
public:
  explicit ObservatoryState(const ObservatoryOptions& options) : options_(options) {}

  std::shared_ptr<SenderKind> senders(const std::string& name);
  std::shared_ptr<Kind<SupervisorWords>> supervisors(const std::string& name);
  std::shared_ptr<Kind<GuardWords>> guards(const std::string& name);
  std::shared_ptr<Kind<OutboxWords>> outboxes(const std::string& name);
  std::shared_ptr<Kind<OwnershipWords>> ownerships(const std::string& name);

  // Who supervises whom.
  const std::shared_ptr<FamilyBook>& families() const { return families_; }

  // The sender of that name, for an operator; null: there is none.
  std::shared_ptr<Operable> operable(const ActorName& sender) const;

  // Lets operators close a guard. It is not kept alive.
  void add_closable_guard(const std::string& name, std::weak_ptr<ClosableGuard> guard);
  std::vector<std::shared_ptr<ClosableGuard>> closable_guards(const std::string& name) const;

  // Senders keep dead letters for operators from now on.
  void keep_letters() { keeps_letters_.store(true, std::memory_order_relaxed); }
  bool keeps_letters() const { return keeps_letters_.load(std::memory_order_relaxed); }

  // A heartbeat that counts for the liveness as long as the caller keeps it.
  std::shared_ptr<Heartbeat> add_heartbeat(Instant now);

  // Some lines of a log were left out.
  void note_lines_left_out(std::uint64_t count) {
    lines_left_out_.fetch_add(count, std::memory_order_relaxed);
  }

  // For the metric `backoff_build_info`.
  void set_caf_version(std::string version);

  std::vector<MetricFamily> metrics(Instant now) const;
  ObservedStatus status(std::size_t at_most, Instant now) const;

  // Shows each sender, in no order. Whoever is shown one may take from it. No sender of its kind
  // comes or goes meanwhile.
  void for_each_sender(const std::function<void(ObservedSender&)>& show) const;
  // The status without the senders.
  ObservedStatus status_of_others(std::size_t at_most, Instant now) const;

  ProbeAnswer liveness(Instant now) const;
  ProbeAnswer readiness(Instant now) const;

private:
  // What may be read without the lock: kinds are never removed.
  struct Kinds {
    std::vector<std::pair<std::string, std::shared_ptr<SenderKind>>> senders;
    std::vector<std::pair<std::string, std::shared_ptr<Kind<SupervisorWords>>>> supervisors;
    std::vector<std::pair<std::string, std::shared_ptr<Kind<GuardWords>>>> guards;
    std::vector<std::pair<std::string, std::shared_ptr<Kind<OutboxWords>>>> outboxes;
    std::vector<std::pair<std::string, std::shared_ptr<Kind<OwnershipWords>>>> ownerships;
    std::uint64_t senders_left_out = 0;
    std::uint64_t others_left_out = 0;
    std::string caf_version;
  };

  Kinds kinds() const;
  static std::vector<ObservedGuard> guards(const Kinds& all, Instant now);
  Instant last_turn() const;

  const ObservatoryOptions options_;
  const std::shared_ptr<FamilyBook> families_ = std::make_shared<FamilyBook>();
  mutable std::mutex mutex_;
  KindBook<SenderKind> senders_;
  KindBook<Kind<SupervisorWords>> supervisors_;
  KindBook<Kind<GuardWords>> guards_;
  KindBook<Kind<OutboxWords>> outboxes_;
  KindBook<Kind<OwnershipWords>> ownerships_;
  std::vector<std::weak_ptr<Heartbeat>> heartbeats_;
  std::string caf_version_;
  std::atomic<std::uint64_t> lines_left_out_{0};
  std::multimap<std::string, std::weak_ptr<ClosableGuard>> closable_guards_;
  std::atomic<bool> keeps_letters_{false};
};

} // namespace backoff_actor::detail
