#include "fault_plan.hpp"

#include <algorithm>
#include <chrono>

namespace cluster {

using namespace std::chrono_literals;

namespace {

// Its draws are apart from those of the other faults, which so are the same with and without.
constexpr std::uint64_t first_draw_of_hands = std::uint64_t{1} << 32;

} // namespace

Fault FaultPlan::operator()(std::uint64_t n, std::size_t hands) const {
  const auto between = [&](std::uint64_t draw, backoff_actor::Duration from,
                           backoff_actor::Duration to) {
    const auto share = draws_(3 * n + draw);
    return from
           + backoff_actor::Duration{
             static_cast<std::int64_t>(share * static_cast<double>((to - from).count()))};
  };
  const auto is_freeze = n < 2 ? n == 1 : draws_(3 * n) < 0.4;
  Fault fault;
  fault.pause = between(1, 500ms, 1500ms);
  fault.kind = is_freeze ? Fault::Kind::freeze : Fault::Kind::kill;
  fault.lasts = is_freeze ? lease_ + between(2, 200ms, 1200ms) : between(2, 200ms, 600ms);
  if (const auto share = draws_(first_draw_of_hands + n); hands > 0 && share < 0.5)
    fault.hand = static_cast<std::size_t>(2 * share * static_cast<double>(hands));
  return fault;
}

std::optional<Micros> median_takeover(const std::vector<FaultRecord>& faults, Fault::Kind kind) {
  std::vector<Micros> times;
  for (const auto& fault : faults)
    if (fault.kind == kind && fault.owned)
      times.push_back(*fault.owned - fault.at);
  if (times.empty())
    return std::nullopt;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

} // namespace cluster
