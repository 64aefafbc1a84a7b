#include "backoff_actor/calendar/zone.hpp"

#include "backoff_actor/calendar/internal/wall_seconds.hpp"
#include "backoff_actor/calendar/internal/zone_name.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/problems.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;
using std::chrono::seconds;

constexpr seconds most_offset = 26h;
constexpr std::size_t longest_zone_name = 64;

Problems check(const std::string& name, seconds first, const std::vector<OffsetChange>& changes) {
  Problems problems;
  if (!detail::is_zone_name(name))
    problems.add("name", "'" + name + "'",
                 "a capital letter, then letters, digits and /_+-, 64 at most");
  detail::check_span(problems, "first", first, -most_offset, most_offset);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto field = "changes[" + std::to_string(i) + "]";
    detail::check_span(problems, field + ".offset", changes[i].offset, -most_offset, most_offset);
    if (i > 0 && changes[i].at < changes[i - 1].at + 24h)
      problems.add(field + ".at", "less than a day after the change before", "a day or more");
  }
  return problems;
}

} // namespace

namespace detail {

bool is_zone_name(std::string_view name) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !name.empty() && name.size() <= longest_zone_name && is_capital(name.front())
         && std::all_of(name.begin(), name.end(), is_in_zone_name);
}

} // namespace detail

Zone::Zone() {
  static const auto utc =
    std::make_shared<const Read>(Read{"UTC", {{detail::before_all, seconds{0}}}});
  read_ = utc;
}

Zone::Zone(std::string name, seconds first, const std::vector<OffsetChange>& changes) {
  check(name, first, changes).raise_if_any();
  auto read = std::make_shared<Read>(Read{std::move(name), {{detail::before_all, first}}});
  for (const auto& change : changes)
    if (change.at <= detail::before_all)
      read->offsets.front().offset = change.offset;
    else if (change.offset != read->offsets.back().offset)
      read->offsets.push_back(change);
  read->offsets.shrink_to_fit();
  read_ = std::move(read);
}

std::size_t Zone::index_at(std::chrono::sys_seconds at) const {
  const auto& offsets = read_->offsets;
  const auto after =
    std::upper_bound(offsets.begin() + 1, offsets.end(), at,
                     [](auto second, const OffsetChange& x) { return second < x.at; });
  return static_cast<std::size_t>(std::distance(offsets.begin(), after)) - 1;
}

seconds Zone::offset_at(WallTime at) const {
  return read_->offsets[index_at(detail::second_of(at))].offset;
}

std::chrono::local_seconds Zone::local_time(WallTime at) const {
  const auto second = detail::second_of(at);
  return std::chrono::local_seconds{second.time_since_epoch()} + offset_at(at);
}

std::vector<WallTime> Zone::instants_of(std::chrono::local_seconds local) const {
  const std::chrono::sys_seconds as_utc{local.time_since_epoch()};
  const auto& offsets = read_->offsets;
  std::vector<WallTime> result;
  // An offset that shows this local time is in force within the greatest offset of it.
  for (auto i = index_at(as_utc - most_offset); i < offsets.size(); ++i) {
    if (offsets[i].at > as_utc + most_offset)
      break;
    const auto at = as_utc - offsets[i].offset;
    const auto is_in_force =
      at >= offsets[i].at && (i + 1 == offsets.size() || at < offsets[i + 1].at);
    if (is_in_force && at > detail::before_all + 2 * most_offset && at <= detail::last_second)
      result.push_back(detail::wall_time_of(at));
  }
  return result;
}

bool operator==(const Zone& a, const Zone& b) {
  return a.read_ == b.read_
         || (a.read_->name == b.read_->name && a.read_->offsets == b.read_->offsets);
}

} // namespace backoff_actor
