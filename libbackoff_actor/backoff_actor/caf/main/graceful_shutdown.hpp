#pragma once

#include "backoff_actor/caf/main/exit_report.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/shutdown_summary.hpp"
#include "backoff_actor/process/stop_signals.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor {

/// The options of a `GracefulShutdown`. With the defaults a program ends within 25 s of a signal.
/// Kubernetes kills it after 30 s, and systemd after 90 s. Docker does after 10 s: there, set
/// shorter ones or `docker stop --time`.
struct ShutdownOptions {
  /// How long the roots may take to finish what is in flight; the grace of the `Stop` that each of
  /// them gets.
  ///
  /// @range above 0
  Duration grace = std::chrono::seconds{15};

  /// How long after the grace the program may live on. A sender takes up to
  /// `SenderOptions::kill_grace` of it to kill and abandon a child that hangs. A root that has not
  /// answered by then is waited for no longer.
  ///
  /// After a signal the process ends by then, whichever of its threads hangs: one of `main`, of a
  /// child, or one that waits for a database or for the name of a server. It is ended as by
  /// `std::_Exit(1)`, at the latest two seconds later. Without a signal, it is ended like this only
  /// if a child was abandoned, or a root has not ended. `Duration::max()`: never.
  ///
  /// @range 0 and above
  Duration force_end_after = std::chrono::seconds{10};

  /// The report about senders that still owe when the object goes out of scope. Its `on_line` gets
  /// the lines about the stop too.
  ExitReportOptions report{};
};

/// Returns everything that is wrong with the options.
BACKOFF_ACTOR_EXPORT Problems check(const ShutdownOptions& options);

/// Ends a program in order, for `main`. It waits for SIGINT or SIGTERM, and then stops the roots,
/// senders and supervisors, with a grace:
///
///     int main() {
///       caf::actor_system_config config;
///       backoff_actor::init(config);
///       caf::actor_system system{config};
///       backoff_actor::GracefulShutdown shutdown{system};
///       shutdown.add(backoff_actor::spawn_back_off_sender(system, make_worker));
///       ...
///       return shutdown.wait_and_stop();
///     }
///
/// It stops the roots side by side: each finishes what is in flight, accepts nothing new, and
/// leaves the rest in its durable outbox or makes dead letters of it, see `Stop::grace`. On the
/// error stream it says which signal came, how long it waits at most, and how it ended:
///
///     backoff_actor: SIGTERM: stopping, within 15s. A second signal ends the program at once.
///     backoff_actor: stopped after 1.2s: 3 acknowledged, 12 suspended, 0 dead-lettered, 0 children
///     abandoned
///
/// A program that has done its work ends in the same way: it calls `request`, from any thread, or
/// `stop`. It also ends when all roots have ended, or one has ended with an error.
///
/// The exit code says how it went:
///
/// - 0: all has ended in order, by SIGTERM, by a request or by itself. Kubernetes and systemd send
///   SIGTERM in the normal course of things, and take other codes for a failure; systemd even 143.
///   Sidekiq, the BEAM and servers in Go end with 0, too.
/// - 130: the same by SIGINT, whose number is 2. So a shell script that runs the program sees that
///   its user interrupted it.
/// - 1: deliveries became dead letters, a child or a root did not end, or a root ended with an
///   error. Whoever runs the program should read what it said.
/// - 128 plus the signal's number: a second signal came, and ended the process at once.
///
/// It hears signals from its construction on, see `StopSignals`: one that comes before `wait` ends
/// the wait at once. It may be made after the actor system's threads exist. One such object may
/// exist at a time in a process.
///
/// When it goes out of scope, the signal handlers are those of before. If senders of the system
/// still owe, it reports them as `ExitReport` does. Declare it after the actor system. It must not
/// be used with one in virtual time.
///
/// @thread make it, call it and destroy it in one thread, which is not an actor's; `request` in
///         any.
class BACKOFF_ACTOR_EXPORT GracefulShutdown {
public:
  /// Hears signals from now on, and notes the senders that are started.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and what the
  ///         constructor of `StopSignals` throws: mainly `std::logic_error` if there is another.
  explicit GracefulShutdown(caf::actor_system& system, ShutdownOptions options = {});
  GracefulShutdown(const GracefulShutdown&) = delete;
  GracefulShutdown& operator=(const GracefulShutdown&) = delete;
  /// Reports senders that still owe. It throws nothing.
  ~GracefulShutdown();

  /// Gives it a root to stop, and holds the handle until then. A root is a sender or a supervisor
  /// of this process. Any other actor is told to end (`exit_reason::user_shutdown`), and waited
  /// for.
  ///
  /// @range a valid handle
  void add(caf::actor root);

  /// Waits for a reason to stop: a signal, a request, or the end of the roots.
  void wait();

  /// Waits as `wait` does, but no longer than `span`. Returns whether there is a reason to stop.
  bool wait_for(Duration span);

  /// Makes `wait` return, as a signal does.
  ///
  /// @thread any, and any signal handler
  static void request() noexcept { StopSignals::request(); }

  /// Stops the roots, and returns the exit code. Takes at most `grace` plus `force_end_after`. A
  /// second call returns the same code.
  int stop();

  /// Waits for a reason to stop, and stops the roots. Returns the exit code.
  [[nodiscard("the exit code of the program")]] int wait_and_stop();

  /// The first signal that came, `SIGINT` or `SIGTERM`; 0: none.
  int signal() { return signals_ ? signals_->signal() : 0; }

  /// How the stop went; unset: `stop` was not called.
  const std::optional<ShutdownSummary>& summary() const { return summary_; }

private:
  class Roots;

  Duration longest_stop() const;
  void tell(const std::string& line) const;

  caf::actor_system& system_;
  ShutdownOptions options_;
  std::shared_ptr<detail::SenderRegistry> senders_;
  std::shared_ptr<Roots> roots_; // shared with what the roots call when they end
  std::optional<StopSignals> signals_;
  std::optional<ShutdownSummary> summary_;
};

} // namespace backoff_actor
