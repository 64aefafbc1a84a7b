#pragma once

#include "backoff_actor/core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// What a store has on its disk, and the changes that are on their way there, in order. What was
/// not committed when the process dies is lost; nothing else ever is. Of changes that failed last,
/// the next process may find that they were made all the same.
class SimulatedStore {
public:
  /// What a client has submitted, by a number that is nobody's but its own.
  using Message = std::uint64_t;

  struct Owed {
    Message message;
    Instant submitted_at; // wall-clock time, as the deadline
    Instant deadline;
    std::uint64_t key;
    std::uint32_t weight;
    std::uint32_t attempts;
    std::uint32_t hand_overs;
    Instant not_before; // wall-clock time
    bool is_cancelled;
    bool wants_letter;
    std::uint32_t version; // of the payload
    std::string note;      // empty: none
  };

  struct Insert {
    Owed owed;
  };
  struct CountAttempts {
    std::uint32_t attempts;
  };
  struct CountHandOvers {
    std::uint32_t hand_overs;
  };
  struct Cancel {
    bool wants_letter;
  };
  struct Replace {
    std::uint32_t version;
    std::uint32_t weight;
  };
  struct Note {
    std::string note;
  };
  struct End { // acknowledged, or a dead letter
    Message message;
    bool is_cancelled = false;
  };

  struct Change {
    std::uint64_t delivery;
    std::variant<Insert, CountAttempts, CountHandOvers, Cancel, Replace, Note, End> what;
  };

  /// Of which change it is known now whether it is made.
  struct Answer {
    std::uint64_t delivery;
    std::uint32_t version = 0;    // of the payload that was to be replaced; 0: the delivery itself
    bool is_of_cancelled = false; // what becomes of it
  };

  // -- on the disk -----------------------------------------------------------------------

  const std::map<std::uint64_t, Owed>& owed() const { return owed_; }

  /// The highest number that was ever stored.
  std::uint64_t last_number() const { return last_number_; }

  bool has_ended(Message message) const { return ended_.count(message) != 0; }

  bool knows(Message message) const { return has_ended(message) || owes(message); }

  bool owes(Message message) const {
    return std::any_of(owed_.begin(), owed_.end(),
                       [&](const auto& entry) { return entry.second.message == message; });
  }

  /// Whether it owes a delivery, or will once all that waits is committed.
  bool will_have(std::uint64_t delivery) const {
    return owed_.count(delivery) != 0
           || std::any_of(queue_.begin(), queue_.end(), [&](const Change& x) {
                return x.delivery == delivery && std::holds_alternative<Insert>(x.what);
              });
  }

  // -- on the way ------------------------------------------------------------------------

  void add(Change change) { queue_.push_back(std::move(change)); }

  std::size_t waiting() const { return queue_.size(); }

  /// Makes the first changes. Returns the deliveries and payloads that are stored now.
  std::vector<Answer> commit(std::size_t count) {
    std::vector<Answer> result;
    if (count > 0)
      doubtful_.clear();
    for (; count > 0; --count) {
      const auto [delivery, what] = queue_.front();
      queue_.pop_front();
      const auto* end = std::get_if<End>(&what);
      if (std::holds_alternative<Cancel>(what) || (end != nullptr && end->is_cancelled))
        result.push_back({delivery, 0, true});
      if (const auto* x = std::get_if<Insert>(&what)) {
        owed_.emplace(delivery, x->owed);
        last_number_ = std::max(last_number_, delivery);
        result.push_back({delivery});
      } else if (const auto found = owed_.find(delivery); found == owed_.end()) {
        continue; // it could not be stored
      } else if (const auto* y = std::get_if<CountAttempts>(&what)) {
        found->second.attempts = y->attempts;
      } else if (const auto* z = std::get_if<CountHandOvers>(&what)) {
        found->second.hand_overs = z->hand_overs;
      } else if (const auto* u = std::get_if<Cancel>(&what)) {
        found->second.is_cancelled = true;
        found->second.wants_letter = u->wants_letter;
      } else if (const auto* v = std::get_if<Replace>(&what)) {
        found->second.version = v->version;
        found->second.weight = v->weight;
        found->second.attempts = found->second.hand_overs = 0;
        result.push_back({delivery, v->version});
      } else if (const auto* w = std::get_if<Note>(&what)) {
        found->second.note = w->note;
      } else {
        ended_.insert(found->second.message);
        owed_.erase(found);
      }
    }
    return result;
  }

  /// The first changes could not be made: of these, no delivery and no payload is stored, and the
  /// others are tried again. Returns those that are not stored.
  std::vector<Answer> fail(std::size_t count) {
    std::vector<Answer> result;
    std::deque<Change> rest;
    doubtful_.assign(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < queue_.size(); ++i)
      if (i < count && std::holds_alternative<Insert>(queue_[i].what))
        result.push_back({queue_[i].delivery});
      else if (const auto* x = std::get_if<Replace>(&queue_[i].what); x != nullptr && i < count)
        result.push_back({queue_[i].delivery, x->version});
      else
        rest.push_back(queue_[i]);
    queue_ = std::move(rest);
    return result;
  }

  /// The process is about to die, and what failed last was made all the same. Returns whether there
  /// is anything of the kind.
  bool make_what_failed() {
    const auto count = doubtful_.size();
    queue_.insert(queue_.begin(), doubtful_.begin(), doubtful_.end());
    commit(count);
    return count > 0;
  }

  /// The process dies. Returns the messages whose end is not known to the store for that.
  std::vector<Message> lose_what_waits() {
    std::vector<Message> result;
    for (const auto& change : queue_)
      if (const auto* x = std::get_if<End>(&change.what))
        result.push_back(x->message);
    queue_.clear();
    doubtful_.clear();
    return result;
  }

private:
  std::map<std::uint64_t, Owed> owed_;
  std::set<Message> ended_;
  std::uint64_t last_number_ = 0;
  std::deque<Change> queue_;
  std::deque<Change> doubtful_; // the changes that failed, if nothing was committed since
};

} // namespace backoff_actor::model_test
