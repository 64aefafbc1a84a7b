#pragma once

#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor {

/// Where a node listens.
struct NodeAddress {
  std::string host{};     ///< a name or an address; IPv6 without brackets
  std::uint16_t port = 0; ///< 1 and above; 0: none was given

  /// Whether host and port are the same, letter by letter. No name is resolved.
  friend bool operator==(const NodeAddress&, const NodeAddress&) = default;
};

/// Renders an address as `parse_nodes` reads it: `worker-1:4711`, or `[::1]:4711` if the host
/// contains a colon.
BACKOFF_ACTOR_EXPORT std::string to_string(const NodeAddress& address);

/// Reads addresses separated by commas, with optional blanks around each:
/// `worker-1:4711, [::1]:4712`. It does not check that the hosts exist.
///
/// @errors throws `InvalidArgument` naming everything that is wrong: an empty text is the field
///         `nodes`, the second item `nodes[1]`.
/// @range each item is `host:port`; the host is not empty, without blanks and brackets, and in
///        brackets if it has a colon; the port is 1..65535
BACKOFF_ACTOR_EXPORT std::vector<NodeAddress> parse_nodes(std::string_view text);

} // namespace backoff_actor
