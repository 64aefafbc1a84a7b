#pragma once

#include "common/process.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff_actor::system_test {

/// `shutdown_program`, which runs beside the test. Its output and its errors are lines in order.
class ToldProgram {
public:
  /// Starts it with these arguments, see program.cpp.
  explicit ToldProgram(const std::vector<std::string>& arguments);

  /// Reads until a line begins with `beginning`. Returns that line; empty: it ended before, or said
  /// nothing for too long.
  std::string wait_for(std::string_view beginning);

  void send(int signal) { process_->send(signal); }

  /// Waits until the program has taken a signal that it was sent. It must have said `ready`.
  void wait_until_taken(int signal) const;

  /// Reads until it ends. Returns its exit code; -1: it was ended by a signal, or said nothing for
  /// too long.
  int wait();

  /// All that was read.
  const std::vector<std::string>& lines() const { return lines_; }

  /// How many lines begin with `beginning`.
  std::size_t count(std::string_view beginning) const;

  /// The lines that begin with `beginning`, without it.
  std::vector<std::string> all(std::string_view beginning) const;

  /// For the output of a test that fails.
  std::string text() const;

private:
  bool read_some();

  example::FileDescriptor output_;
  std::optional<example::Process> process_;
  std::vector<std::string> lines_;
  std::string line_;
  bool is_silent_ = false; // for too long
};

} // namespace backoff_actor::system_test
