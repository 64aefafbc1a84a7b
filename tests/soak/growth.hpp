#pragma once

#include <vector>

namespace backoff_actor::soak {

/// Whether memory grows for good.
///
/// The first quarter of the samples is the warm-up: tables, pools and stacks come to their size.
/// The median of the second quarter is compared with that of the last: single peaks, of which a
/// malfunction makes many, change neither.
struct Growth {
  /// What is forgiven beyond a tenth of the earlier median: malloc's arenas, which fill up slowly.
  ///
  /// @units megabytes
  static constexpr double slack_mb = 16;

  bool is_known = false;  ///< not with fewer than eight samples
  bool has_grown = false; ///< by more than is forgiven
  double earlier_mb = 0;  ///< the median of the second quarter
  double later_mb = 0;    ///< the median of the last quarter
};

/// Judges samples that were taken at equal intervals.
///
/// @units megabytes
Growth judge_growth(const std::vector<double>& samples_mb);

} // namespace backoff_actor::soak
