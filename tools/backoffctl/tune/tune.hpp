#pragma once

#include "backoffctl/common/command.hpp"

#include "backoff_actor/lab/internal/tuning.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace backoffctl {

/// A series and its ratio, which as the factor less one would lose digits of what was given.
struct TunedSeries {
  backoff_actor::DelaySeries series;
  double ratio;
};

/// A series by itself: how it begins.
struct BeginningAnswer {
  TunedSeries tuned;
};

/// A series at a point in time.
struct PositionAnswer {
  TunedSeries tuned;
  backoff_actor::SeriesPosition position;
};

/// A series at the retry that finds out.
struct DiscoveryAnswer {
  TunedSeries tuned;
  double succeeds_at_s;
  backoff_actor::Discovery discovery;
};

/// Two factors side by side.
struct GrowthAnswer {
  backoff_actor::FactorChange change;
  backoff_actor::RetryGrowth growth;
};

using TuneAnswer = std::variant<BeginningAnswer, PositionAnswer, DiscoveryAnswer, GrowthAnswer>;

/// Renders an answer for people.
std::string tune_text(const TuneAnswer& answer);

/// Renders an answer for programs: one JSON object, all numbers with full precision.
std::string tune_json(const TuneAnswer& answer);

/// Returns the retries that a table shows: how the series begins, and those between two numbers,
/// both included.
std::vector<backoff_actor::RetryPoint> rows_of(const backoff_actor::DelaySeries& series,
                                               std::uint64_t from, std::uint64_t to);

/// Returns the retries that a table shows if nothing in particular is asked for.
inline std::vector<backoff_actor::RetryPoint>
first_rows_of(const backoff_actor::DelaySeries& series) {
  return rows_of(series, 0, 10);
}

} // namespace backoffctl
