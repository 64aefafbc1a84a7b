#pragma once

#include "common/process.hpp"
#include "common/reserved_port.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

namespace redis_client {

/// A Redis server of our own, `redis-server`, that writes each command to disk before it answers.
/// It keeps its port and its data from one start to the next, and does not outlive this object.
///
/// @thread safe from any thread.
class RedisServer {
public:
  /// @param folder for its data; it must outlive this
  /// @errors throws `std::system_error` if there is no free port.
  explicit RedisServer(const std::filesystem::path& folder) : folder_(folder) {}

  /// Starts it, and does not wait until it takes connections.
  ///
  /// @errors throws `std::runtime_error` that says why it cannot be started.
  void start();

  /// Kills it with SIGKILL, in the middle of whatever it does, and waits for its end.
  void kill();

  /// Returns why it ended, if it did and was not killed; else nothing.
  std::string unexpected_ending();

  int port() const { return port_.number(); }

private:
  std::filesystem::path folder_;
  example::ReservedPort port_;
  std::mutex mutex_;
  std::unique_ptr<example::Process> process_;
};

} // namespace redis_client
