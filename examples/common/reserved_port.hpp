#pragma once

#include "common/process.hpp"

namespace example {

/// A port of 127.0.0.1, for a server that is to be killed and started again: while it is down
/// its port refuses connections, and yet nobody else, a connection of our own least of all, can be
/// given it. The server must set SO_REUSEADDR, as most do.
class ReservedPort {
public:
  /// Takes the port of that number, or, if it is 0, any that is free.
  ///
  /// @range 0..65535
  /// @errors throws `std::system_error` if it cannot be had.
  explicit ReservedPort(int number = 0);

  int number() const { return number_; }

private:
  FileDescriptor socket_; // bound, and never listening
  int number_ = 0;
};

} // namespace example
