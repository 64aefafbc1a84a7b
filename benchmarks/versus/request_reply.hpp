#pragma once

#include "versus/readings.hpp"

#include <cstdint>

namespace versus {

/// Who stands between the client and the worker, if anybody.
enum class Between {
  nobody,        ///< plain CAF, unsupervised
  relay,         ///< a plain actor that passes on both messages and answers, and tracks nothing
  ours,          ///< a sender of this library before an unmodified worker
  ours_by_sent,  ///< a sender of this library, whose child says `Sent`, and answers itself
  address,       ///< an address of a supervised worker, which keeps messages while that is down
  ours_observed, ///< as `ours`, seen by an observatory
  article,       ///< the article's design
};

/// What is done: a client keeps a window of operations open, each of which is a message of 12 bytes
/// and a number, and its answer.
struct Load {
  Between between = Between::nobody;
  std::uint64_t window = 1;
  std::uint64_t operations = 0;
  bool by_request = false;     ///< or by plain sends
  std::uint64_t groups = 1;    ///< of client, sender and worker, all of which do all of this
  std::int64_t threads = 1;    ///< of the actor system
  std::uint64_t patience = 60; ///< in seconds
};

/// Measures it in this process.
///
/// @shape millions of operations per second of processor time; the same per second of `own_now`. Of
///        those that were answered in time, after a tenth, or as many as are open, to warm up.
Figures throughput(const Load& load);

/// Measures how long each of the operations takes, one at a time, in this process.
///
/// @shape median and 99th percentile, in microseconds on the wall
Figures latency(Between between, std::uint64_t operations);

} // namespace versus
