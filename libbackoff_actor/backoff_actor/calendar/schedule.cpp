#include "backoff_actor/calendar/schedule.hpp"

#include "backoff_actor/calendar/internal/cron_fields.hpp"
#include "backoff_actor/calendar/internal/schedule_checks.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/internal/enum_names.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <utility>

namespace backoff_actor {

namespace {

using namespace std::chrono_literals;

constexpr auto every_hour = (1U << 24) - 1;
constexpr auto every_day = 0xfffffffeU;
constexpr std::uint16_t every_month = 0x1ffe;
constexpr Duration longest_period = 8760h;

void check_whole(Problems& problems, const char* field, Duration span) {
  if (span % 1s != Duration::zero())
    problems.add(field, to_string(span), "whole seconds");
}

// The first time of day.
std::string text_of(const detail::TimeFields& times) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "%02d:%02d", std::countr_zero(times.hours),
                std::countr_zero(times.minutes));
  return text.data();
}

} // namespace

namespace detail {

Problems check_every(Duration period, Duration offset) {
  Problems problems;
  check_span(problems, "period", period, 1s, longest_period);
  if (problems.empty()) {
    check_whole(problems, "period", period);
    check_span(problems, "offset", offset, 0s, period - 1s);
  }
  check_whole(problems, "offset", offset);
  return problems;
}

std::optional<std::chrono::minutes> read_time_of_day(std::string_view text, Problems& problems) {
  const auto number_at = [&](std::size_t i) {
    const auto digits = text.substr(i, 2);
    const auto is_number = digits.find_first_not_of("0123456789") == digits.npos;
    return is_number ? (digits[0] - '0') * 10 + digits[1] - '0' : 60;
  };
  if (text.size() != 5 || text[2] != ':' || number_at(0) > 23 || number_at(3) > 59) {
    problems.add("time", std::string{"'"}.append(text).append("'"), "00:00..23:59");
    return std::nullopt;
  }
  return std::chrono::hours{number_at(0)} + std::chrono::minutes{number_at(3)};
}

} // namespace detail

std::string_view to_string(Gap gap) {
  constexpr auto names = detail::enum_names<Gap>({"run_after", "skip"});
  return names.of(gap);
}

std::string_view to_string(Twice twice) {
  constexpr auto names = detail::enum_names<Twice>({"first", "second", "both"});
  return names.of(twice);
}

Schedule every(Duration period, Duration offset) {
  detail::check_every(period, offset).raise_if_any();
  Schedule result;
  result.period_ = std::chrono::duration_cast<std::chrono::seconds>(period);
  result.offset_ = std::chrono::duration_cast<std::chrono::seconds>(offset);
  return result;
}

Schedule at(std::string_view time, const Zone& zone, std::string_view days) {
  Problems problems;
  const auto of_day = detail::read_time_of_day(time, problems);
  const auto weekday_bits = detail::read_weekdays(days, problems);
  problems.raise_if_any();
  Schedule result;
  result.kind_ = Schedule::Kind::at;
  result.zone_ = zone;
  result.times_ = {std::uint64_t{1} << (*of_day % 1h).count(),
                   1U << (*of_day / 1h),
                   every_day,
                   every_month,
                   weekday_bits,
                   false};
  return result;
}

Schedule cron(std::string_view fields, const Zone& zone) {
  Problems problems;
  detail::FieldColumns columns;
  auto read = detail::read_cron(fields, 1, problems, columns);
  problems.raise_if_any();
  Schedule result;
  result.kind_ = Schedule::Kind::cron;
  result.zone_ = zone;
  result.times_ = read.times;
  result.fields_ = std::move(read.text);
  result.gap_ = read.is_interval ? Gap::skip : Gap::run_after;
  result.twice_ = read.is_interval ? Twice::both : Twice::first;
  return result;
}

namespace {

void require_local(const Schedule& schedule, const char* field, std::string_view rule) {
  Problems problems;
  if (!schedule.is_local())
    problems.add(field, std::string{rule}, "for at and cron alone: every has no local times");
  problems.raise_if_any();
}

} // namespace

Schedule operator|(Schedule schedule, Gap gap) {
  require_local(schedule, "gap", to_string(gap));
  schedule.gap_ = gap;
  return schedule;
}

Schedule operator|(Schedule schedule, Twice twice) {
  require_local(schedule, "twice", to_string(twice));
  schedule.twice_ = twice;
  return schedule;
}

std::string to_string(const Schedule& schedule) {
  using Kind = Schedule::Kind;
  if (schedule.kind_ == Kind::every)
    return std::string{"every("}
      .append(to_string(schedule.period_))
      .append(", offset ")
      .append(to_string(schedule.offset_))
      .append(")");
  std::string result;
  const auto& times = schedule.times_;
  if (schedule.kind_ == Kind::cron)
    result.append("cron(\"").append(schedule.fields_).append("\"");
  else
    result.append("at(").append(text_of(times));
  result.append(", ").append(schedule.zone_.name());
  if (const auto days = detail::weekdays_text(times.weekdays);
      schedule.kind_ == Kind::at && !days.empty())
    result.append(", ").append(days);
  return result.append(", gap ")
    .append(to_string(schedule.gap_))
    .append(", twice ")
    .append(to_string(schedule.twice_))
    .append(")");
}

} // namespace backoff_actor
