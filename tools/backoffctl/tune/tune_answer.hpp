#pragma once

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/lab/tuning.hpp"

#include <optional>
#include <string>
#include <variant>

namespace backoffctl {

/// What was given to `tune`, and not yet looked at.
struct TuneFlags {
  std::optional<std::string> first;
  std::optional<std::string> factor;
  std::optional<std::string> ratio;
  std::optional<std::string> cap;
  std::optional<std::string> elapsed;
  std::optional<std::string> next;
  std::optional<std::string> previous;
  std::optional<std::string> succeeds_at;
  std::optional<std::string> from_factor;
  std::optional<std::string> to_factor;
};

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

/// Answers the question that the flags ask; nothing, and problems that name the flags, if they ask
/// none.
std::optional<TuneAnswer> answer(const TuneFlags& flags, backoff_actor::Problems& problems);

} // namespace backoffctl
