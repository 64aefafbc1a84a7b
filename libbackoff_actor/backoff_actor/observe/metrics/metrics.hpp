#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// How the values of a metric behave.
enum class MetricType : std::uint8_t {
  counter,   ///< never falls while the process lives
  gauge,     ///< goes up and down
  histogram, ///< counts values by their size
};

/// Returns the enumerator's name; `unknown` for a number that is no enumerator.
BACKOFF_ACTOR_EXPORT std::string_view to_string(MetricType type);

/// Says which of the values of a metric one is.
struct MetricLabel {
  std::string name;  ///< of `a-z` and `_`
  std::string value; ///< any text
};

/// Values, counted by their size.
struct MetricBuckets {
  std::vector<double> bounds{};        ///< the upper bounds of all buckets but the last; rising
  std::vector<std::uint64_t> counts{}; ///< of each bucket alone; one more than the bounds
  double sum = 0;                      ///< of all values
};

/// One value of a metric.
struct MetricSample {
  std::vector<MetricLabel> labels{}; ///< in the order in which they are shown
  double value = 0;                  ///< unused in a histogram
  MetricBuckets buckets{};           ///< empty, unless it is a histogram
};

/// A metric: all its values, under one name.
struct MetricFamily {
  std::string name;                      ///< of `a-z` and `_`
  std::string help;                      ///< one sentence for people
  MetricType type = MetricType::counter; ///< of all values
  std::vector<MetricSample> samples{};   ///< none: it is not shown
};

/// Renders metrics in the text format of Prometheus, version 0.0.4, which OpenMetrics readers take
/// too. Quotes and backslashes in labels are escaped. Line ends and other control characters become
/// text, such as `\\n`, and bytes that are not UTF-8 become U+FFFD.
BACKOFF_ACTOR_EXPORT std::string to_exposition(const std::vector<MetricFamily>& families);

} // namespace backoff_actor
