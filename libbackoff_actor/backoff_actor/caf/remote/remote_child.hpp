#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/remote/network.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace backoff_actor {

/// How a child on another node is started.
struct RemoteOptions {
  /// How long each step of a start may take, at each node: until it has greeted, until CAF's handshake
  /// with it is over, and until it has spawned what it was asked for.
  ///
  /// @range more than 0
  Duration step_timeout{std::chrono::seconds{2}};

  /// Whether the other program must know the message types of this one, as `init_network` names them on
  /// both sides. Without it a program of somebody else, that was not set up so, may be asked; then a
  /// message of a type that it does not know is lost on the way, and only an `ack_timeout` tells.
  bool checks_types = true;

  /// Whose an actor is that was published: `sole` if it works for this sender alone, and is to be
  /// ended when the sender ends or finds that it hangs. One that was spawned is the sender's in any case.
  Ownership published = Ownership::shared;
};

/// Finds what is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const RemoteOptions& options);

/// Returns a factory whose children are actors that other nodes have published, each at a host and a port
/// (`system.middleman().publish(actor, port, address)` there). The nodes are tried in turn, beginning with the one
/// behind that of the child before; if none of them has a child, the start has failed, with a sentence about each.
///
/// Such an actor is shared: it belongs to its own node, and to whoever else connects. The sender lets go of it when
/// it ends, or when it finds that it hangs, and does not end it. Set an `ack_timeout`: what is lost on
/// the way is not reported by anybody, and after it the next node is tried.
///
/// Use it in the program that was set up with `init_network`, on either side.
///
/// @errors throws `InvalidArgument` naming every node and option that is wrong. What goes wrong later is a failed
///         start: a node that cannot be reached or does not answer in time, one of another version of CAF, without
///         this program's message types, or without an actor at that port.
/// @thread of the result: any
BACKOFF_ACTOR_EXPORT ChildFactory remote_child(std::vector<NodeAddress> nodes,
                                               RemoteOptions options = {});

/// Returns a factory whose children are spawned on other nodes, each of which has a port open
/// (`system.middleman().open(port, address)` there), and knows the worker by a name (`add_remote_worker`). The nodes are tried
/// in turn, as with `remote_child`.
///
/// Such an actor is the sender's alone. Its node ends it when the sender has ended it, has ended itself, or cannot be
/// reached any more.
///
/// @errors as of `remote_child`, an empty `worker` included; and a node that does not know the worker, or cannot make
///         it of `arguments`, is a failed start.
/// @thread of the result: any
BACKOFF_ACTOR_EXPORT ChildFactory remote_spawn(std::vector<NodeAddress> nodes, std::string worker,
                                               caf::message arguments = {},
                                               RemoteOptions options = {});

/// The workers of a class that senders on other nodes have spawned in this program.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT RemoteWorkers {
public:
  /// Makes a worker of its arguments.
  ///
  /// @errors throws if they are of other types.
  using Make = std::function<caf::actor(caf::actor_system&, const caf::message& arguments)>;

  /// Lets others spawn by that name. Is called by `add_remote_worker`.
  RemoteWorkers(caf::actor_system_config& config, const std::string& name, Make make);

  /// How many there are.
  std::size_t count() const;

  /// Ends all that there are, and makes no more: their senders go to the next node. Call it before a
  /// program ends, for an actor system waits for its actors, and these end only with their senders.
  void end() const;

private:
  struct State;

  std::shared_ptr<State> state_;
};

/// Lets senders on other nodes spawn a worker class, an event-based actor that is constructed from `Ts`, by a name, with
/// `remote_spawn`. As with `child_of`, an exception keeps its text. Call it before the actor system is
/// made, after `init_network`. The result may be dropped; it is for programs that end in order.
///
/// `Options` are CAF's spawn options: `caf::detached` for a worker that blocks.
template <class Worker, caf::spawn_options Options, class... Ts>
RemoteWorkers add_remote_worker(caf::actor_system_config& config, const std::string& name) {
  using Actor = std::conditional_t<std::is_final_v<Worker>, Worker, detail::CauseKeeping<Worker>>;
  return RemoteWorkers(config, name, [](caf::actor_system& system, const caf::message& arguments) {
    auto fits = arguments.size() == sizeof...(Ts);
    if constexpr (sizeof...(Ts) > 0)
      fits = arguments.match_elements<Ts...>();
    if (!fits)
      throw std::invalid_argument("the arguments are not of the types that the worker takes");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return caf::actor_cast<caf::actor>(system.spawn<Actor, Options>(arguments.get_as<Ts>(I)...));
    }
    (std::index_sequence_for<Ts...>{});
  });
}

/// The same, without spawn options.
template <class Worker, class... Ts>
RemoteWorkers add_remote_worker(caf::actor_system_config& config, const std::string& name) {
  return add_remote_worker<Worker, caf::no_spawn_options, Ts...>(config, name);
}

} // namespace backoff_actor
