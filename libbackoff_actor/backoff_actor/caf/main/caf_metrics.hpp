#pragma once

#include "backoff_actor/core/export.hpp"

#include <caf/actor_system.hpp>

#include <string>

namespace backoff_actor {

/// A function that returns the metrics of CAF itself, in the text format of Prometheus. CAF 0.17
/// has none.
///
///     const WebServer web{observatory, {.more_metrics = CafMetrics{system}}};
///
/// @range  the system must live as long as whoever calls.
/// @thread any
class BACKOFF_ACTOR_EXPORT CafMetrics {
public:
  /// Reads the metrics of this system.
  explicit CafMetrics(caf::actor_system& system) : system_(&system) {}

  /// Returns the present values.
  std::string operator()() const;

private:
  caf::actor_system* system_;
};

} // namespace backoff_actor
