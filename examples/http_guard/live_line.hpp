#pragma once

#include "run_record.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace http_guard {

/// One line on stderr that says how far a run is: redrawn in place on a terminal, ten times a
/// second, and printed once a second elsewhere.
class LiveLine {
public:
  explicit LiveLine(std::uint64_t requests);

  /// Draws the line if it is time for it.
  void update(const RunRecord& record);

  /// Takes the line away from a terminal.
  void clear() const;

private:
  std::chrono::milliseconds interval() const;

  std::uint64_t requests_;
  bool is_terminal_;
  std::chrono::steady_clock::time_point next_;
};

} // namespace http_guard
