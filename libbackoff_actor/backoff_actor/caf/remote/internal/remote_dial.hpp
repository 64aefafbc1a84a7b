#pragma once

// CAF's middleman connects in a single actor, with a connect(2) that blocks. A host that does not
// answer blocks that actor for two minutes, and with it all other connections; so does a name that
// cannot be resolved. Then the middleman waits for the other node's handshake, without limit if
// heartbeats are off. Its errors say little about the cause, and it knows no TLS.
//
// So a dial connects in a thread of its own, and has both sides prove who they are. A node sends
// its greeting as soon as it has accepted a connection. The dial checks the greeting, and hands it
// to CAF with the connection. So CAF never talks with a node that is not suitable.

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/node.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/internal/wire.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor_system.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor {

/// Where to dial, and what is required of the node.
struct DialOptions {
  std::string host{};     ///< a name or an address
  std::uint16_t port = 0; ///< not 0

  /// The time limit for the whole dial, from resolving the name to the last byte of the greeting.
  /// The addresses of a name are tried in turn. The time that is left is divided equally among the
  /// remaining addresses.
  Duration limit{std::chrono::seconds{2}};

  bool checks_types = true; ///< the node must have all types that this one was set up with
  bool needs_published_actor = false; ///< an actor must be published at that port
};

/// An attempt to connect with a node that can be reached and is suitable.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_HIDDEN Dial {
public:
  /// Gets the node's problem, in a sentence without its name; empty if there is none. It is called
  /// at most once, in the dial's own thread. It must be short, must not throw, and must not call
  /// `cancel`.
  using Done = std::function<void(const std::string& problem)>;

  /// Starts a dial. Reads the actor system's configuration before it returns, and does not touch
  /// the system later.
  ///
  /// @errors throws `std::system_error` if no descriptor or thread is left, and
  ///         `std::runtime_error` if the system was not set up with `init_network`.
  static std::shared_ptr<Dial> start(caf::actor_system& system, DialOptions options, Done done);

  /// For `start` only.
  Dial(std::shared_ptr<NetworkNode> node, DialOptions options, std::vector<std::string> identifiers,
       Done done);

  /// Cancels the dial. After this has returned, `done` is not running and is never called, and it
  /// has been destroyed. Waits only for a `done` that is running.
  void cancel();

  /// Gives CAF's end of the connection to the caller, once `done` was called without a problem.
  net::Descriptor take_connection() { return std::move(connection_); }

private:
  enum class Progress : std::uint8_t { none, connected, greeted };

  // The result for one address.
  struct Attempt {
    std::string problem{};
    Progress progress = Progress::none;
    bool is_stopped = false;
  };

  void run();
  Attempt try_all();
  Attempt try_one(const net::Address& address, const net::Patience& patience,
                  const std::string& limit);
  Attempt greet(std::unique_ptr<net::Wire> wire, const net::Patience& patience,
                const std::string& limit);
  std::string judge(const io_compat::Greeting& greeting) const;

  const std::shared_ptr<NetworkNode> node_;
  const DialOptions options_;
  const std::vector<std::string> identifiers_; // this node's
  const net::Signal stop_;
  net::Descriptor connection_; // CAF's end; written before `done` is called
  detail::Mutex mutex_;
  Done done_ BACKOFF_ACTOR_GUARDED_BY(mutex_); // empty: was called, or was cancelled
};

} // namespace backoff_actor
