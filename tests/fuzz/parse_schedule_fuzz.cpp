// Whatever the bytes, the parser takes them or throws ParseError at a place within them; what it
// takes is printed so that it is read as the same schedule, and its times grow.

#include "require.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/calendar/parse_schedule.hpp"
#include "backoff_actor/core/problems.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace backoff_actor;

// Two zones, one of which has changes in the months that are asked about.
Zone known_zone(const std::string& name) {
  using namespace std::chrono_literals;
  using std::chrono::sys_seconds;
  if (name == "Europe/Berlin")
    return {name, 1h, {{sys_seconds{1'774'746'000s}, 2h}, {sys_seconds{1'792'890'000s}, 1h}}};
  if (name == "UTC")
    return {};
  Problems problems;
  problems.add("zone", name, "Europe/Berlin or UTC");
  throw InvalidArgument{problems};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    const auto schedule = parse_schedule(text, known_zone);
    require(parse_schedule(to_string(schedule), known_zone) == schedule, "it is not read back");
    WallTime time{1'774'700'000'000'000'000}; // 2026-03-28T12:13:20Z
    const auto begin = time;
    for (auto i = 0; i != 20; ++i) {
      const auto next = schedule.next_after(time);
      require(next && *next > time, "a time is not later than the one before");
      time = *next;
    }
    require(schedule.last_within(begin, time) == time, "the last time is another one");
  } catch (const ParseError& error) {
    require(error.column() >= 1 && error.column() <= size + 1, "a column is out of the text");
    require(!error.problem().empty(), "an error says nothing");
  }
  return 0;
}
