#include "backoff_actor/delivery/internal/not_before.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/text/internal/context_line.hpp"

#include <charconv>
#include <stdexcept>

namespace backoff_actor::detail {

namespace {

constexpr std::string_view name_of_time = "not_before: ";

} // namespace

std::optional<WallTime> time_to_begin(Duration delay, WallTime not_before, WallTime now) {
  Problems problems;
  if (delay < Duration::zero())
    problems.add("delay", to_string(delay), "0ns and more");
  if (not_before != WallTime{} && delay != Duration::zero())
    problems.add("not_before", "one, and a delay", "one of the two");
  problems.raise_if_any();
  const auto begin =
    not_before != WallTime{}
      ? not_before
      : WallTime{(Instant{Duration{now.since_epoch}} + delay).since_origin.count()};
  return begin > now ? std::optional{begin} : std::nullopt;
}

void add_not_before(std::string& context, WallTime at) {
  if (!context.empty())
    context += '\n';
  context.append(name_of_time).append(std::to_string(at.since_epoch));
}

std::optional<WallTime> not_before_in(std::string_view context) {
  const auto text = value_in(context, name_of_time);
  if (text.empty())
    return std::nullopt;
  WallTime result;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, result.since_epoch);
  if (read.ec != std::errc{} || read.ptr != end)
    throw std::invalid_argument("not_before: got " + std::string{text}
                                + ", allowed nanoseconds since 1970");
  return result;
}

} // namespace backoff_actor::detail
