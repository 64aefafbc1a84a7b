#pragma once

#include "versus/readings.hpp"

#include <cstdint>

namespace versus {

/// A sender whose instructions are counted.
struct CountedSender {
  std::uint64_t outbox;     ///< the deliveries in its outbox
  std::uint64_t window = 4; ///< the deliveries that the child holds, and that come at a time
  bool is_observed = false; ///< by an observatory
};

/// Counts the instructions that a sender takes to accept a delivery, and to take an acknowledgement
/// and hand over the next.
///
/// The slab of deliveries does not grow meanwhile.
///
/// @shape instructions of a submission, of an acknowledgement, and of both
/// @errors throws `std::runtime_error` if it cannot be traced.
Figures sender_instructions(const CountedSender& what);

} // namespace versus
