#pragma once

#include "backoff_actor/core/time.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace backoff_actor::detail {

// A histogram of spans of time: 100 us, and four times as much for each further bucket, up to about
// 28 minutes. The last bucket has no bound.
struct TimeBuckets {
  static constexpr std::size_t count = 14;
  static constexpr std::uint64_t first_bound = 100'000; // ns

  // The upper bounds of all buckets but the last, in seconds.
  static constexpr std::array<double, count - 1> bounds() {
    std::array<double, count - 1> result{};
    auto bound = static_cast<double>(first_bound);
    for (auto& x : result) {
      x = bound / 1e9;
      bound *= 4;
    }
    return result;
  }

  // The bucket of a span in nanoseconds: the first whose bound is not below it. Most are short.
  static std::size_t of(std::uint64_t span) {
    if (span <= first_bound)
      return 0;
    const auto units = (span + first_bound - 1) / first_bound; // rounded up
    const auto bucket = static_cast<std::size_t>(std::bit_width(units - 1) + 1) / 2;
    return bucket < count ? bucket : count - 1;
  }

  // A time line may step back between two threads; a span is never negative.
  static std::uint64_t nanoseconds(Duration span) {
    return span > Duration::zero() ? static_cast<std::uint64_t>(span.count()) : 0;
  }

  // The same from one moment to another, in a few instructions: it is for every delivery.
  static std::uint64_t between(Instant from, Instant to) {
    return to > from ? static_cast<std::uint64_t>(to.since_origin.count())
                         - static_cast<std::uint64_t>(from.since_origin.count())
                     : 0;
  }
};

} // namespace backoff_actor::detail
