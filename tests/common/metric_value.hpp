#pragma once

#include "backoff_actor/observe/metrics/metrics.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::testing {

using LabelValues = std::vector<std::pair<std::string, std::string>>;

/// The sample of a metric that has exactly these labels; nothing if there is none.
inline std::optional<MetricSample> sample_of(const std::vector<MetricFamily>& families,
                                             const std::string& name, const LabelValues& labels) {
  for (const auto& family : families)
    if (family.name == name)
      for (const auto& sample : family.samples)
        if (std::equal(sample.labels.begin(), sample.labels.end(), labels.begin(), labels.end(),
                       [](const MetricLabel& given, const auto& wanted) {
                         return given.name == wanted.first && given.value == wanted.second;
                       }))
          return sample;
  return std::nullopt;
}

/// Its value; nothing if there is no such sample.
inline std::optional<double> value_of(const std::vector<MetricFamily>& families,
                                      const std::string& name, const LabelValues& labels) {
  const auto sample = sample_of(families, name, labels);
  return sample ? std::optional{sample->value} : std::nullopt;
}

/// How many values a histogram has counted; nothing if there is no such sample.
inline std::optional<std::uint64_t> count_of(const std::vector<MetricFamily>& families,
                                             const std::string& name, const LabelValues& labels) {
  const auto sample = sample_of(families, name, labels);
  if (!sample)
    return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto count : sample->buckets.counts)
    sum += count;
  return sum;
}

} // namespace backoff_actor::testing
