#include "backoff_actor/caf/calendar/internal/sender_calendar.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

constexpr Duration longest_sleep = 1min;

// Wakes a sender, which has a timer of its own for all else. It does not keep the sender alive, and
// ends when the sender drops it.
class CalendarAlarm final : public compat::RequestingActor {
public:
  CalendarAlarm(caf::actor_config& config, caf::actor_addr owner)
    : RequestingActor(config, compat::TakesWords{}), owner_(std::move(owner)) {}

  const char* name() const override { return "backoff_actor.calendar_alarm"; }

  caf::behavior make_behavior() override { return complete_with_words(); }

private:
  bool on_word(const compat::Word& word) override {
    if (const auto* const look = word.as<CalendarLook>()) {
      at_ = look->at;
      wake_at(at_);
    } else if (word.as<WakeUp>()) {
      if (const auto owner = caf::actor_cast<caf::actor>(owner_))
        compat::enqueue(owner, CalendarLook{at_});
    } else {
      return false;
    }
    return true;
  }

  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  caf::actor_addr owner_;
  Instant at_{};
};

Duration real_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

Duration system_time() { return std::chrono::system_clock::now().time_since_epoch(); }

} // namespace

Problems check(const Repeat& repeat) {
  Problems problems{"Repeat"};
  // A schedule that can be read: the one of the message is looked at where its zone is known.
  const CalendarEntry entry{repeat.name, every(1s), repeat.missed, repeat.grace};
  const auto of_entry = check(entry);
  for (const auto& one : of_entry.list())
    problems.add(one.field, one.given, one.allowed);
  if (detail::find_missed(to_string(repeat.missed)) != repeat.missed)
    problems.add("missed", std::to_string(static_cast<unsigned>(repeat.missed)),
                 "run_once, run_all or skip");
  if (repeat.message.empty())
    problems.add("message", "none", "a message");
  detail::check_span(problems, "time_to_live", repeat.time_to_live, 1ns, Duration::max());
  return problems;
}

SenderCalendar::SenderCalendar(ZoneFinder find_zone, std::function<WallTime()> wall_clock,
                               Instant now)
  : book(std::move(find_zone)), wall_clock_(std::move(wall_clock)),
    virtual_lead_(now.since_origin - real_time()) {}

WallTime SenderCalendar::wall(Instant now) const {
  if (wall_clock_)
    return wall_clock_();
  const auto passed = now.since_origin - virtual_lead_ - real_time(); // 0 but in virtual time
  return {(system_time() + passed).count()};
}

const std::string* SenderCalendar::find(const std::string& key, std::uint64_t delivery) const {
  const auto& entries = book.entries();
  if (key.empty()) {
    for (const auto& [name, entry] : entries)
      if (entry.delivery == delivery)
        return &name;
  } else if (const auto name = detail::name_in_key(key)) {
    if (const auto found = entries.find(*name); found != entries.end())
      return &found->first;
  }
  for (const auto& [number, one] : unstored)
    if (key.empty() ? number == delivery : entry_key(one.entry.row.name) == key)
      return &one.entry.row.name;
  return nullptr;
}

SenderCalendar::Unstored* SenderCalendar::last_unstored(const std::string& name) {
  const auto last = std::find_if(unstored.rbegin(), unstored.rend(), [&](const auto& one) {
    return one.second.entry.row.name == name;
  });
  return last == unstored.rend() ? nullptr : &last->second;
}

Duration SenderCalendar::until(WallTime at, Instant now) const {
  return Instant{Duration{at.since_epoch}} - Instant{Duration{wall(now).since_epoch}};
}

void SenderCalendar::show(SenderGlance& glance, Instant now) const {
  glance.calendar_entries = book.size();
  if (const auto look = book.next_look())
    glance.calendar_due = now + until(*look, now);
}

void SenderCalendar::set_alarm(caf::actor_system& system, const caf::actor_addr& sender,
                               Instant now, Duration pause) {
  const auto look = book.next_look();
  if (!look)
    return;
  const auto at = now + std::clamp(until(*look, now), pause, longest_sleep);
  if (alarm_at_ <= at)
    return; // it rings before, and is then set anew
  if (!alarm_)
    alarm_ = system.spawn<CalendarAlarm, caf::hidden>(sender);
  alarm_at_ = at;
  compat::enqueue(alarm_, CalendarLook{at});
}

} // namespace backoff_actor
