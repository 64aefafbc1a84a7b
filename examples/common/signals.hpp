#pragma once

#include <chrono>
#include <csignal>
#include <optional>

namespace example {

/// Takes SIGINT and SIGTERM out of the way of every thread that is started after it, to be waited
/// for.
class Signals {
public:
  Signals();

  /// Returns the first of them that comes within `span`. From then on they do what they do by
  /// default, so that a second Ctrl-C ends a program that does not end by itself.
  ///
  /// @thread that of the constructor
  std::optional<int> wait(std::chrono::milliseconds span);

private:
  sigset_t waited_for_;
};

} // namespace example
