#pragma once

// What a page of metrics is made of.

#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/metrics/metrics.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"
#include "backoff_actor/sinks/internal/time_buckets.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::detail {

// Whether the enumerators are 0 to `Count` - 1. A seat counts by these numbers.
template <class Enum, std::size_t Count>
constexpr bool are_counted = !name_in_source<static_cast<Enum>(Count - 1)>().empty()
                             && name_in_source<static_cast<Enum>(Count)>().empty();

// The families of a page, in order.
class MetricPage {
public:
  void begin(MetricType type, std::string name, std::string help) {
    families_.push_back({"backoff_" + std::move(name), std::move(help), type, {}});
  }

  void add(std::vector<MetricLabel> labels, double value) {
    families_.back().samples.push_back({std::move(labels), value, {}});
  }

  void add(std::vector<MetricLabel> labels, std::uint64_t value) {
    add(std::move(labels), static_cast<double>(value));
  }

  // Buckets and then the sum, which is in `unit` parts.
  void add(std::vector<MetricLabel> labels, std::span<const double> bounds,
           std::span<const std::uint64_t> words, double unit) {
    MetricBuckets buckets;
    buckets.bounds.assign(bounds.begin(), bounds.end());
    buckets.counts.assign(words.begin(), words.end() - 1);
    buckets.sum = static_cast<double>(words.back()) / unit;
    families_.back().samples.push_back({std::move(labels), 0, std::move(buckets)});
  }

  std::vector<MetricFamily> families() && { return std::move(families_); }

private:
  std::vector<MetricFamily> families_;
};

inline constexpr auto time_bounds = TimeBuckets::bounds();
inline constexpr double nanoseconds_per_second = 1e9;

inline double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }

inline std::span<const std::uint64_t> part(std::span<const std::uint64_t> words, std::size_t first,
                                           std::size_t count) {
  return words.subspan(first, count);
}

// Adds the families of senders, and those of their pools (observatory_sender_metrics.cpp).
void add_senders(MetricPage& page,
                 const std::vector<std::pair<std::string, std::shared_ptr<SenderKind>>>& kinds,
                 Instant now);

} // namespace backoff_actor::detail
