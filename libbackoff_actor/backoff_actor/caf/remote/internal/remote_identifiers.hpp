#pragma once

// The app-identifiers by which nodes tell each other which message types they know:
//
//   backoff_actor:types:3f0c7a5519e0d2b4:207-215:9d1f3c…:my_app::Order
//
//   the node, at random                   16 hexadecimal digits
//   the numbers of the block's types      first-last
//   a hash over their names, in order     16 hexadecimal digits
//   the name of the first                 the rest
//
// and one more, by which they tell which form the messages of this library have:
//
//   backoff_actor:protocol:3f0c7a5519e0d2b4:2
//
// CAF connects two nodes that have any identifier in common. Some programs use different
// identifiers to stay apart, and the identifiers here must not connect them. So each one contains
// the number of its node.

#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor::remote_identifiers {

/// Returns a node's identifier for a block of types that it has registered.
BACKOFF_ACTOR_HIDDEN std::string of_block(const detail::TypeBlock& block, std::uint64_t node);

/// Changes whenever a message of this library changes its parts.
inline constexpr std::uint32_t own_protocol = 3;

/// Returns a node's identifier for its protocol.
BACKOFF_ACTOR_HIDDEN std::string of_protocol(std::uint64_t node);

/// Returns that the other node speaks another protocol; empty if it speaks this one, or has no
/// types of this library. A node that has them and does not tell speaks 1.
BACKOFF_ACTOR_HIDDEN std::string protocol_problem(const std::vector<std::string>& theirs);

/// Returns why CAF would not connect two nodes with these identifiers; empty if it would.
BACKOFF_ACTOR_HIDDEN std::string application_problem(const std::vector<std::string>& ours,
                                                     const std::vector<std::string>& theirs);

/// Returns which of our blocks of types the other node does not know, or knows differently; empty
/// if there is none.
BACKOFF_ACTOR_HIDDEN std::string type_problem(const std::vector<std::string>& ours,
                                              const std::vector<std::string>& theirs);

} // namespace backoff_actor::remote_identifiers
