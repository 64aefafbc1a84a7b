#include "backoff_actor/calendar/internal/calendar_book.hpp"

#include "backoff_actor/core/text/internal/context_line.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace backoff_actor::detail {

namespace {

constexpr std::string_view line_of_schedule = "repeat: ";
constexpr std::string_view line_of_missed = "missed: ";
constexpr std::string_view line_of_grace = "grace: ";
constexpr std::string_view line_of_decided = "decided_until: ";
constexpr std::string_view line_of_life = "time_to_live: ";
constexpr std::string_view line_of_pause = "paused: ";

// In nanoseconds.
std::int64_t number_in(std::string_view context, std::string_view name) {
  const auto text = value_in(context, name);
  std::int64_t result = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result);
  if (read.ec != std::errc{} || read.ptr != end)
    throw std::invalid_argument(
      std::string{name}.append("got '").append(text).append("', allowed a number of nanoseconds"));
  return result;
}

void add_line(std::string& context, std::string_view name, std::string_view value) {
  context.append(context.empty() ? "" : "\n").append(name).append(value);
}

// Whether what was decided about the times of an entry holds for another one in its place.
bool goes_on_as(const CalendarBook::Entry& entry, const KeptEntry& other) {
  return entry.kept.row.schedule == other.row.schedule && entry.kept.is_paused == other.is_paused;
}

WallTime later(WallTime at, Duration span) {
  return {(Instant{Duration{at.since_epoch}} + span).since_origin.count()};
}

} // namespace

// -- the context of an entry -----------------------------------------------------------------

std::string context_of(const KeptEntry& entry) {
  std::string result;
  const auto& row = entry.row;
  add_line(result, line_of_schedule, row.schedule);
  add_line(result, line_of_missed, row.missed);
  add_line(result, line_of_grace, std::to_string(row.grace.count()));
  add_line(result, line_of_decided, std::to_string(row.decided_until.since_epoch));
  if (entry.time_to_live)
    add_line(result, line_of_life, std::to_string(entry.time_to_live->count()));
  if (entry.is_paused)
    add_line(result, line_of_pause, "yes");
  return result;
}

std::optional<KeptEntry> entry_in(std::string_view context) {
  const auto schedule = value_in(context, line_of_schedule);
  if (schedule.empty())
    return std::nullopt;
  KeptEntry result;
  result.row.schedule = schedule;
  result.row.missed = value_in(context, line_of_missed);
  result.row.grace = Duration{number_in(context, line_of_grace)};
  result.row.decided_until.since_epoch = number_in(context, line_of_decided);
  if (!value_in(context, line_of_life).empty())
    result.time_to_live = Duration{number_in(context, line_of_life)};
  result.is_paused = !value_in(context, line_of_pause).empty();
  return result;
}

std::optional<std::string> name_in_key(std::string_view idempotency_key) {
  static const auto prefix = entry_key("");
  if (!idempotency_key.starts_with(prefix))
    return std::nullopt;
  return std::string{idempotency_key.substr(prefix.size())};
}

ZoneFinder with_utc(ZoneFinder find_zone) {
  return [find_zone = std::move(find_zone)](const std::string& name) {
    if (name == Zone{}.name())
      return Zone{};
    if (find_zone)
      return find_zone(name);
    Problems problems;
    problems.add("zone", name, "UTC, for the sender has no RareSenderOptions::find_zone");
    throw InvalidArgument(std::move(problems));
  };
}

// -- the entries -------------------------------------------------------------------------------

CalendarBook::CalendarBook(ZoneFinder find_zone) : find_zone_(with_utc(std::move(find_zone))) {}

