#pragma once

#include "options.hpp"
#include "run_record.hpp"

#include <chrono>

namespace http_guard {

/// One line on stderr that says how far a run is: redrawn in place on a terminal, ten times a
/// second, and printed once a second elsewhere.
class LiveLine {
public:
  /// @param options must outlive this object
  explicit LiveLine(const Options& options);

  /// Draws the line if it is time for it.
  void update(const RunRecord& record);

  /// Takes the line away from a terminal.
  void clear() const;

private:
  std::chrono::milliseconds interval() const;

  const Options& options_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point next_;
};

} // namespace http_guard
