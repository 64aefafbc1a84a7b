#pragma once

// Lines through a socket of the machine, which has a name in the file system.

#include "common/process.hpp"

#include <optional>
#include <string>

namespace cluster {

/// Listens under a name.
///
/// @errors throws `std::system_error`
example::FileDescriptor listen_at(const std::string& path);

/// Connects to who listens there.
///
/// @errors throws `std::system_error`
example::FileDescriptor connect_to(const std::string& path);

/// Sends a text. Returns whether it was taken.
bool send_text(int socket, const std::string& text);

/// Takes the lines out of a stream.
class LineReader {
public:
  /// Waits for bytes once. Returns whether the stream goes on.
  bool read_from(int socket);

  /// The next line that is complete.
  std::optional<std::string> next();

private:
  std::string bytes_;
};

} // namespace cluster
