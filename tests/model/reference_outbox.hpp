#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/internal/hand_over_id.hpp"
#include "backoff_actor/delivery/ordering.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// What is owed and whose turn it is, in the most obvious way: a map by number, which is searched
/// from its beginning for every answer.
class ReferenceOutbox {
public:
  using Number = std::uint64_t; // of a delivery, in order of submission

  enum class At { home, pausing, scheduled, child };

  struct Owed {
    std::uint64_t key = 0;
    bool stored = false;
    At at = At::home;
    Instant pauses_until;
    std::uint64_t place = 0;
    std::vector<HandOverId> hand_overs;
    bool is_ghost = false;
  };

  explicit ReferenceOutbox(Ordering ordering) : ordering_(ordering) {}

  void submit(Number number, std::uint64_t key, bool stored) {
    all_[number] = {
      .key = key, .stored = stored, .pauses_until = {}, .place = ++places_, .hand_overs = {}};
  }

  void store(Number number) { all_.at(number).stored = true; }

  void hand_over(Number number, HandOverId name) {
    auto& x = all_.at(number);
    x.at = At::child;
    x.hand_overs.push_back(name);
    with_child_.push_back(number);
  }

  void give_back(Number number) {
    all_.at(number).at = At::home;
    std::erase(with_child_, number);
  }

  void pause(Number number, Instant until) {
    give_back(number);
    all_.at(number).at = At::pausing;
    all_.at(number).pauses_until = until;
  }

  void schedule(Number number, Instant at) {
    all_.at(number).at = At::scheduled;
    all_.at(number).pauses_until = at;
  }

  void end_pauses(Instant now) {
    for (auto& [number, x] : all_)
      if (x.at == At::pausing && x.pauses_until <= now)
        x.at = At::home;
    std::vector<Number> due;
    for (const auto& [number, x] : all_)
      if (x.at == At::scheduled && x.pauses_until <= now)
        due.push_back(number);
    std::stable_sort(due.begin(), due.end(), [this](Number x, Number y) {
      return all_.at(x).pauses_until < all_.at(y).pauses_until;
    });
    for (const auto number : due) {
      auto& x = all_.at(number);
      x.at = At::home;
      if (ordering_ != Ordering::strict)
        x.place = ++places_;
    }
  }

  void end_all_pauses() {
    for (auto& [number, x] : all_)
      if (x.at == At::pausing)
        x.at = At::home;
  }

  /// The child goes on with it: it is the last that the child was heard of.
  void touch(Number number) {
    std::erase(with_child_, number);
    with_child_.push_back(number);
  }

  void make_ghost(Number number) { all_.at(number).is_ghost = true; }

  void end(Number number) {
    all_.erase(number);
    std::erase(with_child_, number);
  }

  /// Those that are owed, and the ghosts.
  const std::map<Number, Owed>& all() const { return all_; }

  /// In the order in which they were given to the child, or it was heard of them.
  const std::vector<Number>& with_child() const { return with_child_; }

  /// In order of their places, but for those that are put off.
  std::vector<Number> owed() const {
    std::vector<Number> result;
    for (const auto& [number, x] : all_)
      if (!x.is_ghost && !is_put_off(x))
        result.push_back(number);
    std::stable_sort(result.begin(), result.end(),
                     [this](Number x, Number y) { return all_.at(x).place < all_.at(y).place; });
    return result;
  }

  std::vector<Number> put_off() const {
    std::vector<Number> result;
    for (const auto& [number, x] : all_)
      if (is_put_off(x))
        result.push_back(number);
    std::stable_sort(result.begin(), result.end(), [this](Number x, Number y) {
      return all_.at(x).pauses_until < all_.at(y).pauses_until;
    });
    return result;
  }

  std::size_t size_scheduled() const {
    return static_cast<std::size_t>(std::count_if(
      all_.begin(), all_.end(), [](const auto& x) { return x.second.at == At::scheduled; }));
  }

  bool is_blocked(Number number) const {
    const auto& mine = all_.at(number);
    if (ordering_ != Ordering::per_key || mine.key == 0)
      return false;
    for (const auto& [other, x] : all_)
      if (x.key == mine.key && !is_put_off(x) && x.place < mine.place)
        return true;
    return false;
  }

  /// The oldest that is not away and not blocked, unless it is not stored yet.
  std::optional<Number> next() const {
    return oldest([](const Owed&) { return true; });
  }

  /// The same of those that no child had yet.
  std::optional<Number> next_fresh() const {
    return oldest([](const Owed& x) { return x.hand_overs.empty(); });
  }

  Instant next_pause_end() const {
    auto result = Instant::never();
    for (const auto& [number, x] : all_)
      if (x.at == At::pausing || x.at == At::scheduled)
        result = std::min(result, x.pauses_until);
    return result;
  }

  /// Only strict order keeps a place for what is scheduled.
  bool is_put_off(const Owed& x) const {
    return x.at == At::scheduled && ordering_ != Ordering::strict;
  }

private:
  template <class Predicate>
  std::optional<Number> oldest(Predicate counts) const {
    for (const auto& [number, x] : all_)
      if ((x.at == At::home || (x.at == At::scheduled && !is_put_off(x))) && counts(x)
          && !is_blocked(number))
        return x.stored && x.at == At::home ? std::optional{number} : std::nullopt;
    return std::nullopt;
  }

  Ordering ordering_;
  std::map<Number, Owed> all_{};
  std::uint64_t places_ = 0;
  std::vector<Number> with_child_{};
};

} // namespace backoff_actor::model_test
