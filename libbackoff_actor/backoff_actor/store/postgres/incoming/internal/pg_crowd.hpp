#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace backoff_actor::detail {

// Whether so many hand over at the same time that notifications would hold them up. The server lets
// transactions that notify commit one at a time, each with a sync of its own. So an owner that
// always falls asleep in time would make the producers as slow as it needs them to be to do so.
//
// It is a bucket: a row adds to it if others were being written when it was taken, and time drains
// it. There is a crowd from when it is full until it is empty. So that changes once in two seconds
// at the most.
class PgCrowd {
public:
  using Time = std::chrono::steady_clock::time_point;

  // A look has taken so many rows.
  //
  // @param running how many transactions had written and not ended. The owner's own commit counts,
  //                and so do those that have nothing to do with the table.
  void note(std::size_t rows, std::size_t running, Time now) {
    drain(now);
    if (running < many)
      return;
    level_ = std::min(full, level_ + static_cast<double>(rows));
    is_there_ = is_there_ || level_ >= full;
  }

  bool is_there(Time now) {
    drain(now);
    is_there_ = is_there_ && level_ > 0;
    return is_there_;
  }

private:
  static constexpr std::size_t many = 4;
  static constexpr double full = 50;       // rows
  static constexpr double per_second = 25; // rows

  void drain(Time now) {
    const std::chrono::duration<double> since = now - at_;
    level_ = std::max(0.0, level_ - std::max(0.0, since.count()) * per_second);
    at_ = now;
  }

  double level_ = 0;
  Time at_{};
  bool is_there_ = false;
};

} // namespace backoff_actor::detail
