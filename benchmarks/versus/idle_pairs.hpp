#pragma once

#include "versus/readings.hpp"

#include <cstdint>

namespace versus {

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
/// the unused, in this process.
///
/// @shape bytes that are resident for each pair; bytes that malloc has given out for each, its
///        headers included; microseconds of processor time to spawn each
Figures idle_pairs(Pair pair, std::uint64_t count);

} // namespace versus
