#pragma once

#include "versus/readings.hpp"

#include <cstdint>

namespace versus {

/// Who starts the child again.
enum class Restarter {
  by_hand, ///< a plain CAF actor that watches it, spawns it again and sends the message again
  ours,    ///< a sender of this library, without a delay
  article, ///< the article's design, whose delay of nothing is a delayed message
};

/// How the child ends.
enum class Ending { quits, throws };

/// Measures restarts of a child that ends whenever it is handed the only message there is, in this
/// process.
///
/// @shape thousands of restarts per second of `own_now_of_this_thread`; the same per second of
///         processor time
Figures restarts(Restarter restarter, Ending ending, std::uint64_t count);

/// Measures how long it takes until all of `count` deliveries are acknowledged that were owed when
/// the child crashed, without a delay, in this process. The first child had as many of them as it
/// is given at once, and had answered none.
///
/// @range `ours` or `article`
/// @shape microseconds of processor time for each
Figures recovery(Restarter restarter, std::uint64_t count);

} // namespace versus
