#pragma once

#include "common/process.hpp"

#include <string>

namespace example {

/// A file to which lines are added, each by one write(2) at its end: a line is whole or not there,
/// whenever SIGKILL comes, and no other process that adds lines gets in between.
///
/// @thread all members but the constructor may be called from any thread.
class LineFile {
public:
  /// What becomes of lines that are in the file already.
  enum class Begin { behind_them, without_them };

  /// @errors throws `std::system_error` if the file cannot be opened.
  explicit LineFile(std::string path, Begin begin = Begin::behind_them);

  /// Adds a line, to be given without its end. If it cannot be written the program says so and ends
  /// with exit code 1: what it does afterwards would be unaccounted for.
  void write(std::string line) const;

private:
  std::string path_;
  FileDescriptor file_;
};

} // namespace example
