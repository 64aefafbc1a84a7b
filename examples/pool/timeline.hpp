#pragma once

#include <backoff_actor/observe/events.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Who worked when, made of the events of a sender with a pool.
class Timeline {
public:
  void add(const backoff_actor::Event& event);

  /// A row for each worker and a column for each tenth of a second: how many messages the worker
  /// has done then (`+`: more than nine), `x` if it crashed, and `!` if it was told to end because
  /// it hung.
  std::string as_text() const;

  /// A row for each worker, with a bar for each message.
  std::string as_svg() const;

private:
  enum class Outcome { done, crashed, hung };

  // What a worker did from when to when, in seconds since the first event.
  struct Bar {
    double from;
    double to;
    Outcome outcome;
  };

  double seconds_of(const backoff_actor::Event& event);
  void end(std::uint32_t worker, double at, Outcome outcome);

  bool has_begun_ = false;
  backoff_actor::Instant begin_{};
  double end_ = 0;
  std::map<std::uint32_t, double> busy_since_;
  std::map<std::uint32_t, std::vector<Bar>> bars_; // by worker
};
