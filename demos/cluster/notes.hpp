#pragma once

// What the workers tell whoever started them: lines in a file that all of them add to.

#include "common/line_file.hpp"
#include "ledger.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cluster {

/// What a worker has to tell.
struct Note {
  Micros at = 0;
  std::string node;
  /// up, owns, disowned, accepted, cancelling, gone, began, said, quiet, notice, error, stopped
  std::string word;
  /// Of accepted: the job, and when it was submitted; of cancelling and gone: the job; of began and
  /// said: the job, the step of its note, 0: none, its number in the outbox, and the epoch; of
  /// notice and error: for people.
  std::string text;
};

/// Adds notes to the file.
///
/// @thread safe from any thread.
class NoteWriter {
public:
  /// @errors throws `std::system_error`
  NoteWriter(const std::string& file, std::string node);

  void write(const std::string& word, const std::string& text = {}) const;

private:
  example::LineFile file_;
  std::string node_;
};

/// Reads the notes of all workers as they come.
class NoteReader {
public:
  explicit NoteReader(std::string file) : file_(std::move(file)) {}

  /// The notes that are new since the last call, in order.
  std::vector<Note> take();

private:
  std::string file_;
  std::int64_t read_ = 0; // bytes
};

} // namespace cluster
