#include "account.hpp"

#include <atomic>

namespace backoff_actor::soak {

std::uint64_t Account::submit(Way way) {
  static std::atomic<std::size_t> threads{0};
  thread_local const auto shard_index = threads++ % std::tuple_size_v<decltype(shards_)>;
  auto& shard = shards_[shard_index];
  const std::lock_guard lock{shard.mutex};
  const auto number = shard_index + shards_.size() * shard.next++;
  shard.open.emplace(number, Open{way});
  ++shard.totals.submitted;
  return number;
}

// `news` says whether it has ended now, by what it returns.
template <class News>
void Account::take(std::uint64_t number, News news) {
  auto& shard = shard_of(number);
  const std::lock_guard lock{shard.mutex};
  const auto found = shard.open.find(number);
  if (found == shard.open.end()) {
    ++shard.totals.ended_twice;
    return;
  }
  if (std::uint64_t* const kind = news(found->second, shard.totals)) {
    ++*kind;
    shard.open.erase(found);
  }
}

void Account::answered(std::uint64_t number) {
  take(number, [](const Open& open, Totals& totals) {
    totals.ended_twice += open.has_letter || open.has_failed ? 1 : 0;
    return &totals.answered;
  });
}

void Account::refused(std::uint64_t number) {
  take(number, [](const Open& open, Totals& totals) {
    totals.ended_twice += open.has_letter || open.has_failed ? 1 : 0;
    return &totals.refused;
  });
}

void Account::failed(std::uint64_t number) {
  take(number, [](Open& open, Totals& totals) {
    totals.ended_twice += open.has_failed ? 1 : 0;
    open.has_failed = true;
    return open.has_letter ? &totals.dead_lettered : nullptr;
  });
}

void Account::dead_lettered(std::uint64_t number) {
  take(number, [](Open& open, Totals& totals) {
    totals.ended_twice += open.has_letter ? 1 : 0;
    open.has_letter = true;
    return open.has_failed || open.way == Way::plain_send ? &totals.dead_lettered : nullptr;
  });
}

Account::Totals Account::totals() const {
  Totals result;
  for (const auto& shard : shards_) {
    const std::lock_guard lock{shard.mutex};
    result.submitted += shard.totals.submitted;
    result.answered += shard.totals.answered;
    result.refused += shard.totals.refused;
    result.dead_lettered += shard.totals.dead_lettered;
    result.ended_twice += shard.totals.ended_twice;
  }
  return result;
}

} // namespace backoff_actor::soak
