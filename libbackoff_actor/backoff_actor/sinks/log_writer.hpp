#pragma once

#include "backoff_actor/core/event/severity.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/observe/log_line.hpp"
#include "backoff_actor/sinks/observatory.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace backoff_actor {

/// What a log says, and how much of it.
struct LogOptions {
  /// Events below this are left out. `info` is silent while nothing fails; `debug` writes several
  /// lines for each message.
  Severity at_least = Severity::info;

  /// How a line is written.
  LogFormat format = LogFormat::text;

  /// The most lines in a second, of all senders together.
  ///
  /// @range 1..1000000
  std::uint32_t max_per_second = 1000;

  /// The most lines that wait while the place where they go is slow or blocked.
  ///
  /// @range 1..1000000
  std::uint32_t capacity = 10'000;

  /// How long the destructor waits for lines that are not written yet.
  ///
  /// @range 0 or more
  Duration patience{std::chrono::seconds{1}};

  /// Counts the lines that were left out. Unset: only `LogWriter::left_out` does.
  std::optional<Observatory> observed_by{};
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check(const LogOptions& options);

/// Writes what happens to a log, in a thread of its own. An actor that reports something never
/// waits for it: a line that would be too many is left out, and the log says how many were.
///
///     LogWriter log{{.format = LogFormat::json}};
///     options.on_event = log.hook();            // of senders
///     supervisor_options.on_event = log.hook(); // and of supervisors, guards and networks
///
/// Its hooks may outlive everything. After the writer they do nothing.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT LogWriter {
  struct State;

public:
  /// Takes whole lines, each with its line end. It may block, which delays nobody but the log. What
  /// it throws is ignored, and its lines count as left out.
  ///
  /// @thread the writer's
  using Write = std::function<void(std::string_view lines)>;

  /// Puts what happens into the log.
  class BACKOFF_ACTOR_EXPORT Hook {
  public:
    /// Takes an event of a sender, a supervisor, a guard or a network.
    ///
    /// @thread any
    template <class AnyEvent>
    void operator()(const AnyEvent& event) const {
      if (severity_of(event) < at_least_)
        return;
      put(line_of(event, std::chrono::system_clock::now(), format_));
    }

  private:
    friend class LogWriter;

    Hook(std::weak_ptr<State> state, const LogOptions& options)
      : state_(std::move(state)), at_least_(options.at_least), format_(options.format) {}

    void put(std::string line) const;

    std::weak_ptr<State> state_;
    Severity at_least_;
    LogFormat format_;
  };

  /// Begins to write, to the error stream if `write` is empty.
  ///
  /// @errors throws `InvalidArgument` naming the options that are wrong.
  explicit LogWriter(const LogOptions& options = {}, Write write = {});
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  /// Writes what waits. If that takes longer than `patience`, the rest is lost, and what `write`
  /// uses must live on: the thread is left behind in it.
  ~LogWriter();

  /// Returns a function for `on_event`.
  Hook hook() const;

  /// How many lines were left out so far.
  std::uint64_t left_out() const;

private:
  static void run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

} // namespace backoff_actor
