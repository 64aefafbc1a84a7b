#pragma once

// CAF's middleman connects with a connect(2) that blocks, in its one actor: a host that does not answer keeps it for
// two minutes, and all other connections with it; so does a name that cannot be resolved. Then it waits for
// the other node's handshake, without limit if heartbeats are off, and says little of what went wrong.
//
// So before CAF is asked to connect, somebody knocks, in a thread of his own: connects, looks at the handshake, which a
// node sends as soon as it has accepted, and closes the connection.

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/remote_dial.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace backoff_actor {

/// Where somebody knocks, and what is asked of who answers.
struct KnockOptions {
  std::string host{};     ///< a name or an address
  std::uint16_t port = 0; ///< not 0

  /// For all that is done, from looking the name up to the last byte. The addresses of a name are tried in turn; each
  /// but the last gets an equal share of the time that is left.
  Duration limit{std::chrono::seconds{2}};

  bool checks_types = true; ///< the other node has all types that this one was set up with
  bool needs_published_actor = false; ///< there is an actor at that port
};

/// Somebody who knocks at a node.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_HIDDEN Knock {
public:
  /// Is told what is wrong with the node, in a sentence without its name, or nothing. Is called once, in a thread that
  /// belongs to nobody; it is to be short, does not throw, and does not call `cancel`.
  using Done = std::function<void(const std::string& problem)>;

  /// Begins. What is needed of the actor system is read before it returns: nothing touches it later.
  ///
  /// @errors throws `std::system_error` if no descriptor or thread is left.
  static std::shared_ptr<Knock> start(const caf::actor_system& system, KnockOptions options,
                                      Done done);

  /// Is `start`'s own.
  Knock(KnockOptions options, std::vector<std::string> identifiers, Done done);

  /// Ends it: when this has returned, `done` is neither running nor ever called, and what it held is gone.
  /// Waits for nothing but a `done` that is running.
  void cancel();

  /// The address that has answered, as a number; to be asked once `done` was told of no problem. What connects to it
  /// instead of the name needs no resolver, and does not try an address of the name that does not answer.
  const std::string& address() const { return address_; }

private:
  enum class Progress : std::uint8_t { none, connected, greeted };

  // What came of one address.
  struct Attempt {
    std::string problem;
    Progress progress = Progress::none;
    bool is_stopped = false;
  };

  void run();
  Attempt try_all();
  Attempt try_one(const remote_dial::Address& address, const remote_dial::Patience& patience,
                  const std::string& limit) const;
  std::string judge(const remote_seam::Greeting& greeting) const;

  const KnockOptions options_;
  const std::vector<std::string> identifiers_; // this node's
  const remote_dial::Signal stop_;
  std::string address_; // written before `done` is called
  std::mutex mutex_;
  Done done_; // none: was called, or never will be
};

} // namespace backoff_actor
