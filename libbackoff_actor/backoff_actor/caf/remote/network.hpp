#pragma once

#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages/type_ids.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/type_id.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff_actor {

/// How a node finds out that another one is gone although their connection is not closed: since it is
/// frozen, or the line is cut. CAF's own default is not to find out.
///
/// Every node sends every other that it is connected to a heartbeat of 32 bytes in each interval, and looks
/// in the same interval whether anything has come from them. A node that nothing has come from for
/// longer than `connection_timeout` is taken for gone: its actors are down with
/// `caf::exit_reason::remote_link_unreachable`. So it is noticed within
/// `connection_timeout + heartbeat_interval`, and hardly before `connection_timeout - heartbeat_interval`.
///
/// Both nodes must send: one that does not, or seldom, is gone for the other one whenever there is nothing
/// to say for `connection_timeout`. So use the same options everywhere, and a timeout above the longest
/// pause that a node may make: a debugger, a suspended machine and a host that is out of
/// memory are all taken for a failure. A connection that was given up is never taken up again as
/// such: what is to go on needs a new one, with new actors' handles.
struct NetworkOptions {
  /// How often a heartbeat is sent, and it is looked for those of others. Each costs a wake-up of the
  /// middleman's thread and 32 bytes for each connection.
  ///
  /// CAF gives a handshake up that is under way when it looks, and it is made anew: so an interval has to be longer
  /// than a handshake takes, which is as long as the way to the other node and back.
  ///
  /// @range more than 0
  Duration heartbeat_interval{std::chrono::milliseconds{500}};

  /// For how long a node may be silent.
  ///
  /// @range at least two `heartbeat_interval`: one heartbeat may be late
  Duration connection_timeout{std::chrono::seconds{2}};
};

/// Finds what is wrong with the options.
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

/// Loads CAF's middleman, and tells it the options and the types.
BACKOFF_ACTOR_EXPORT void set_up_network(caf::actor_system_config& config,
                                         const NetworkOptions& options,
                                         std::vector<TypeBlock> blocks);

} // namespace detail

/// Does what `init` does, and sets up CAF's network layer: nodes that are both set up so can be guarded
/// from each other. Call it instead of `init`, once per program, before the actor system is made, on its
/// configuration:
///
///     caf::actor_system_config config;
///     backoff_actor::init_network<caf::id_block::my_app>(config);
///     caf::actor_system system{config};
///
/// It loads CAF's middleman, turns heartbeats on, and adds to the node's `app-identifiers`, which CAF
/// sends to whoever connects, one for each type-id block, with a hash over the names of its
/// types. By it another node knows, before it sends anything, whether both programs have the same
/// message types. Otherwise that would not be noticed: CAF 1.x sends the numbers of types, so that a
/// message would be read as another one, and CAF 0.17 drops what it does not know without a word. It
/// sees names and their order, not the fields of a type: rename a type whose fields change.
///
/// Identifiers that the program has set itself are kept, and only these decide, as ever, whom CAF
/// connects to: those that are added differ on every node. So set `app-identifiers` before this. Where
/// `config.parse` comes after it, the options of the command line and of a configuration file go
/// before `options`; one that sets `app-identifiers` there takes away what this has added.
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
