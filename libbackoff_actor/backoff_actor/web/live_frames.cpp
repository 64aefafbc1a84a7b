#include "backoff_actor/web/internal/live_frames.hpp"

#include "backoff_actor/core/internal/one_line.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

namespace backoff_actor::web {

namespace {

using namespace std::chrono_literals;

void add_number(std::string& json, std::uint64_t number) {
  char text[24];
  json.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Milliseconds on the time line; 0: never, or before it begins.
std::uint64_t moment(Instant at) {
  if (at == Instant::never() || at.since_origin < Duration::zero())
    return 0;
  return static_cast<std::uint64_t>(
    std::chrono::floor<std::chrono::milliseconds>(at.since_origin).count());
}

// Milliseconds since 1970; 0: there is none, or it was before.
std::uint64_t oldest_of(const DeadLetterTally& letters) {
  if (letters.count == 0 || letters.oldest.since_epoch < 0)
    return 0;
  return static_cast<std::uint64_t>(letters.oldest.since_epoch / 1'000'000);
}

std::uint64_t flags_of(const ObservedSender& x) {
  const auto& glance = x.glance;
  return (glance.is_paused ? 1U : 0U) | (glance.is_held_back ? 2U : 0U)
         | (glance.is_on_fallback ? 4U : 0U) | (glance.is_store_behind ? 8U : 0U)
         | (x.has_outbox ? 16U : 0U) | (glance.is_service_down ? 32U : 0U);
}

// A number of a row: what the page calls it, and where it comes from.
struct LiveNumber {
  const char* name;
  std::uint64_t (*of)(const ObservedSender& x);
};

constexpr LiveNumber live_numbers[] = {
  {"phase", [](const auto& x) { return static_cast<std::uint64_t>(x.glance.phase); }},
  {"flags", flags_of},
  {"owed", [](const auto& x) { return x.glance.owed; }},
  {"inFlight", [](const auto& x) { return x.glance.in_flight; }},
  {"oldest", [](const auto& x) { return moment(x.glance.oldest_since); }},
  {"due", [](const auto& x) { return moment(x.glance.due); }},
  {"acknowledged", [](const auto& x) { return x.glance.counters.acknowledged; }},
  {"failures",
   [](const auto& x) {
     const auto& counters = x.glance.counters;
     return counters.crashes + counters.failed_starts + counters.hangs + counters.nacks;
   }},
  {"dead", [](const auto& x) { return x.glance.counters.dead_lettered; }},
  {"restarts", [](const auto& x) { return x.glance.restarts; }},
  {"turn", [](const auto& x) { return moment(x.glance.silent_since); }},
  {"supervisor", [](const auto& x) { return x.supervisor.number; }},
  {"letters", [](const auto& x) { return x.dead_letters.count; }},
  {"lettersSince", [](const auto& x) { return oldest_of(x.dead_letters); }},
  {"downSince",
   [](const auto& x) { return x.glance.is_service_down ? moment(x.glance.failing_since) : 0; }},
  {"scheduled", [](const auto& x) { return x.glance.scheduled; }},
  {"withNote", [](const auto& x) { return x.glance.with_note; }},
  {"entries", [](const auto& x) { return x.glance.calendar_entries; }},
  {"entryDue", [](const auto& x) { return moment(x.glance.calendar_due); }},
};

// The parts of a status that are not senders.
std::string rest_of(const ObservedStatus& status) {
  return to_json({{},
                  0,
                  status.supervisors,
                  status.supervisors_left_out,
                  status.guards,
                  status.outboxes,
                  status.ownerships,
                  {}});
}

// Where the next item of a list goes. The list has no brackets yet.
std::string& next_in(std::string& list) {
  if (!list.empty())
    list += ',';
  return list;
}

std::string event_of(const char* name, const std::string& json) {
  return std::string{"event: "}.append(name).append("\ndata: ").append(json).append("\n\n");
}

} // namespace

Duration time_between_looks(Duration cost) {
  constexpr Duration shortest = 500ms;
  constexpr Duration longest = 5s;
  return cost > longest / 50 ? longest : std::max(shortest, cost * 50);
}

std::uint64_t LiveFrames::kind_of(const std::string& name) {
  const auto [place, is_new] = kinds_.try_emplace(name, names_.size());
  if (is_new)
    names_.push_back(&place->first);
  return place->second;
}

LiveFrames::Row LiveFrames::row_of(const ObservedSender& sender) {
  static_assert(std::size(live_numbers) == plain);
  Row row{kind_of(sender.name.kind), sender.name.number, {}, sender.has_pool, 0, {}};
  std::ranges::transform(live_numbers, row.numbers.begin(),
                         [&](const LiveNumber& one) { return one.of(sender); });
  if (sender.has_pool) {
    std::ranges::copy(sender.pool.workers, row.numbers.begin() + plain);
    row.numbers.back() = sender.pool.ready;
  }
  if (!sender.last_cause.empty()) {
    row.cause_at = std::max<std::uint64_t>(1, moment(sender.cause_at));
    row.cause = sender.last_cause;
  }
  return row;
}

void LiveFrames::look(const ObservedStatus& status, Instant now) {
  begin(now);
  for (const auto& sender : status.senders)
    add(sender);
  end(status);
}

void LiveFrames::begin(Instant now) {
  now_ = now;
  kinds_before_ = names_.size();
  earlier_rows_.clear();
}

void LiveFrames::add(const ObservedSender& sender) { earlier_rows_.push_back(row_of(sender)); }

void LiveFrames::end(const ObservedStatus& others) {
  const auto is_before = [](const Row& a, const Row& b) { return a.is_before(b); };
  auto& rows = earlier_rows_;
  if (!std::ranges::is_sorted(rows, is_before)) // rows are large
    std::ranges::sort(rows, is_before);
  // Actor systems number their actors each on their own.
  // clang 14 cannot read the libstdc++ of g++ 12 where std::ranges::unique is.
  rows.erase(std::unique(rows.begin(), rows.end(), std::not_fn(is_before)), rows.end());
  rows_.swap(rows);
  at_ = moment(now_);
  auto rest = rest_of(others);
  rest_.swap(rest);
  note_changes(earlier_rows_, names_.size() != kinds_before_, rest_ != rest);
}

void LiveFrames::note_changes(const std::vector<Row>& before, bool are_kinds_new,
                              bool is_rest_new) {
  std::string rows;
  std::string causes;
  std::string gone;
  const auto note_gone = [&](const Row& row) {
    add_number(next_in(gone) += '[', row.kind);
    add_number(gone += ',', row.number);
    gone += ']';
  };
  auto old = before.begin();
  const auto end = before.end();
  for (const auto& row : rows_) {
    for (; old != end && old->is_before(row); ++old)
      note_gone(*old);
    const auto was_there = old != end && !row.is_before(*old);
    if (!was_there || !row.is_same(*old))
      write(next_in(rows), row);
    if (row.cause_at != 0 && (!was_there || row.cause_at != old->cause_at))
      write_cause(next_in(causes), row);
    if (was_there)
      ++old;
  }
  for (; old != end; ++old)
    note_gone(*old);
  changes_ = event_of("changes", frame({}, rows, gone, causes, are_kinds_new ? kinds() : "null",
                                       is_rest_new ? rest_ : "null"));
}

std::string LiveFrames::all() const {
  std::string rows;
  std::string causes;
  for (const auto& row : rows_) {
    write(next_in(rows), row);
    if (row.cause_at != 0)
      write_cause(next_in(causes), row);
  }
  std::string numbers;
  for (const auto& one : live_numbers)
    next_in(numbers).append("\"").append(one.name).append("\"");
  return event_of("all", frame(",\"numbers\":[" + numbers + "]", rows, {}, causes, kinds(), rest_));
}

std::string LiveFrames::frame(const std::string& numbers, const std::string& rows,
                              const std::string& gone, const std::string& causes,
                              const std::string& kinds, const std::string& rest) const {
  std::string json = "{\"at\":";
  add_number(json, at_);
  json.append(numbers).append(",\"kinds\":").append(kinds).append(",\"senders\":[").append(rows);
  json.append("],\"gone\":[").append(gone).append("],\"causes\":[").append(causes);
  return json.append("],\"rest\":").append(rest.empty() ? "null" : rest).append("}");
}

std::string LiveFrames::kinds() const {
  std::string names;
  for (const auto* const name : names_)
    next_in(names) += detail::json_string(*name);
  return "[" + names + "]";
}

void LiveFrames::write(std::string& json, const Row& row) {
  add_number(json += '[', row.kind);
  add_number(json += ',', row.number);
  for (std::size_t i = 0; i != (row.has_pool ? with_pool : plain); ++i)
    add_number(json += ',', row.numbers[i]);
  json += ']';
}

void LiveFrames::write_cause(std::string& json, const Row& row) {
  add_number(json += '[', row.kind);
  add_number(json += ',', row.number);
  add_number(json += ',', row.cause_at);
  json.append(",").append(detail::json_string(row.cause)).append("]");
}

} // namespace backoff_actor::web
