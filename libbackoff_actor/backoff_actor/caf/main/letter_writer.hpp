#pragma once

#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/observe/log_line.hpp"

#include <filesystem>
#include <string>

namespace backoff_actor {

/// Appends dead letters to a file, a line each, with the message in words. It is a hook for
/// `on_dead_letter`, and can be copied into the options of several senders:
///
///     options.on_dead_letter = LetterWriter{"letters.log"};
///
/// The operating system has the line before the sender goes on, so the end of the process loses
/// none. A line that cannot be written is told by `event::DeadLetterHookFailed`, which has the
/// letter. The file is opened for each letter, so other programs may rotate it: it can be moved
/// away at any time. Only its owner may read a new file.
///
/// A line of `LogFormat::logfmt` or `json` begins with `ts`, `level` and `event`. `sender` follows
/// if it has a name. Then come `delivery`, `reason`, `attempts`, `age_s` and `message`. The letter
/// may also have `cause`, `key`, `idempotency_key` and `worker`.
///
/// @thread safe from any thread. Several processes may append to one file.
class BACKOFF_ACTOR_EXPORT LetterWriter {
public:
  /// Makes the file if it is not there. Each line has the name `sender`, unless it is empty.
  ///
  /// @errors throws `InvalidArgument` if the file cannot be written.
  explicit LetterWriter(const std::filesystem::path& file, LogFormat format = LogFormat::text,
                        std::string sender = {});

  /// Appends a line.
  ///
  /// @errors throws `std::system_error` if the line cannot be written.
  void operator()(const DeadLetter& letter) const;

private:
  std::filesystem::path file_;
  LogFormat format_;
  std::string sender_;
};

} // namespace backoff_actor
