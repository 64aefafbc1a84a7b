#pragma once

#include "backoff_actor/engine/sender/sender_engine_options.hpp"
#include "backoff_actor/engine/sender/sender_inputs.hpp"
#include "backoff_actor/observe/events.hpp"
#include "known.hpp"
#include "store_contract.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// What a driver of a sender knows from what went in and out of it: which children there are, what
/// they have, and which deliveries are owed.
class Ledger {
public:
  explicit Ledger(EngineOptions options) : store(options), options_(std::move(options)) {
    for (const auto& kind : options_.pool.kinds)
      most_.push_back(kind.workers.most);
  }

  std::map<std::uint32_t, KnownChild> children;
  std::map<std::uint64_t, KnownDelivery> deliveries;
  std::vector<HandOverId> hand_overs; // all that ever were
  std::set<std::uint64_t> unwritten;  // deliveries with a payload that is not stored
  std::set<std::uint64_t> gone;       // cancelled ones that have ended, which is not stored
  std::optional<Instant> wake_up;     // that is out
  StoreContract store;

  const KnownHandOver* meaning(HandOverId name) const {
    const auto found = meanings_.find(name);
    return found == meanings_.end() ? nullptr : &found->second;
  }

protected:
  using State = KnownChild::State;

  // -- what goes in ----------------------------------------------------------------------

  template <class T>
  void take(const T&) {} // nothing to know

  void take(const input::ChildStarted& x) {
    auto* child = known(x.incarnation);
    if (child == nullptr || child->state != State::starting)
      return;
    child->state = State::alive;
    if (child->is_stopped)
      came_too_late_ = x.incarnation;
  }
  void take(const input::StartFailed& x) {
    auto* child = known(x.incarnation);
    if (child != nullptr && child->state == State::starting)
      child->state = State::gone;
  }
  void take(const input::ChildDown& x) {
    if (auto* child = known(x.incarnation)) {
      judge(*child, x);
      child->state = State::gone;
      take_back(x.incarnation);
    }
  }
  void take(const input::Acknowledged& x) { answered(x.hand_over); }
  void take(const input::ErrorAnswer& x) {
    has_bounced_ |= x.is_bounce;
    answered(x.hand_over);
  }
  void take(const input::Nacked& x) { answered(x.hand_over); }
  void take(const input::Rejected& x) { answered(x.hand_over); }
  void take(const input::ChildAlive& x) {
    auto* child = known(x.incarnation);
    if (child != nullptr && child->probe == x.probe)
      child->probe.reset();
  }
  void take(const input::Cancel& x) {
    if (const auto found = in_slot_.find(x.slot);
        found != in_slot_.end() && found->second == x.delivery)
      cancelled_.insert(x.delivery);
  }
  void take(const input::CancelStored& x) {
    if (const auto known = deliveries.find(x.delivery);
        known != deliveries.end() && known->second.slot == x.slot)
      gone.erase(x.delivery);
  }
  void take(const input::Replaced& x) {
    if (unwritten.erase(x.delivery) == 1 && x.is_new) {
      store.forget_attempts(x.delivery);
      suspects_.erase(x.delivery);
    }
  }
  void take(const input::Restore& x) {
    if (x.own && x.own->is_cancelled)
      restored_for_its_end_ = x.delivery;
    restored_with_note_ = x.own && x.own->has_note ? x.delivery : 0;
  }
  void take(const input::Working& x) { said_note_ = x.note; }
  void take(const input::Start&) { has_begun_ = true; }
  void take(const input::Wake&) { wake_up.reset(); }
  void take(const input::GuardClosed&) {} // none has a guard
  void take(const input::RetryNow&) {
    not_before_.clear();
    service_not_before_.clear();
  }
  void take(const input::Pause&) { is_paused_ = true; }
  void take(const input::StoreBehind& x) { is_store_behind_ = x.is_behind; }
  void take(const input::SureUntil& x) { sure_until_ = x.until; }
  void take(const input::Resume&) { is_paused_ = false; }
  void take(const input::Drain& x) { tickets_[x.ticket] = 0; }
  void take(const input::Resize& x) {
    if (x.kind < most_.size())
      most_[x.kind] = x.workers.most;
  }
  void take(const input::Stop&) { is_closing_ = is_ending_ = true; }
  void take(const input::Kill&) { is_closing_ = is_ending_ = true; }
  void take(const input::Finish& x) {
    is_closing_ = true;
    finish_ends_ |= x.ends;
    is_finish_told_ = false;
  }

