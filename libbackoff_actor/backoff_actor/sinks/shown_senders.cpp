#include "backoff_actor/sinks/internal/shown_senders.hpp"

#include <algorithm>
#include <utility>

namespace backoff_actor::detail {

namespace {

bool owes_more(const ObservedSender* a, const ObservedSender* b) {
  if (a->glance.owed != b->glance.owed)
    return a->glance.owed > b->glance.owed;
  return a->name.kind != b->name.kind ? a->name.kind < b->name.kind
                                      : a->name.number < b->name.number;
}

bool owes_for_longer(const ObservedSender* a, const ObservedSender* b) {
  const auto [since, others] = std::pair{a->glance.oldest_since, b->glance.oldest_since};
  return since != others ? since < others : owes_more(a, b);
}

} // namespace

// Sorts pointers, because senders are large.
std::size_t keep_shown(std::vector<ObservedSender>& senders, std::size_t at_most) {
  std::vector<ObservedSender*> order;
  order.reserve(senders.size());
  for (auto& sender : senders)
    order.push_back(&sender);
  const auto most = std::min(at_most, order.size());
  const auto at = [&](std::size_t place) {
    return order.begin() + static_cast<std::ptrdiff_t>(place);
  };
  const auto largest = most == order.size() ? most : most - most / 5;
  std::ranges::partial_sort(order, at(largest), owes_more);
  std::partial_sort(at(largest), at(most), order.end(), owes_for_longer);
  std::sort(at(largest), at(most), owes_more);
  std::vector<ObservedSender> result;
  result.reserve(most);
  for (std::size_t i = 0; i != most; ++i)
    result.push_back(std::move(*order[i]));
  senders.swap(result);
  return order.size() - most;
}

} // namespace backoff_actor::detail
