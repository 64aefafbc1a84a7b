#include "backoff_actor/engine/outbox/unwritten_changes.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor {

namespace {

// Whether it may be dropped if it cannot be written.
bool is_refusable(const StoreChange& x) {
  return std::holds_alternative<change::Insert>(x) || std::holds_alternative<change::SetMessage>(x);
}

// Of rows there is a limit elsewhere: the intake holds no more.
bool is_of_no_row(const StoreChange& x) {
  const auto* const insertion = std::get_if<change::Insert>(&x);
  return insertion != nullptr && insertion->incoming == 0;
}

// The number of the delivery that the change ends, although it may not be stored yet; 0: it ends
// none so. An acknowledged one was stored, or its sender has told nobody so.
std::uint64_t ended_by(const StoreChange& change) {
  if (const auto* const burial = std::get_if<change::Bury>(&change))
    return burial->delivery;
  const auto* const end = std::get_if<change::Acknowledge>(&change);
  return end != nullptr && end->is_dropped ? end->delivery : 0;
}

bool can_wait(const StoreChange& x) {
  const auto* const context = std::get_if<change::SetContext>(&x);
  return context != nullptr && !context->is_awaited;
}

std::size_t count_owed(std::span<const StoreChange> changes) {
  return static_cast<std::size_t>(
    std::count_if(changes.begin(), changes.end(), [](const auto& x) { return !is_refusable(x); }));
}

} // namespace

bool UnwrittenChanges::can_all_wait(std::span<const StoreChange> changes) {
  return std::all_of(changes.begin(), changes.end(), can_wait);
}

bool UnwrittenChanges::can_all_wait() const {
  return std::all_of(failed_.begin(), failed_.end(), can_wait)
         && std::all_of(waiting_.begin(), waiting_.end(), can_wait);
}

void UnwrittenChanges::put(StoreChange change, bool is_failing) {
  if (const auto ended = ended_by(change))
    ended_.insert(ended);
  if (const auto* const count = std::get_if<change::CountAttempts>(&change); count && is_failing) {
    if (const auto found = counts_.find(count->delivery); found != counts_.end()) {
      *found->second = *count;
      return;
    }
  }
  if (auto* const context = std::get_if<change::SetContext>(&change)) {
    if (const auto found = contexts_.find(context->delivery); found != contexts_.end()) {
      context->is_awaited |= found->second->is_awaited;
      *found->second = std::move(*context);
      return;
    }
  }
  refusable_ += is_refusable(change) ? 1U : 0U;
  waiting_.push_back(std::move(change));
  note_count(waiting_.back());
}

std::vector<StoreChange> UnwrittenChanges::take(std::size_t most) {
  std::vector<StoreChange> result;
  result.reserve(std::min(most, size()));
  for (; result.size() < most && !failed_.empty(); failed_.pop_front()) {
    letters_ -= is_of_no_row(failed_.front()) ? 1U : 0U;
    leave(failed_.front());
    result.push_back(std::move(failed_.front()));
  }
  for (; result.size() < most && !waiting_.empty(); waiting_.pop_front()) {
    refusable_ -= is_refusable(waiting_.front()) ? 1U : 0U;
    leave(waiting_.front());
    result.push_back(std::move(waiting_.front()));
  }
  taken_ += count_owed(result);
  return result;
}

void UnwrittenChanges::forget(std::span<const StoreChange> changes) {
  taken_ -= count_owed(changes);
  for (const auto& x : changes)
    if (const auto ended = ended_by(x))
      ended_.erase(ended);
    else if (const auto* const insertion = std::get_if<change::Insert>(&x))
      left_.erase(insertion->delivery.id);
}

void UnwrittenChanges::keep_row_of(const StoreChange& change) {
  if (const auto* const insertion = std::get_if<change::Insert>(&change);
      insertion != nullptr && insertion->incoming != 0)
    left_.insert(insertion->delivery.id);
}

void UnwrittenChanges::keep_rows() {
  for (const auto* const changes : {&failed_, &waiting_})
    for (const auto& x : *changes)
      keep_row_of(x);
}

UnwrittenChanges::Refused UnwrittenChanges::keep(std::vector<StoreChange>& changes) {
  taken_ -= count_owed(changes);
  Refused result;
  auto& last_id = result.last_id;
  std::vector<StoreChange> kept;
  std::unordered_map<std::uint64_t, std::size_t> counts; // indices in `kept`
  const auto keep_one = [&](StoreChange& x) {
    if (const auto* const insertion = std::get_if<change::Insert>(&x)) {
      last_id = insertion->delivery.id;
      if (ended_.count(last_id) == 0 && left_.count(last_id) == 0)
        return;
      if (insertion->incoming == 0 && letters_ >= max_batch_) {
        ended_.erase(last_id); // later changes of this delivery have no effect
        return;
      }
      letters_ += insertion->incoming == 0 ? 1U : 0U;
    } else if (auto* const message = std::get_if<change::SetMessage>(&x)) {
      if (ended_.count(message->delivery) == 0) {
        result.messages.push_back(std::move(*message));
        return;
      }
    } else if (const auto ended = ended_by(x)) {
      if (ended_.count(ended) == 0) {
        result.cancelled.push_back(ended); // if it was: nothing of it is left
        return;
      }
    } else if (const auto* const count = std::get_if<change::CountAttempts>(&x)) {
      if (counts_.count(count->delivery) != 0)
        return; // there is a later one
      const auto [last, is_new] = counts.try_emplace(count->delivery, kept.size());
      if (!is_new) {
        kept[last->second] = std::move(x);
        return;
      }
    } else if (const auto* const context = std::get_if<change::SetContext>(&x)) {
      if (const auto later = contexts_.find(context->delivery); later != contexts_.end()) {
        later->second->is_awaited |= context->is_awaited;
        return;
      }
    }
    kept.push_back(std::move(x));
  };
  for (auto& x : changes)
    keep_one(x);
  const auto tried = kept.size();
  for (std::size_t i = 0; i < max_batch_ && !waiting_.empty(); ++i, waiting_.pop_front()) {
    refusable_ -= is_refusable(waiting_.front()) ? 1U : 0U;
    leave(waiting_.front());
    keep_one(waiting_.front());
  }
  // The commit's changes come before the older failed ones; the waiting ones come after them.
  for (auto i = tried; i-- > 0;) {
    failed_.push_front(std::move(kept[i]));
    note_count(failed_.front());
  }
  for (auto i = tried; i < kept.size(); ++i) {
    failed_.push_back(std::move(kept[i]));
    note_count(failed_.back());
  }
  return result;
}

// Elements of a deque stay where they are while others come and go at its ends.
void UnwrittenChanges::note_count(StoreChange& change) {
  if (auto* const count = std::get_if<change::CountAttempts>(&change))
    counts_[count->delivery] = count;
  else if (auto* const context = std::get_if<change::SetContext>(&change))
    contexts_[context->delivery] = context;
}

// Call this before the change leaves its place.
void UnwrittenChanges::leave(const StoreChange& change) {
  if (const auto* const context = std::get_if<change::SetContext>(&change)) {
    contexts_.erase(context->delivery);
    return;
  }
  const auto* const count = std::get_if<change::CountAttempts>(&change);
  if (count == nullptr)
    return;
  if (const auto found = counts_.find(count->delivery);
      found != counts_.end() && found->second == count)
    counts_.erase(found);
}

} // namespace backoff_actor
