#pragma once

#include "backoff_actor/core/time.hpp"

#include <event2/event.h>

#include <exception>
#include <functional>
#include <memory>
#include <optional>

namespace backoffctl {

/// An event loop of libevent.
///
/// @thread what is made of it is used and destroyed in the thread that runs it, and before it.
class EventLoop {
public:
  /// @errors throws `std::runtime_error` if the system gives none.
  EventLoop();

  /// Runs until `stop`, or until a callback throws, which is thrown on.
  void run();

  /// Ends `run` when the present callback returns.
  void stop() { event_base_loopbreak(base_.get()); }

  event_base* base() const { return base_.get(); }

  /// Real time, which goes on while the process is stopped; never what the loop remembers of it.
  static backoff_actor::Instant now();

  /// Ends `run` by what was thrown: no exception may pass through libevent.
  void fail(std::exception_ptr failure);

private:
  struct Free {
    void operator()(event_base* base) const { event_base_free(base); }
  };
  std::exception_ptr failure_;
  std::unique_ptr<event_base, Free> base_;
};

/// A callback of an event loop: after a time, when there is something to read, or on a signal.
class LoopEvent {
public:
  using Callback = std::function<void()>;

  /// One that waits for a time, or to be made to happen.
  LoopEvent(EventLoop& loop, Callback callback);

  /// One that happens whenever `descriptor` can be read.
  static std::unique_ptr<LoopEvent> on_readable(EventLoop& loop, int descriptor, Callback callback);

  /// One that happens whenever the process gets a signal.
  static std::unique_ptr<LoopEvent> on_signal(EventLoop& loop, int signal, Callback callback);

  LoopEvent(const LoopEvent&) = delete;
  LoopEvent& operator=(const LoopEvent&) = delete;

  /// Makes it happen once, after a span. What was to happen before is forgotten.
  void in(backoff_actor::Duration span);

  /// Makes it happen once, soon; not from within this call.
  void soon() { in(backoff_actor::Duration::zero()); }

  /// Makes it not happen.
  void cancel() { event_del(event_.get()); }

private:
  struct Free {
    void operator()(event* x) const { event_free(x); }
  };

  LoopEvent(EventLoop& loop, int descriptor, short what, Callback callback);
  static void happen(int, short, void* self);

  EventLoop& loop_;
  Callback callback_;
  std::unique_ptr<event, Free> event_;
};

/// Something that is due at regular times, however long each takes, and for how long all goes on.
class Reports {
public:
  /// What is due; it is told how long ago the last was.
  using Report = std::function<void(double clock_s, double span_s)>;

  /// The first report is due after `every`. The loop ends after `in_all`, if there is such a time.
  Reports(EventLoop& loop, backoff_actor::Duration every,
          std::optional<backoff_actor::Duration> in_all, Report report);
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

private:
  void tick();

  backoff_actor::Duration every_;
  Report report_;
  backoff_actor::Instant last_;
  backoff_actor::Instant due_;
  LoopEvent next_;
  LoopEvent end_;
};

/// Ends a loop on SIGINT and SIGTERM, and remembers which it was.
class EndOnSignal {
public:
  explicit EndOnSignal(EventLoop& loop);

  /// The signal that ended the loop.
  std::optional<int> signal() const { return signal_; }

  /// The exit code of a program that ends so: 0 without a signal.
  int exit_code() const { return signal_ ? 128 + *signal_ : 0; }

private:
  std::optional<int> signal_;
  std::unique_ptr<LoopEvent> interrupt_;
  std::unique_ptr<LoopEvent> terminate_;
};

} // namespace backoffctl
