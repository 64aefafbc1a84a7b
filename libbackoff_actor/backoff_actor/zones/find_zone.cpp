#include "backoff_actor/zones/find_zone.hpp"

#include "backoff_actor/calendar/internal/wall_seconds.hpp"
#include "backoff_actor/calendar/internal/zone_name.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"

#include <cctz/time_zone.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

using CctzTime = cctz::time_point<cctz::seconds>;

CctzTime cctz_time(sys_seconds at) { return CctzTime{cctz::seconds{at.time_since_epoch()}}; }

sys_seconds second_of(CctzTime at) { return sys_seconds{seconds{at.time_since_epoch()}}; }

// Reads all changes that a `WallTime` can name.
Zone read_zone(const std::string& name, const cctz::time_zone& zone) {
  const auto offset_at = [&](CctzTime at) { return seconds{zone.lookup(at).offset}; };
  auto at = cctz_time(detail::before_all);
  const auto first = offset_at(at);
  std::vector<OffsetChange> changes;
  cctz::time_zone::civil_transition change;
  while (zone.next_transition(at, &change)) {
    at = zone.lookup(change.to).trans;
    if (second_of(at) > detail::last_second)
      break;
    changes.push_back({second_of(at), offset_at(at)});
  }
  return {name, first, changes};
}

// -- what is wrong with a name ----------------------------------------------------------

std::filesystem::path folder_of_zones() {
  const auto* const named = std::getenv("TZDIR");
  return named != nullptr && *named != '\0' ? named : "/usr/share/zoneinfo";
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> result;
  std::error_code error;
  for (fs::recursive_directory_iterator i{folder, error}, end; !error && i != end;
       i.increment(error))
    if (auto name = i->path().lexically_relative(folder).generic_string();
        detail::is_zone_name(name) && i->is_regular_file(error))
      result.push_back(std::move(name));
  return result;
}

[[noreturn]] void refuse(const std::string& name) {
  const auto folder = folder_of_zones();
  const auto names = names_in(folder);
  const std::vector<std::string_view> views{names.begin(), names.end()};
  std::string allowed = "a zone such as Europe/Berlin, of those in ";
  allowed.append(folder.string());
  if (names.empty())
    allowed.append("; there are none: install tzdata");
  allowed.append(detail::did_you_mean(name, views));
  Problems problems;
  problems.add("zone", std::string{"'"}.append(name).append("'"), std::move(allowed));
  throw InvalidArgument{std::move(problems)};
}

} // namespace

Zone find_zone(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, Zone> known;
  if (name == "UTC")
    return {};
  const std::lock_guard lock{mutex};
  if (const auto found = known.find(name); found != known.end())
    return found->second;
  cctz::time_zone zone;
  // Of names that are none, cctz takes those of files.
  if (!detail::is_zone_name(name) || !cctz::load_time_zone(name, &zone))
    refuse(name);
  return known.emplace(name, read_zone(name, zone)).first->second;
}

Schedule parse_schedule(std::string_view text, const Zone& otherwise) {
  return parse_schedule(text, find_zone, otherwise);
}

} // namespace backoff_actor
