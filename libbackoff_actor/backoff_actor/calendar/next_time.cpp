#include "backoff_actor/calendar/internal/wall_seconds.hpp"
#include "backoff_actor/calendar/schedule.hpp"

#include <algorithm>
#include <numeric>

// The instants of a zone are periods with one offset each. In a period local times are instants,
// moved by the offset. So the next time is found period by period. Where in the local times of the
// period the schedule begins is decided by `Gap`, and where it ends by `Twice`.

namespace backoff_actor {

namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr local_seconds local(sys_seconds at, seconds offset) {
  return local_seconds{at.time_since_epoch()} + offset;
}

// Finds the first local time from one on. It looks only if what it found before does not answer.
class Finder {
public:
  explicit Finder(const detail::TimeFields& times) : times_(times) {}

  // Returns the greatest local time if there is none.
  local_seconds first_from(local_seconds from) {
    if (from < searched_from_ || from > found_) {
      searched_from_ = from;
      found_ = times_.first_from(from).value_or(local_seconds::max());
    }
    return found_;
  }

private:
  const detail::TimeFields& times_;
  local_seconds searched_from_ = local_seconds::max();
  local_seconds found_ = local_seconds::min();
};

} // namespace

std::optional<WallTime> Schedule::next_after(WallTime time) const {
  const auto after = detail::second_of(time);
  const auto found = is_local() ? next_local(after) : next_period(after);
  if (!found || *found > detail::last_second)
    return std::nullopt;
  return detail::wall_time_of(*found);
}

std::optional<sys_seconds> Schedule::next_period(sys_seconds after) const {
  const auto since = after.time_since_epoch() - offset_;
  const auto into = (since % period_ + period_) % period_;
  return after - into + period_;
}

std::optional<sys_seconds> Schedule::next_local(sys_seconds after) const {
  const auto& offsets = zone_.offsets();
  const auto earliest = after + seconds{1};
  Finder finder{times_};
  for (auto i = zone_.index_at(earliest); i < offsets.size(); ++i) {
    const auto offset = offsets[i].offset;
    const auto begin = std::max(offsets[i].at, earliest);
    const auto is_last = i + 1 == offsets.size();
    const auto end = is_last ? detail::last_second + seconds{1} : offsets[i + 1].at;
    auto first = local(begin, offset);
    auto past = local(end, offset);
    if (i > 0 && begin == offsets[i].at) {
      const auto before = local(begin, offsets[i - 1].offset); // what the clocks would show
      if (gap_ == Gap::run_after && before < first && finder.first_from(before) < first)
        return begin;
    }
    if (i > 0 && twice_ == Twice::first)
      first = std::max(first, local(offsets[i].at, offsets[i - 1].offset));
    if (!is_last && twice_ == Twice::second)
      past = std::min(past, local(end, offsets[i + 1].offset));
    if (const auto found = finder.first_from(first); found < past)
      return sys_seconds{found.time_since_epoch()} - offset;
  }
  return std::nullopt;
}

// The next time never decreases as one asks later. So the last one is found by halves.
std::optional<WallTime> Schedule::last_within(WallTime after, WallTime until) const {
  const auto next_until = [&](WallTime time) {
    const auto next = next_after(time);
    return next && *next <= until ? next : std::nullopt;
  };
  auto last = next_until(after);
  if (!last || !next_until(*last))
    return last;
  for (auto end = until; *last < end;) { // nothing is due later than `end`
    const WallTime middle{std::midpoint(last->since_epoch, end.since_epoch)};
    if (const auto next = next_until(middle))
      last = next;
    else
      end = middle;
  }
  return last;
}

} // namespace backoff_actor
