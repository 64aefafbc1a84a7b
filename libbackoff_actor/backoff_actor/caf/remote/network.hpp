#pragma once

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/net/network_event.hpp"
#include "backoff_actor/net/tls/tls.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor {

/// How a node talks with other nodes, and detects that one has failed although their connection is
/// still open: the other node is frozen, or the network is cut. By default, CAF does not detect
/// this.
///
/// In each interval, every node sends a heartbeat of 32 bytes to every node that it is connected
/// to. It also checks that something has come from each of them. If nothing has come from a node
/// for longer than `connection_timeout`, that node counts as failed, and its actors are down with
/// `caf::exit_reason::remote_link_unreachable`. So a failure is detected within
/// `connection_timeout + heartbeat_interval`, and hardly before
/// `connection_timeout - heartbeat_interval`.
///
/// Both nodes must send heartbeats. A node that sends none, or too few, is given up by the other
/// node as soon as it has sent no messages either for `connection_timeout`. So use the same options
/// everywhere, and a timeout above the longest pause of a node: a debugger, a suspended machine and
/// a host that is out of memory all look like a failure. A connection that was given up is never
/// resumed: to continue, connect again and get new actor handles.
struct NetworkOptions {
  /// How often a node sends heartbeats, and checks for those of others. Each interval costs one
  /// wake-up of the middleman's thread, and 32 bytes for each connection.
  ///
  /// If CAF checks while a handshake is in progress, it gives the handshake up, and a new one is
  /// made. So the interval must be longer than a handshake, which takes one round trip to the other
  /// node.
  ///
  /// @range 1 us and above
  Duration heartbeat_interval{std::chrono::milliseconds{500}};

  /// How long a node may be silent.
  ///
  /// @range at least two `heartbeat_interval`: one heartbeat may be late
  Duration connection_timeout{std::chrono::seconds{2}};

  /// Whom to trust. None: connections are plain TCP, and `listen` takes those from this machine
  /// alone. Both nodes must have TLS, or neither.
  std::optional<Tls> tls{};

  /// The largest message that nodes may send each other, in bytes of CAF's frame. A larger one ends
  /// the connection, before memory is taken for it, and an event says so at both nodes. So use the
  /// same value everywhere.
  ///
  /// @range 65536..1073741824
  std::uint32_t max_frame = 16 * 1024 * 1024;

  /// How many workers each other node may have here at a time, of all names that
  /// `add_remote_worker` was given. A node that has as many is refused another, and an event says
  /// so.
  ///
  /// @range 1..1000000
  std::uint32_t max_workers = 1000;

  /// Gets what happens between nodes. Empty: warnings and errors are lines on the error stream, but
  /// of what strangers can cause at most one in ten seconds.
  NetworkEventHook on_event{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const NetworkOptions& options);

namespace detail {

/// The types of a type-id block, in the order of their numbers.
struct TypeBlock {
  caf::type_id_t first;
  std::vector<std::string_view> names;
};

template <class IdBlock>
TypeBlock type_block() {
  constexpr caf::type_id_t first = IdBlock::begin;
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return TypeBlock{first,
                     {caf::type_name_by_id<static_cast<caf::type_id_t>(first + I)>::value...}};
  }
  (std::make_index_sequence<std::size_t{IdBlock::end} - first>{});
}

/// Loads CAF's middleman, and configures it with the options and the types.
BACKOFF_ACTOR_EXPORT void set_up_network(caf::actor_system_config& config,
                                         const NetworkOptions& options,
                                         std::vector<TypeBlock> blocks);

} // namespace detail

/// Does what `init` does, and sets up CAF's network layer. If two nodes are both set up in this
/// way, each can detect the failure of the other. Call it instead of `init`, once per program, on
/// the configuration of the actor system, before the system is made:
///
///     caf::actor_system_config config;
///     backoff_actor::init_network<caf::id_block::my_app>(config);
///     caf::actor_system system{config};
///
/// It loads CAF's middleman, and turns heartbeats on. It also adds an entry for each type-id block
/// to the node's `app-identifiers`, which CAF sends to every node that connects. The entry holds a
/// hash over the names of the block's types. So another node knows, before it sends a message,
/// whether both programs have the same message types. CAF itself does not check that. CAF 1.x sends
/// the numbers of types, so a message could be read as one of another type. CAF 0.17 silently drops
/// unknown types. The hash covers the names of the types and their order, not their fields: rename
/// a type whose fields change.
///
/// Identifiers that the program has set itself are kept. They alone decide which nodes CAF connects
/// to, because the added ones differ on every node. So set `app-identifiers` before this call. If
/// `config.parse` comes after this call, the command line and the configuration file override
/// `options`; if they set `app-identifiers`, the added entries are lost.
///
/// @errors throws `InvalidArgument` naming the fields of `options` that are wrong.
template <class... IdBlocks>
void init_network(caf::actor_system_config& config, const NetworkOptions& options = {}) {
  check(options).raise_if_any();
  init<IdBlocks...>(config);
  detail::set_up_network(
    config, options,
    {detail::type_block<caf::id_block::backoff_actor>(), detail::type_block<IdBlocks>()...});
}

} // namespace backoff_actor
