#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace backoff_actor {

namespace detail {

class SenderRegistry;

} // namespace detail

/// The options of an `ExitReport`.
struct ExitReportOptions {
  /// How long the senders have to acknowledge what they owe before the report says that they do
  /// not.
  ///
  /// @range 0 and above
  Duration patience = std::chrono::seconds{5};

  /// Gets each line, without its end. Empty: it goes to the error stream, behind `backoff_actor: `.
  ///
  /// @errors what it throws is dropped.
  /// @thread that of the object's destructor
  std::function<void(const std::string& line)> on_line{};
};

/// Returns everything that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const ExitReportOptions& options);

/// Says at the end of `main` why the program does not end. An actor system waits for all actors,
/// and a sender that owes a delivery lives until the delivery has ended. Declare the object after
/// the actor system:
///
///     caf::actor_system system{config};
///     backoff_actor::ExitReport report{system};
///
/// When it goes out of scope it asks the senders of that system for their status. If some still owe
/// deliveries when `patience` is over, it names them on the error stream. It says how much they
/// owe, in which state they are, and what would end it:
///
///     after 5s the actor system still waits for 1 sender (1 delivery owed):
///       billing#17: running, 1 owed (1 in flight, oldest 7.2s), child 1
///         Its child has not answered, and without an ack_timeout the sender waits for ever. Set
///         SenderOptions::ack_timeout, or send the sender Stop.
///       Stop ends a sender. A GracefulShutdown in main stops all of them: at SIGTERM, at Ctrl-C,
///       or when the program asks for it.
///
/// A sender that does not answer within a second is named too. The actor system then waits as
/// ever. If no sender owes anything, the object says nothing and takes no time; it waits no longer
/// than needed.
///
/// It knows the senders of the system that are started while it exists, those below
/// supervisors too. It keeps none of them alive, but each takes some 400 bytes more until it ends.
/// It asks some ten thousand senders in a tenth of a second. `GracefulShutdown` contains such a
/// report.
///
/// It must not be used with an actor system in virtual time: that system's actors do not run while
/// the object waits for them.
///
/// @thread not an actor's own thread, which it would block. Senders may be started in any thread.
class BACKOFF_ACTOR_EXPORT ExitReport {
public:
  /// From now on notes the senders that are started.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong.
  explicit ExitReport(caf::actor_system& system, ExitReportOptions options = {});
  ExitReport(const ExitReport&) = delete;
  ExitReport& operator=(const ExitReport&) = delete;
  /// Waits, and reports. It takes at most two seconds longer than `patience`, and throws nothing.
  ~ExitReport();

private:
  caf::actor_system& system_;
  ExitReportOptions options_;
  std::shared_ptr<detail::SenderRegistry> senders_;
};

} // namespace backoff_actor
