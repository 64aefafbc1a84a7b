#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

namespace backoff_actor {

/// Hears SIGINT and SIGTERM for a program that wants to end in order, and wakes the thread that
/// waits. A program with an actor system takes `GracefulShutdown`, which contains one.
///
/// The first signal only wakes whoever waits. The second ends the process at once, with the exit
/// code 128 plus its number, even if all threads are blocked.
///
/// `request` wakes a thread that waits, too. So a program that has done its work ends in the same
/// way as one that was told to.
///
/// It may be made at any time, also after other threads exist: it installs signal handlers, and
/// needs no signal mask that other threads inherit. It hears both signals even if they were ignored
/// or, in its own thread, blocked before. Any thread may run the handler, so a system call that
/// cannot be restarted may return `EINTR`.
///
/// When it goes, the handlers and the mask are those of before. If a signal came of which the
/// program was not told, by `wait`, `wait_for` or `signal`, it is then raised again.
///
/// A child process of `fork` may make one of its own, even while its parent's exists. A signal that
/// the child gets before that is lost.
///
/// @thread make it, wait and destroy it in one thread; `request` in any.
class BACKOFF_ACTOR_EXPORT StopSignals {
public:
  /// Installs the handlers.
  ///
  /// @errors throws `std::logic_error` if another one exists in this process, and
  ///         `std::system_error` if the process has no file descriptors left.
  StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  /// Restores the handlers.
  ~StopSignals();

  /// Waits for a signal or a request. Returns at once if one came before.
  void wait();

  /// Waits as `wait` does, but no longer than `span`. Returns whether a signal or a request came.
  bool wait_for(Duration span);

  /// Wakes the thread that waits, as a signal would. Nothing happens if there is no such object.
  ///
  /// @thread any, and any signal handler
  static void request() noexcept;

  /// The first signal that came, `SIGINT` or `SIGTERM`; 0: none.
  int signal();

private:
  bool is_told_ = false; // that there is a reason to stop
};

} // namespace backoff_actor
