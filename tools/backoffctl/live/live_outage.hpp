#pragma once

#include "child_process.hpp"
#include "event_loop.hpp"
#include "outage_record.hpp"

#include "backoffctl/common/progress_line.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What an outage is to be like.
struct OutageSettings {
  std::vector<std::string> server;  ///< its arguments
  std::vector<std::string> clients; ///< their arguments
  backoff_actor::Duration warm_up = std::chrono::seconds{15};
  backoff_actor::Duration stop_for = std::chrono::seconds{20};
  backoff_actor::Duration watch = std::chrono::seconds{60};
  bool shows_progress = false;
};

/// An outage, for real: a server and its clients in processes of their own, of which the first is
/// stopped and continued. Whatever ends this, or this process, ends them, too.
class LiveOutage {
public:
  /// Starts the server.
  LiveOutage(EventLoop& loop, const OutageSettings& settings);
  LiveOutage(const LiveOutage&) = delete;
  LiveOutage& operator=(const LiveOutage&) = delete;

  /// What happened; complete when the loop has ended without a signal.
  const OutageRecord& record() const { return record_; }

  /// How many seconds at the beginning do not tell what is normal.
  ///
  /// The calls of independent clients come at their usual rate from the start; only the first of
  /// them are still under way when it ends.
  static constexpr double warm_s = 1;

private:
  enum class Phase { starting, warming_up, stopped, watching };

  void on_server_line(const std::string& line);
  void on_load_line(const std::string& line);
  void stop_server();
  void continue_server();
  void enter(Phase phase, const char* what, backoff_actor::Duration span);
  void show_progress();

  EventLoop& loop_;
  OutageSettings settings_;
  OutageRecord record_;
  Phase phase_ = Phase::starting;
  std::size_t end_ = 0; // of the clients' seconds that are watched
  backoff_actor::Instant phase_begun_;
  LoopEvent at_end_of_outage_;
  LoopEvent progress_tick_;
  std::optional<ProgressLine> progress_;
  std::uint64_t progress_total_ = 1; // ms
  std::unique_ptr<ChildProcess> server_;
  std::unique_ptr<ChildProcess> clients_;
};

} // namespace backoffctl
