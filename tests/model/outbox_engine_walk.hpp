#pragma once

#include "backoff_actor/engine/outbox/outbox_engine.hpp"
#include "common/random_walk.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

using test::require;

/// The store of a walk: what it has, and what it must not be asked for.
class WalkedStore {
public:
  /// What becomes of a call, by the words of `DeliveryStore::commit`.
  enum class Mood {
    works,
    full,          // says so, and makes nothing
    too_large,     // of the batch, or of one change
    refuses,       // another failure, and makes nothing
    silent_made,   // makes it, and the answer is lost
    silent_unmade, // the call is lost
    disowned,
  };

  struct Delivery {
    std::uint32_t attempts = 0;
    std::uint32_t hand_overs = 0;
    std::uint32_t context = 0; // which one
    friend bool operator==(const Delivery&, const Delivery&) = default;
  };

  /// A change as a value that can be compared.
  struct Line {
    char kind;
    std::uint64_t id;
    std::uint32_t number = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };

  static Line line_of(const StoreChange& x) {
    if (const auto* const insertion = std::get_if<change::Insert>(&x))
      return {'i', insertion->delivery.id};
    if (const auto* const end = std::get_if<change::Acknowledge>(&x))
      return {end->is_dropped ? 'd' : 'a', end->delivery};
    if (const auto* const context = std::get_if<change::SetContext>(&x))
      return {'x', context->delivery, static_cast<std::uint32_t>(std::stoul(context->context))};
    if (const auto* const message = std::get_if<change::SetMessage>(&x))
      return {'m', message->delivery, static_cast<std::uint32_t>(message->message.bytes.size())};
    if (const auto* const attempts = std::get_if<change::CountAttempts>(&x))
      return {'c', attempts->delivery, attempts->attempts};
    if (const auto* const count = std::get_if<change::CountHandOvers>(&x))
      return {'h', count->delivery, count->hand_overs};
    const auto& burial = std::get<change::Bury>(x);
    return {'b', burial.delivery, burial.attempts};
  }

  /// @returns the failure; none: it is made, and the caller knows
  std::optional<StoreFailure> commit(const std::vector<Line>& lines, Mood mood) {
    if (open_)
      require(lines == *open_, "a commit without an answer comes again as it was, before others");
    if (is_open_made_ && (mood == Mood::full || mood == Mood::too_large))
      mood = Mood::works; // these would say that it is not made
    if (mood == Mood::too_large && lines.size() == 1 && lines[0].kind != 'i'
        && lines[0].kind != 'm')
      mood = Mood::full;
    switch (mood) {
    case Mood::full:
      return open_.reset(), StoreFailure::full;
    case Mood::too_large:
      return open_.reset(), StoreFailure::too_large;
    case Mood::disowned:
      return StoreFailure::disowned;
    case Mood::refuses:
      return StoreFailure::refused;
    case Mood::silent_unmade:
      open_ = lines;
      return StoreFailure::unreachable;
    case Mood::silent_made:
      make(lines);
      open_ = lines;
      is_open_made_ = true;
      return StoreFailure::unreachable;
    case Mood::works:
      break;
    }
    make(lines);
    open_.reset();
    is_open_made_ = false;
    return std::nullopt;
  }

  std::map<std::uint64_t, Delivery> owed;
  std::set<std::uint64_t> acknowledged;
  std::set<std::uint64_t> dropped;
  std::map<std::uint64_t, std::uint32_t> versions; // of messages that replaced others
  std::map<std::uint64_t, std::uint32_t> buried;   // with their failed attempts

private:
  void make(const std::vector<Line>& lines) {
    if (std::exchange(is_open_made_, false)) // once
      return;
    for (const auto& x : lines) {
      if (x.kind == 'i') {
        require(x.id > last_id_, "numbers rise");
        last_id_ = x.id;
        owed[x.id] = {};
        continue;
      }
      const auto found = owed.find(x.id);
      if (found == owed.end())
        continue; // it changes nothing
      if (x.kind == 'c')
        found->second.attempts = x.number;
      else if (x.kind == 'h')
        found->second.hand_overs = x.number;
      else if (x.kind == 'x')
        found->second.context = x.number;
      else if (x.kind == 'm')
        versions[x.id] = x.number;
      else if (x.kind == 'd')
        dropped.insert(x.id), owed.erase(found);
      else if (x.kind == 'a')
        acknowledged.insert(x.id), owed.erase(found);
      else
        buried[x.id] = x.number, owed.erase(found);
    }
  }

  std::optional<std::vector<Line>> open_; // whose outcome the caller does not know
  bool is_open_made_ = false;
  std::uint64_t last_id_ = 0;
};

} // namespace backoff_actor::model_test
