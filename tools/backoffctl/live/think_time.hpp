#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/lab/simulation/internal/exponential_number.hpp"
#include "backoff_actor/lab/simulation/internal/outage_clients.hpp"

#include <cstdint>

namespace backoffctl {

/// How long one client thinks before each new call: exponentially distributed.
class ThinkTime {
public:
  ThinkTime(backoff_actor::Duration mean, std::uint64_t seed, std::uint32_t client)
    : mean_ns_(static_cast<double>(mean.count())),
      draws_(seed, backoff_actor::think_stream(client)) {}

  backoff_actor::Duration next() {
    return backoff_actor::Duration{
      static_cast<std::int64_t>(mean_ns_ * backoff_actor::exponential_number(draws_(count_++)))};
  }

private:
  double mean_ns_;
  backoff_actor::Draws draws_;
  std::uint64_t count_ = 0;
};

} // namespace backoffctl
