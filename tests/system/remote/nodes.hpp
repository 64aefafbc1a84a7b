#pragma once

#include "common/patience.hpp"
#include "common/tcp_stream.hpp"

#include <backoff_actor/caf/remote/internal/io_compat.hpp>
#include <backoff_actor/caf/remote/internal/remote_dial.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::remote_test {

/// What tests send to each other's nodes.
struct Order {
  std::uint64_t number = 0;
};

struct Receipt {
  std::uint64_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, Order& x) {
  return compat::object(f, x, "Order", compat::field("number", x.number));
}

template <class Inspector>
auto inspect(Inspector& f, Receipt& x) {
  return compat::object(f, x, "Receipt", compat::field("number", x.number));
}

} // namespace backoff_actor::remote_test

CAF_BEGIN_TYPE_ID_BLOCK(remote_test, caf::first_custom_type_id + 7)
  CAF_ADD_TYPE_ID(remote_test, (backoff_actor::remote_test::Order))
  CAF_ADD_TYPE_ID(remote_test, (backoff_actor::remote_test::Receipt))
CAF_END_TYPE_ID_BLOCK(remote_test)

namespace backoff_actor::remote_test {

using namespace std::chrono_literals;
using test::TcpStream;

/// An actor that answers an order with a receipt.
class Clerk : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override;
};

/// A busy machine must not be taken for a failed one.
inline NetworkOptions calm() {
  return {.heartbeat_interval = 500ms, .connection_timeout = test::patience};
}

/// A node: an actor system of its own. Those of a test are in one process, and know each other by
/// their ports alone.
class Node {
public:
  /// A step of its configuration.
  using Step = std::function<void(Node&)>;

  /// Set up with the types above, and started; `configure` comes after `init_network`.
  explicit Node(const NetworkOptions& options = calm(), const Step& configure = {});

  /// Started with nothing of ours but the registration of types.
  static std::unique_ptr<Node> without_init_network();

  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Ends its clerks: CAF holds actors that other nodes know, and would wait for them.
  ~Node();

  /// Spawns a clerk, in the node's actor system.
  caf::actor spawn_clerk();

  /// Takes connections at a free port of 127.0.0.1, which it returns; without an actor.
  std::uint16_t listen();

  /// The same with a clerk.
  std::uint16_t publish_clerk();

  caf::actor_system_config config;
  std::optional<caf::actor_system> system;

  /// Where it listens; closed before the system ends.
  std::vector<Listener> listeners;

private:
  struct NotSetUp {};
  explicit Node(NotSetUp);

  std::uint16_t listen_with(const caf::actor& published);

  bool is_set_up_ = true; // with init_network
  std::mutex mutex_;
  std::vector<caf::actor> clerks_;
};

/// Makes a request of any type from an actor of its own, and waits for what comes back; an empty
/// message if nothing comes for long.
caf::message ask(caf::actor_system& system, const caf::actor& whom, caf::message content);

/// Connects with a node at a port of 127.0.0.1, without reading its greeting first. Returns the
/// answer of CAF's broker.
caf::message connect(caf::actor_system& system, std::uint16_t port);

/// Connects likewise, and again after a false timeout of CAF's heartbeats. Fails the test, and
/// returns nothing, if CAF cannot connect.
std::optional<io_compat::Connected> connected(caf::actor_system& system, std::uint16_t port);

/// Dials, and waits for what is said of it; "nothing was said" if nothing is for long.
std::string dial(Node& node, DialOptions options);

/// What a node sends to whoever connects to that port.
std::string greeting_of(std::uint16_t port);

} // namespace backoff_actor::remote_test
