#pragma once

namespace backoff_actor {

/// When a child that went down is recreated.
///
/// Deliveries are handed over at the end of the delay in both.
enum class RestartTiming {
  /// At once, while the delay runs, as in the article. A child that went down without having been
  /// handed anything still waits for the end of the delay: a child that dies at birth would spin.
  at_once,
  /// At the end of the delay: for children whose start is the dangerous part.
  at_tick,
};

} // namespace backoff_actor
