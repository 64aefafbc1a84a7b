#pragma once

#include "backoff_actor/calendar/time_fields.hpp"
#include "backoff_actor/core/problems.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

/// Where in a text the fields are that have problems: columns, from 1.
using FieldColumns = std::vector<std::pair<std::string_view, std::size_t>>;

/// What five fields of cron say.
struct CronFields {
  TimeFields times{};
  std::string text{};       ///< the five fields with a blank between them, in small letters
  bool is_interval = false; ///< minute or hour begins with a star, see `cron`
};

/// Reads five fields, or a nickname such as `@daily`. With problems, what is returned has no
/// meaning.
///
/// @param column where the text begins; what is added to `columns` counts from there
CronFields read_cron(std::string_view text, std::size_t column, Problems& problems,
                     FieldColumns& columns);

/// All bits of `TimeFields::weekdays`.
inline constexpr std::uint8_t every_weekday = 0x7f;

/// Reads weekdays with blanks between them: `mon-fri`, `sat sun`. Returns the bits of
/// `TimeFields::weekdays`. A problem is one of `weekdays`.
std::uint8_t read_weekdays(std::string_view text, Problems& problems);

/// Renders weekdays so that `read_weekdays` reads them back; empty if they are all days.
std::string weekdays_text(std::uint8_t bits);

/// Whether a text begins with the name of a weekday: `mon`.
bool begins_with_weekday(std::string_view text);

} // namespace backoff_actor::detail