  // -- what is told ----------------------------------------------------------------------

  // The child may be given it again, but not before the time that it asked for.
  void take(const event::Refused& x) {
    auto& delivery = deliveries.at(x.delivery);
    delivery.in_flight_at = 0;
    suspects_.erase(x.delivery);
    handed_.erase({delivery.last_at, x.delivery});
    has_refused_.insert(children.at(delivery.last_at).is_fallback);
    const auto& reading = options_.retry_after;
    if (!x.retry_after || reading.rule == RetryAfterReading::Rule::ignore)
      return;
    const auto until = x.at + std::min(*x.retry_after, reading.bound);
    if (is_pool()) {
      auto& at = service_not_before_[children.at(delivery.last_at).kind];
      at = std::max(at, until);
    }
    const auto keep = [&](bool is_fallback) {
      auto& at = not_before_.try_emplace({x.delivery, is_fallback}, Instant{}).first->second;
      at = std::max(at, until);
    };
    const auto by_fallback = children.at(delivery.last_at).is_fallback;
    keep(by_fallback);
    // In strict order it is the child's delay that keeps it back, and the other child has its own.
    if (options_.ordering != Ordering::strict)
      keep(!by_fallback);
  }

  void take(const event::CameBack&) {
    has_refused_.erase(true);
    if (options_.ordering == Ordering::strict)
      std::erase_if(not_before_, [](const auto& x) { return x.first.second; });
  }

  void take(const event::ChildDown& x) {
    require(!counts_as_failure_ || x.is_failure == *counts_as_failure_,
            "only the second child that is lost with a delivery alone has failed");
  }

  void take(const event::SenderStopped&) { ends_ = true; }

  // -- what both mean --------------------------------------------------------------------

  KnownChild* known(std::uint32_t incarnation) {
    const auto found = children.find(incarnation);
    return found == children.end() ? nullptr : &found->second;
  }

  bool is_pool() const { return !options_.pool.kinds.empty(); }

  std::uint32_t max_in_flight_of(const KnownChild& x) const {
    return is_pool() ? options_.pool.kinds.at(x.kind).max_in_flight : options_.max_in_flight;
  }

  bool is_narrowed(const KnownChild& x) const {
    return options_.narrows_when_refused && options_.ordering == Ordering::strict
           && has_refused_.count(x.is_fallback) == 1;
  }

  bool is_with_a_child(const KnownDelivery& x) const {
    return x.in_flight_at != 0 && children.at(x.in_flight_at).is_there();
  }

  bool holds_cancelled(std::uint32_t incarnation) const {
    return std::any_of(deliveries.begin(), deliveries.end(), [&](const auto& entry) {
      const auto& [id, x] = entry;
      return x.is_owed && x.in_flight_at == incarnation && cancelled_.count(id) != 0;
    });
  }

  // Whether the end of the child is a failure, as far as it is known. What it had goes alone then.
  void judge(const KnownChild& child, const input::ChildDown& x) {
    if (x.end == input::ChildEnd::own || is_ending_)
      return;
    const auto only = child.has.size() == 1 ? meanings_.at(child.has.front()).delivery : 0;
    const auto there_are_no_others =
      options_.works_on == WorksOn::one && !options_.max_hand_overs && !has_bounced_;
    if (x.end == input::ChildEnd::withdrawn || child.state != State::alive || child.is_asked_to_end
        || holds_cancelled(x.incarnation) || child.has.size() > 1)
      counts_as_failure_ = false;
    else if (suspects_.count(only) == 1)
      counts_as_failure_ = true;
    else if (only != 0 && deliveries.at(only).is_owed && there_are_no_others)
      counts_as_failure_ = false;
    if (x.end == input::ChildEnd::lost)
      for (const auto name : child.has)
        if (const auto id = meanings_.at(name).delivery; deliveries.at(id).is_owed)
          suspects_.insert(id);
  }

  void answered(HandOverId name) {
    for (auto& [incarnation, child] : children)
      std::erase(child.has, name);
  }

