#pragma once

#include "versus/readings.hpp"

#include <cstdint>

namespace versus {

/// Counts the instructions that a sender takes to accept a delivery, and to take an acknowledgement
/// and hand over the next, with so many deliveries in its outbox. The child holds 4 of them all the
/// time.
///
/// A process of its own does it, and is taken through step by step, so that no counter of the
/// machine is needed. The slab of deliveries does not grow meanwhile.
///
/// @shape instructions of a submission, and of an acknowledgement
/// @errors throws `std::runtime_error` if it cannot be traced.
Figures sender_instructions(std::uint64_t outbox);

} // namespace versus
