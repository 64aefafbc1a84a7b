#pragma once

#include <backoff_actor/caf/child/child_factory.hpp>

#include <cstdint>

namespace backoff_actor::soak {

/// Returns the factory of children that answer each number, bare or inside a `TrackedMsg`, with it.
ChildFactory echoing_children();

/// The same, each child in a thread of its own.
ChildFactory echoing_children_with_threads();

/// Returns the factory of children, each in a thread of its own, that send each number to the
/// service at `port` of 127.0.0.1, which is to send it back. They fail by exception: if there is no
/// answer within 100 ms, or a wrong one.
ChildFactory calling_children(std::uint16_t port);

} // namespace backoff_actor::soak
