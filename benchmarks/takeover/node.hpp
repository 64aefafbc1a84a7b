#pragma once

#include "common/process.hpp"

#include <backoff_actor/core/time.hpp>

#include <optional>
#include <string>
#include <sys/types.h>

namespace takeover {

/// What a node is given.
struct NodeOptions {
  std::string connection; ///< of libpq
  std::string outbox;
  std::string name{};
  backoff_actor::Duration lease{};
  /// The node is a `spawn_owned_sender`, whose child never answers, so what is owed is handed over
  /// again by the next owner. Else it uses the store itself, and commits every 5 ms.
  bool with_sender = false;
  bool is_first = false; ///< the node is to own the outbox before any other
};

/// What a node has told.
enum class News : char {
  waits = 'w', ///< it is about to ask for the outbox
  owns = 'o',  ///< it owns the outbox; with a sender: it has handed over a delivery
  works = 'k', ///< it has committed for a while
};

/// A process that wants an outbox. It ends when the program that started it does, or when it is no
/// longer the owner.
///
/// @errors every member may throw `std::system_error`
class Node {
public:
  /// Starts the process. The caller's thread must be the only one.
  explicit Node(const NodeOptions& options);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  /// Kills the process.
  ~Node();

  /// Sends the process a signal.
  void send(int signal) const;

  /// Waits for news of this kind, and passes over others.
  ///
  /// @returns when the node told it, as `benchmarks::wall_now`, which all processes share; none: it
  ///          has not within so many seconds, or has ended
  std::optional<double> wait_for(News news, double seconds) const;

private:
  pid_t process_ = -1;
  example::FileDescriptor news_;
};

} // namespace takeover
