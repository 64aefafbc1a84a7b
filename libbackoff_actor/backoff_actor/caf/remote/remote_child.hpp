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
  /// How long each step of a start may take, at each node. The steps are: the node greets, CAF's
  /// handshake ends, and the node spawns the worker.
  ///
  /// @range 1 us and above
  Duration step_timeout{std::chrono::seconds{2}};

  /// Whether the other program must know the message types of this one. Both programs must then be
  /// set up with `init_network`. If false, the other program may be one without that set-up. A
  /// message of a type that it does not know is then lost, and only an `ack_timeout` detects the
  /// loss.
  bool checks_types = true;

  /// Who owns a published actor. `sole`: it works for this sender alone, and the sender ends it
  /// when the sender ends, or when the actor hangs. A spawned actor always belongs to the sender.
  Ownership published = Ownership::shared;
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const RemoteOptions& options);

/// Returns a factory whose children are actors that other nodes have published, each at a host and
/// a port (`listen(system, {.port = port, .published = actor})` there). Each start tries the nodes
/// in turn, beginning with the node after that of the last child. If no node has a child, the start
/// fails, with a sentence about each node.
///
/// By default such an actor is shared: it belongs to its own node, and other programs may use it,
/// too. When the sender ends, or when the actor hangs, the sender drops its handle and does not end
/// the actor. Set an `ack_timeout`: nobody reports a message that is lost on the way, and after the
/// timeout the next node is tried.
///
/// Set up both programs with `init_network`.
///
/// @errors throws `InvalidArgument` naming every invalid node and option. A later error is a failed
///         start: the node cannot be reached, does not answer in time, uses another version of CAF,
///         does not know this program's message types, or has no actor at that port.
/// @thread of the result: any
BACKOFF_ACTOR_EXPORT ChildFactory remote_child(std::vector<NodeAddress> nodes,
                                               RemoteOptions options = {});

/// Returns a factory whose children are spawned on other nodes. Each node has an open port
/// (`listen(system, {.port = port})` there), and knows the worker by its name
/// (`add_remote_worker`). The nodes are tried in turn, as with `remote_child`.
///
/// Such an actor belongs to the sender alone. Its node ends it when the sender asks for that, when
/// the sender has ended, or when the sender cannot be reached any more.
///
/// @errors as of `remote_child`; an empty `worker` is an invalid argument, too. A node that does
///         not know the worker, or cannot make it from `arguments`, is a failed start.
/// @thread of the result: any
BACKOFF_ACTOR_EXPORT ChildFactory remote_spawn(std::vector<NodeAddress> nodes, std::string worker,
                                               caf::message arguments = {},
                                               RemoteOptions options = {});

/// The workers of a class that senders on other nodes have spawned in this program.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT RemoteWorkers {
public:
  /// Makes a worker from its arguments.
  ///
  /// @errors throws if the arguments have other types.
  using Make = std::function<caf::actor(caf::actor_system&, const caf::message& arguments)>;

  /// Lets other nodes spawn workers by `name`. Is called by `add_remote_worker`.
  RemoteWorkers(caf::actor_system_config& config, const std::string& name, Make make);

  /// How many workers are alive.
  std::size_t count() const;

  /// Ends all workers, and makes no more: their senders go to the next node. Call it before the
  /// program ends: the actor system waits for its actors, and the workers otherwise end only with
  /// their senders.
  void end() const;

private:
  struct State;

  std::shared_ptr<State> state_;
};

/// Lets senders on other nodes spawn workers of a class by a name, with `remote_spawn`. The class
/// is an event-based actor that is constructed from `Ts`. As with `child_of`, the exit reason keeps
/// the text of an exception. Call this after `init_network`, and before the actor system is made.
/// The result may be dropped; a program needs it only to end the workers before the program ends.
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
      throw std::invalid_argument("the arguments do not have the types that the worker takes");
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

/// The same for a worker that is a function, see `child_of`. Its parameters say of which types the
/// arguments are.
template <caf::spawn_options Options = caf::no_spawn_options, class F>
RemoteWorkers add_remote_worker(caf::actor_system_config& config, const std::string& name,
                                F function) {
  constexpr auto is_worker = detail::is_worker_with_one_signature<F>();
  if constexpr (is_worker) {
    return RemoteWorkers(
      config, name,
      [function = std::move(function)](caf::actor_system& system, const caf::message& arguments) {
        return detail::spawn_function_with<Options>(system, function, arguments);
      });
  } else {
    static_assert(is_worker, "add_remote_worker(config, name, function): the function must be a "
                             "worker, caf::behavior worker(caf::event_based_actor* self, "
                             "arguments...), or one with a stateful, a typed or no self, and "
                             "without auto");
    return RemoteWorkers(config, name, {});
  }
}

} // namespace backoff_actor