  void take_back(std::uint32_t incarnation) {
    auto& child = children.at(incarnation);
    child.has.clear();
    child.probe.reset();
    for (auto& [id, delivery] : deliveries)
      if (delivery.in_flight_at == incarnation)
        delivery.in_flight_at = 0;
  }

  void end(std::uint32_t slot) {
    const auto id = in_slot_.at(slot);
    in_slot_.erase(slot);
    unwritten.erase(id);
    suspects_.erase(id);
    deliveries.at(id).is_owed = false;
    deliveries.at(id).in_flight_at = 0;
  }

  /// It was cancelled. What was restored for its end is known to be.
  void leave(std::uint64_t id) {
    if (options_.persist && id != restored_for_its_end_)
      gone.insert(id);
  }

  /// A process that dies would bring the cancelled one back after the other was begun. What was put
  /// off has no place in the order.
  bool overtakes_what_is_gone(std::uint64_t id) const {
    const auto& x = deliveries.at(id);
    return std::any_of(gone.begin(), gone.end(), [&](std::uint64_t other) {
      const auto& y = deliveries.at(other);
      const auto is_put_off = [](const KnownDelivery& z) {
        return z.not_before != Instant{Duration::min()};
      };
      if (options_.ordering == Ordering::strict)
        return other < id;
      return options_.ordering == Ordering::per_key && x.key != 0 && x.key == y.key && other < id
             && !is_put_off(x) && !is_put_off(y);
    });
  }

  bool has_child() const {
    return std::any_of(children.begin(), children.end(), [](const auto& entry) {
      return entry.second.is_there() || entry.second.state == State::leaving;
    });
  }

  bool may_have_no_worker() const {
    return is_pool() && std::ranges::all_of(most_, [](std::uint32_t most) { return most == 0; });
  }

  // Whether something that is out will move what is owed on.
  bool is_going_on() const {
    if (is_closing_ || is_paused_ || is_store_behind_ || now_ >= sure_until_ || in_slot_.empty()
        || wake_up || !has_begun_ || may_have_no_worker())
      return true;
    const auto is_awaited = std::any_of(children.begin(), children.end(), [](const auto& entry) {
      const auto& child = entry.second;
      return !child.is_stopped
             && (child.state == State::starting || child.state == State::leaving
                 || (child.is_there() && (!child.has.empty() || child.probe)));
    });
    return is_awaited || !store.awaited().empty() || !unwritten.empty() || !gone.empty();
  }

  EngineOptions options_;
  Instant now_;
  bool has_begun_ = false; // it was started, or given something to do
  bool is_paused_ = false;
  bool is_store_behind_ = false;
  Instant sure_until_ = Instant::never();
  std::vector<std::uint32_t> most_;            // workers, by kind
  std::set<std::uint64_t> suspects_;           // a child was lost that had not answered them
  std::optional<bool> counts_as_failure_;      // the end of the child, in this step
  bool has_bounced_ = false;                   // a delivery, and may be one of those, too
  std::set<std::uint64_t> cancelled_;          // deliveries
  std::uint64_t restored_for_its_end_ = 0;     // in this step, if it is taken in
  std::uint64_t restored_with_note_ = 0;       // the same
  std::string said_note_;                      // in this step
  std::map<std::uint64_t, std::string> notes_; // the last of each delivery
  std::set<std::uint64_t> charged_;            // with a hand-over, since a child may have it
  bool has_quit_ = false;
  bool is_closing_ = false; // it was told to finish or to end, or has given up
  bool is_ending_ = false;  // it was told to end, or has given up
  bool finish_ends_ = false;
  bool is_finish_told_ = false;
  bool ends_ = false; // in this step
  bool has_ended_ = false;
  std::uint32_t came_too_late_ = 0;
  std::map<std::uint32_t, std::uint64_t> in_slot_;
  std::map<std::uint32_t, int> tickets_;
  std::map<HandOverId, KnownHandOver> meanings_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> handed_;
  std::set<bool> has_refused_;                                   // the worker, the fallback
  std::map<std::pair<std::uint64_t, bool>, Instant> not_before_; // by delivery, for which child
  std::map<std::uint16_t, Instant> service_not_before_;          // by kind of worker, in a pool
};

} // namespace backoff_actor::model_test
