#pragma once

#include "common/report.hpp"

#include <chrono>
#include <cstdint>

namespace versus {

using namespace benchmarks;

// What is measured, each in the process that calls it.

// -- requests and replies -----------------------------------------------------------------

/// Who stands between the client and the worker, if anybody.
enum class Between {
  nobody,        ///< plain CAF, unsupervised
  relay,         ///< a plain actor that passes on both messages and answers, and tracks nothing
  ours,          ///< a sender of this library before an unmodified worker
  ours_by_sent,  ///< a sender of this library, whose child says `Sent`, and answers itself
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

/// @shape millions of operations per second of processor time; the same per second of `own_now`. Of
///        those that were answered in time, after a tenth, or as many as are open, to warm up.
Figures throughput(const Load& load);

/// @shape median and 99th percentile of how long an operation takes, one at a time, in microseconds
///        on the wall
Figures latency(Between between, std::uint64_t operations);

// -- restarts and delays ------------------------------------------------------------------

/// Who starts the child again.
enum class Restarter {
  by_hand, ///< a plain CAF actor that watches it, spawns it again and sends the message again
  ours,    ///< a sender of this library, without a delay
  article, ///< the article's design, whose delay of nothing is a delayed message
};

/// How the child ends.
enum class Ending { quits, throws };

/// Measures restarts of a child that ends whenever it is handed the only message there is.
///
/// @shape thousands of restarts per second of `own_now_of_this_thread`; the same per second of
///         processor time
Figures restarts(Restarter restarter, Ending ending, std::uint64_t count);

/// Measures how long it takes until all of `count` deliveries are acknowledged that were owed when
/// the child crashed, without a delay. The first child had as many of them as it is given at once,
/// and had answered none.
///
/// @range `ours` or `article`
/// @shape microseconds of processor time for each
Figures recovery(Restarter restarter, std::uint64_t count);

/// Who waits for a delay.
enum class Sleeper {
  caf,  ///< a plain actor, by a delayed message to itself
  ours, ///< a sender of this library, before it resends
};

/// Measures how late after a delay of its own what was delayed leaves, where nothing else goes on.
///
/// @shape 99th percentile, in milliseconds
Figures lateness(Sleeper sleeper, std::chrono::milliseconds delay, std::uint64_t count,
                 bool shares);

// -- memory and instructions --------------------------------------------------------------

/// What is spawned in pairs.
enum class Pair {
  plain,           ///< two plain CAF actors, the first of which passes a message on to the second
  ours,            ///< a sender with its child, all from one blueprint
  ours_each,       ///< the same, each spawned for itself, with its own options
  unused,          ///< a sender that was never given a message, so that its child was not started
  observed,        ///< as `ours`, seen by an observatory
  observed_unused, ///< as `unused`, seen by an observatory
};

/// Measures what idle pairs of actors take, each of which has answered one message, but for
/// the unused.
///
/// @shape bytes that are resident for each pair; microseconds of processor time to spawn each
Figures idle_pairs(Pair pair, std::uint64_t count);

/// Measures what messages take that wait: at a sender whose child cannot start, and in the mailbox
/// of a plain actor that does not run. What a client keeps of a request is not counted.
///
/// @shape bytes that malloc has given out for each
/// @errors throws `std::runtime_error` if one was lost.
Figures waiting(bool at_sender, bool by_request, std::uint64_t count);

/// A sender whose instructions are counted.
struct CountedSender {
  std::uint64_t outbox;     ///< the deliveries in its outbox
  std::uint64_t window = 4; ///< the deliveries that the child holds, and that come at a time
  bool is_observed = false; ///< by an observatory
};

/// Counts the instructions that a sender takes to accept a delivery, and to take an acknowledgement
/// and hand over the next. The slab of deliveries does not grow meanwhile.
///
/// @shape instructions of a submission, of an acknowledgement, and of both
/// @errors throws `std::runtime_error` if it cannot be traced.
Figures sender_instructions(const CountedSender& what);

// -- a picture ----------------------------------------------------------------------------

/// Has gnuplot draw how far each row is from its goal, into an SVG.
///
/// @errors throws `std::runtime_error` if no row has a goal, gnuplot is missing or fails, or the
///         file cannot be written.
void plot(const std::vector<Row>& results, const std::string& file);

} // namespace versus
