#pragma once

#include "event_loop.hpp"

#include "backoff_actor/net/internal/socket.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace backoffctl {

/// A command of this program in a process of its own, of which each line of stdout is told. It ends
/// with this object, and with this process, whatever ends that, also while it is stopped.
///
/// It has a process group of its own, so that a Ctrl-C on the terminal does not reach it.
///
/// @thread that of the loop, which must be the only one, and not end before the process
class ChildProcess {
public:
  using OnLine = std::function<void(const std::string&)>;
  using OnEnd = std::function<void()>;

  /// Starts `backoffctl` with the arguments.
  ///
  /// @param on_end is called when it has closed its stdout by itself
  /// @errors throws `std::runtime_error`
  ChildProcess(EventLoop& loop, const std::vector<std::string>& arguments, OnLine on_line,
               OnEnd on_end);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Kills it.
  ~ChildProcess();

  /// Stops it; it no longer runs when this returns.
  void stop();

  /// Lets it go on.
  void go_on();

  /// Waits for its end, and says how it was: `exit code 1`.
  std::string ending();

private:
  void read_lines();

  OnLine on_line_;
  OnEnd on_end_;
  pid_t id_ = -1;
  backoff_actor::net::Descriptor output_;
  std::string unfinished_line_;
  std::unique_ptr<LoopEvent> on_output_;
};

} // namespace backoffctl
