#include "calendar.hpp"

#include "backoff_actor/calendar/schedule.hpp"
#include "backoff_actor/delivery/store_error.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <thread>
#include <unordered_set>
#include <utility>

namespace cluster {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t second = 1'000'000;
constexpr auto between_changes = 3 * second;
constexpr auto between_looks = 50ms;

std::int64_t wall_now() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

// From when on and until when it is known what an entry is.
struct Window {
  std::int64_t from;
  std::int64_t to;
  bool is_on;
};

std::vector<Window> windows_of(const Entry& entry) {
  std::vector<Window> result;
  for (std::size_t i = 0; i < entry.changes.size(); ++i) {
    const auto is_last = i + 1 == entry.changes.size();
    result.push_back(
      {entry.changes[i].to,
       is_last ? std::numeric_limits<std::int64_t>::max() : entry.changes[i + 1].from,
       entry.changes[i].is_on});
  }
  return result;
}

} // namespace

CalendarVerdict judge_calendar(const std::vector<Entry>& entries,
                               const std::vector<CalendarTime>& times,
                               const std::vector<Call>& calls) {
  std::unordered_set<std::uint64_t> done;
  for (const auto& call : calls)
    if (!call.is_refused && call.step == 0)
      done.insert(call.delivery);
  CalendarVerdict result;
  std::map<std::string, std::vector<std::int64_t>> made; // in order
  for (const auto& x : times) {
    ++result.times;
    result.missing += done.contains(x.delivery) ? 0U : 1U;
    result.twice += x.messages > 1 ? 1U : 0U;
    result.early += x.made_at < x.time * second ? 1U : 0U;
    made[x.entry].push_back(x.time * second);
  }
  for (const auto& entry : entries) {
    const auto& all = made[entry.name];
    for (const auto& window : windows_of(entry)) {
      const auto first = std::upper_bound(all.begin(), all.end(), window.from);
      const auto last = std::lower_bound(first, all.end(), window.to);
      if (!window.is_on) {
        result.while_paused += static_cast<std::uint64_t>(last - first);
      } else if (entry.runs_all && first != last) {
        const auto step = entry.period * second;
        const auto before = window.from / step * step;
        const auto expected = (*std::prev(last) - before) / step;
        result.missing += static_cast<std::uint64_t>(expected - (last - first));
      }
    }
  }
  return result;
}

std::string to_string(const CalendarVerdict& verdict) {
  std::ostringstream text;
  text << "calendar: times " << verdict.times << ", missing " << verdict.missing << ", twice "
       << verdict.twice << ", early " << verdict.early << ", while paused " << verdict.while_paused;
  return text.str();
}

Calendar::Calendar(const example::PrivatePostgres& server, const Records& records,
                   const std::string& outbox)
  : calendar_({server.socket_connection(), outbox}),
    records_(records), entries_{{.name = "all", .period = 1},
                                {.name = "last", .period = 2, .runs_all = false},
                                {.name = "paused", .period = 1}} {}

void Calendar::start() {
  using backoff_actor::Missed;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto& entry = entries_[i];
    backoff_actor::IncomingMessage message;
    message.type = type;
    message.key = entry.name;
    for (const auto c : std::to_string(i))
      message.payload.push_back(static_cast<std::byte>(c));
    const backoff_actor::CalendarEntry row{
      .name = entry.name,
      .schedule = backoff_actor::every(std::chrono::seconds{entry.period}),
      .missed = entry.runs_all ? Missed::run_all : Missed::run_once};
    const auto from = wall_now();
    calendar_.put(row, message);
    entry.changes.push_back({from, wall_now(), true});
  }
  next_change_ = wall_now() + between_changes;
}

void Calendar::go_on() {
  if (wall_now() < next_change_)
    return;
  auto& entry = entries_.back();
  const auto is_on = !entry.changes.back().is_on;
  try {
    change(entry, is_on, [&] {
      if (is_on)
        calendar_.resume(entry.name);
      else
        calendar_.pause(entry.name);
    });
    next_change_ = wall_now() + between_changes;
  } catch (const backoff_actor::StoreError&) {
    next_change_ = wall_now() + between_changes / 20; // it may have been made
  }
}

void Calendar::change(Entry& entry, bool is_on, const std::function<void()>& make) {
  if (trying_since_ == 0)
    trying_since_ = wall_now();
  make();
  entry.changes.push_back({std::exchange(trying_since_, 0), wall_now(), is_on});
}

bool Calendar::stop(backoff_actor::Duration patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto wait = [&](const auto& condition) {
    while (!condition(records_.calendar_times())) {
      if (std::chrono::steady_clock::now() > end)
        return false;
      std::this_thread::sleep_for(between_looks);
    }
    return true;
  };
  wait([&](const auto&) {
    if (trying_since_ != 0)
      go_on();
    return trying_since_ == 0;
  });
  const auto has_come = wall_now();
  const auto all_have_come = wait([&](const auto& times) {
    return std::all_of(entries_.begin(), entries_.end(), [&](const auto& entry) {
      const auto last = has_come / second / entry.period * entry.period;
      return !entry.changes.back().is_on
             || std::any_of(times.begin(), times.end(),
                            [&](const auto& x) { return x.entry == entry.name && x.time >= last; });
    });
  });
  for (auto& entry : entries_)
    change(entry, false, [&] { calendar_.remove(entry.name); });
  const auto all_have_a_number = wait([](const auto& times) {
    return std::all_of(times.begin(), times.end(), [](const auto& x) { return x.delivery != 0; });
  });
  return all_have_come && all_have_a_number;
}

} // namespace cluster
