#pragma once

// CAF's middleman connects in a single actor, with a connect(2) that blocks. A host that does not
// answer blocks that actor for two minutes, and with it all other connections; so does a name that
// cannot be resolved. Then the middleman waits for the other node's handshake, without limit if
// heartbeats are off. Its errors say little about the cause.
//
// So a knock comes before CAF's connection, in a thread of its own. A node sends its handshake as
// soon as it has accepted a connection. The knock connects, checks this handshake, and closes the
// connection.

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/remote_resolver.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace backoff_actor {

/// Where to knock, and what is required of the node.
struct KnockOptions {
  std::string host{};     ///< a name or an address
  std::uint16_t port = 0; ///< not 0

  /// The time limit for the whole knock, from resolving the name to the last byte. The addresses of
  /// a name are tried in turn. The time that is left is divided equally among the remaining
  /// addresses.
  Duration limit{std::chrono::seconds{2}};

  bool checks_types = true; ///< the node must have all types that this one was set up with
  bool needs_published_actor = false; ///< an actor must be published at that port
};

/// A check whether a node can be reached and is suitable.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_HIDDEN Knock {
public:
  /// Gets the node's problem, in a sentence without its name; empty if there is none. It is called
  /// at most once, in the knock's own thread. It must be short, must not throw, and must not call
  /// `cancel`.
  using Done = std::function<void(const std::string& problem)>;

  /// Starts a knock. Reads the actor system's configuration before it returns, and does not touch
  /// the system later.
  ///
  /// @errors throws `std::system_error` if no descriptor or thread is left.
  static std::shared_ptr<Knock> start(const caf::actor_system& system, KnockOptions options,
                                      Done done);

  /// For `start` only.
  Knock(KnockOptions options, std::vector<std::string> identifiers, Done done);

  /// Cancels the knock. After this has returned, `done` is not running and is never called, and it
  /// has been destroyed. Waits only for a `done` that is running.
  void cancel();

  /// The numeric address that has answered. Valid once `done` was called without a problem. A
  /// connection to it needs no resolver, and does not try addresses of the name that do not answer.
  const std::string& address() const { return address_; }

private:
  enum class Progress : std::uint8_t { none, connected, greeted };

  // The result for one address.
  struct Attempt {
    std::string problem;
    Progress progress = Progress::none;
    bool is_stopped = false;
  };

  void run();
  Attempt try_all();
  Attempt try_one(const net::Address& address, const net::Patience& patience,
                  const std::string& limit) const;
  std::string judge(const io_compat::Greeting& greeting) const;

  const KnockOptions options_;
  const std::vector<std::string> identifiers_; // this node's
  const remote_resolver::Signal stop_;
  std::string address_; // written before `done` is called
  std::mutex mutex_;
  Done done_; // empty: was called, or was cancelled
};

} // namespace backoff_actor