const CalendarBook::Entry* CalendarBook::find(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

bool CalendarBook::has(const KeptEntry& entry) const {
  const auto* const found = find(entry.row.name);
  if (!found || !found->problem.empty())
    return false;
  auto same = found->kept;
  same.row.decided_until = entry.row.decided_until;
  return same == entry;
}

KeptEntry CalendarBook::as_put(KeptEntry entry, WallTime now) const {
  const auto* const found = find(entry.row.name);
  const auto decided_until = found ? std::max(now, found->kept.row.decided_until) : now;
  entry.row.decided_until =
    found && goes_on_as(*found, entry) ? found->kept.row.decided_until : decided_until;
  return entry;
}

std::optional<WallTime> CalendarBook::next_of(const KeptEntry& entry) const {
  if (entry.is_paused)
    return std::nullopt;
  return calendar_step(entry.row, find_zone_, entry.row.decided_until, 1).next;
}

CalendarChange CalendarBook::put(KeptEntry entry, std::uint64_t delivery, WallTime now) {
  const auto name = entry.row.name;
  const auto is_same = has(entry);
  entry = as_put(std::move(entry), now);
  const auto [it, is_new] = entries_.try_emplace(name);
  auto& to = it->second;
  if (is_new || !goes_on_as(to, entry))
    to.open = 0;
  to.kept = std::move(entry);
  to.delivery = delivery;
  if (to.open == 0)
    look_ahead(name, to);
  return is_new    ? CalendarChange::added
         : is_same ? CalendarChange::unchanged
                   : CalendarChange::changed;
}

const CalendarBook::Entry& CalendarBook::restore(KeptEntry entry, std::uint64_t delivery) {
  const auto name = entry.row.name;
  auto& to = entries_[name];
  auto& decided_until = entry.row.decided_until;
  if (goes_on_as(to, entry))
    decided_until = std::max(decided_until, to.kept.row.decided_until);
  to.kept = std::move(entry);
  to.delivery = delivery;
  look_ahead(name, to);
  return to;
}

const CalendarBook::Entry& CalendarBook::restore(const std::string& name, std::uint64_t delivery,
                                                 std::string problem) {
  auto& to = entries_[name];
  to.kept.row.name = name;
  to.delivery = delivery;
  to.problem = std::move(problem);
  set_look(name, to, std::nullopt);
  return to;
}

void CalendarBook::remove(const std::string& name) {
  const auto found = entries_.find(name);
  if (found == entries_.end())
    return;
  set_look(name, found->second, std::nullopt);
  entries_.erase(found);
}

// -- what is due -----------------------------------------------------------------------------

void CalendarBook::set_look(const std::string& name, Entry& entry, std::optional<WallTime> at) {
  if (entry.look_at)
    looks_.erase({*entry.look_at, name});
  entry.look_at = at;
  if (at)
    looks_.emplace(*at, name);
}

// Looks for its next time, behind what was decided.
void CalendarBook::look_ahead(const std::string& name, Entry& entry) {
  const auto& row = entry.kept.row;
  auto step = calendar_step(row, find_zone_, row.decided_until, 1);
  entry.problem = std::move(step.problem);
  entry.next = entry.kept.is_paused ? std::nullopt : step.next;
  set_look(name, entry, entry.next);
}

std::optional<WallTime> CalendarBook::next_look() const {
  return looks_.empty() ? std::nullopt : std::optional{looks_.begin()->first};
}

std::optional<CalendarBook::Due> CalendarBook::begin(WallTime now) {
  while (!looks_.empty() && looks_.begin()->first <= now) {
    const auto name = looks_.begin()->second;
    auto& entry = entries_.at(name);
    set_look(name, entry, std::nullopt);
    auto& row = entry.kept.row;
    entry.step = calendar_step(row, find_zone_, now, most_runs);
    if (!entry.step.problem.empty()) { // it was read before
      entry.problem = entry.step.problem;
      entry.next.reset();
      continue;
    }
    entry.open = entry.step.run.size();
    entry.done = entry.open;
    if (entry.open > 0)
      return Due{name, entry.step.run};
    const auto is_decided =
      std::exchange(row.decided_until, entry.step.decided_until) != entry.step.decided_until;
    entry.next = entry.step.next;
    set_look(name, entry, entry.next);
    if (is_decided)
      return Due{name, {}};
  }
  return std::nullopt;
}

const CalendarBook::Entry* CalendarBook::settle(const std::string& name, WallTime run, bool is_done,
                                                WallTime now) {
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.open == 0)
    return nullptr;
  auto& entry = found->second;
  const auto& runs = entry.step.run;
  const auto place = std::lower_bound(runs.begin(), runs.end(), run);
  if (place == runs.end() || *place != run)
    return nullptr; // of what the entry was before
  if (!is_done)
    entry.done = std::min(entry.done, static_cast<std::size_t>(place - runs.begin()));
  if (--entry.open > 0)
    return nullptr;
  auto& decided_until = entry.kept.row.decided_until;
  const auto before = decided_until;
  if (entry.done == runs.size()) {
    decided_until = entry.step.decided_until;
    entry.next = entry.step.next;
    set_look(name, entry, entry.next);
  } else {
    if (entry.done > 0)
      decided_until = runs[entry.done - 1];
    entry.next = runs[entry.done];
    set_look(name, entry, later(now, pause));
  }
  return decided_until != before ? &entry : nullptr;
}

} // namespace backoff_actor::detail

namespace backoff_actor {

std::optional<KeptCalendarEntry> kept_calendar_entry(std::string_view idempotency_key,
                                                     std::string_view context) {
  const auto name = detail::name_in_key(idempotency_key);
  if (!name)
    return std::nullopt;
  KeptCalendarEntry result;
  result.name = *name;
  try {
    const auto entry = detail::entry_in(context);
    if (!entry)
      return std::nullopt;
    result.schedule = entry->row.schedule;
    result.missed = entry->row.missed;
    result.grace = entry->row.grace;
    result.is_paused = entry->is_paused;
    result.decided_until = entry->row.decided_until;
  } catch (const std::invalid_argument& exception) {
    result.problem = exception.what();
  }
  return result;
}

} // namespace backoff_actor
