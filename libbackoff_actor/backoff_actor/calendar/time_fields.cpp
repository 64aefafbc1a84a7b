// The sets alone, without a zone. What clocks that are put forward or back mean: next_time.cpp.

#include "backoff_actor/calendar/time_fields.hpp"

#include <bit>

namespace backoff_actor::detail {

namespace {

using namespace std::chrono_literals;
using std::chrono::local_days;
using std::chrono::local_seconds;
using std::chrono::year_month;
using std::chrono::year_month_day;

// A leap day comes on the same weekday again after 28 years, or after 40 if a year such as 2100 is
// between.
constexpr auto most_months = 12 * 60;

constexpr unsigned longest_month(unsigned month) {
  return month == 2 ? 29 : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

// The bits 1..last.
constexpr std::uint32_t days_until(unsigned last) { return 0xfffffffeU >> (31 - last); }

// Clears the bits below `first`.
template <class Bits>
constexpr Bits from_bit(Bits bits, unsigned first) {
  return first < sizeof(Bits) * 8 ? bits >> first << first : 0;
}

} // namespace

// The weekdays of a month are those of a week, again and again.
std::uint32_t TimeFields::days_of(year_month month) const {
  const auto first = std::chrono::weekday{local_days{month / 1}}.c_encoding();
  const std::uint64_t week = (std::uint64_t{weekdays} * 0x81U >> first) & 0x7fU;
  const auto of_weekdays = static_cast<std::uint32_t>(week * 0x10204081U << 1U);
  const auto last = static_cast<unsigned>((month / std::chrono::last).day());
  return days_until(last) & (is_either_enough ? days | of_weekdays : days & of_weekdays);
}

std::optional<local_days> TimeFields::first_day_from(local_days from) const {
  const year_month_day date{from};
  auto month = date.year() / date.month();
  auto first = static_cast<unsigned>(date.day());
  for (auto i = 0; i < most_months; ++i, month += std::chrono::months{1}, first = 1) {
    if ((months >> static_cast<unsigned>(month.month()) & 1U) == 0)
      continue;
    if (const auto found = from_bit(days_of(month), first); found != 0)
      return local_days{month / std::countr_zero(found)};
  }
  return std::nullopt;
}

std::optional<std::chrono::minutes> TimeFields::first_in_day(std::chrono::minutes from) const {
  const auto hour = static_cast<unsigned>(from / 1h);
  const auto at = [](unsigned of_hours, std::uint64_t of_minutes) {
    return std::chrono::hours{of_hours} + std::chrono::minutes{std::countr_zero(of_minutes)};
  };
  if ((hours >> hour & 1U) != 0)
    if (const auto rest = from_bit(minutes, static_cast<unsigned>((from % 1h).count())); rest != 0)
      return at(hour, rest);
  const auto later = from_bit(hours, hour + 1);
  if (later == 0)
    return std::nullopt;
  return at(static_cast<unsigned>(std::countr_zero(later)), minutes);
}

std::optional<local_seconds> TimeFields::first_from(local_seconds from) const {
  const auto minute = std::chrono::ceil<std::chrono::minutes>(from);
  const auto today = std::chrono::floor<std::chrono::days>(minute);
  const auto day = first_day_from(today);
  if (!day)
    return std::nullopt;
  if (*day != today)
    return *day + *first_in_day(0min);
  if (const auto in_day = first_in_day(minute - today))
    return today + *in_day;
  const auto next = first_day_from(today + std::chrono::days{1});
  if (!next)
    return std::nullopt;
  return *next + *first_in_day(0min);
}

bool TimeFields::ever_comes() const {
  if (is_either_enough && weekdays != 0 && months != 0)
    return true;
  for (unsigned month = 1; month <= 12; ++month)
    if ((months >> month & 1U) != 0 && (days & days_until(longest_month(month))) != 0)
      return true;
  return false;
}

} // namespace backoff_actor::detail
