#include "flag_durations.hpp"

#include "backoffctl/flag_values.hpp"

namespace backoffctl {

std::optional<backoff_actor::Duration> read_duration(const std::string& flag,
                                                     const std::string& given,
                                                     backoff_actor::Duration shortest,
                                                     backoff_actor::Problems& problems) {
  const auto span = backoff_actor::parse_duration(given);
  if (span && *span >= shortest && *span <= longest_live)
    return span;
  problems.add(flag, quoted(given),
               "a span such as 100ms, 1.5s or 2min, " + backoff_actor::to_string(shortest) + ".."
                 + backoff_actor::to_string(longest_live));
  return std::nullopt;
}

} // namespace backoffctl
