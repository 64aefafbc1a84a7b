#pragma once

#include "backoff_actor/observe/events.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace http_guard {

struct Counts {
  std::uint64_t accepted = 0;     ///< those of `known` included, but not those of `restored`
  std::uint64_t acknowledged = 0; ///< the same
  std::uint64_t dead_lettered = 0;
  std::uint64_t crashes = 0; ///< failed starts included
  std::uint64_t nacks = 0;   ///< the worker lives, and could not do it for now
  std::uint64_t hand_overs = 0;
  std::uint64_t resends = 0; ///< of the hand-overs, those of what was handed over before
  std::uint64_t known = 0;   ///< of the acknowledged, those that were it before they were submitted
  std::uint64_t restored = 0;       ///< what the durable outbox owed from before
  std::uint64_t restored_ended = 0; ///< of these, those that are owed no longer
  std::uint64_t suspended = 0;      ///< what the durable outbox owes for the next time
};

/// What a live line shows.
struct Present {
  Counts counts;
  std::uint32_t incarnation = 0; ///< of the worker that was made last
  std::uint32_t workers_up = 0;
  std::optional<backoff_actor::Duration> delay; ///< that which runs
  std::string last_cause;
};

/// What is known after a run.
///
/// @units seconds since the start of the run
struct Timeline {
  struct Failure {
    double at;
    double delay;      ///< what the backoff said, or the service if that is longer
    std::size_t cause; ///< an index into `causes`
    bool is_nack;      ///< otherwise a crash
  };
  struct Progress {
    double at;
    std::uint64_t acknowledged;
    std::uint64_t resends;
  };
  struct Outage {
    double from;
    double to;
  };

  double end = 0;
  std::vector<Failure> failures;
  std::vector<std::string> causes; ///< in order of first appearance
  std::vector<Progress> progress;
  std::vector<Outage> outages;
  std::vector<double> latencies; ///< in no order
  double longest_wish = 0;       ///< of a service, to be left alone; 0: there was none
};

/// Keeps what the sender's events tell.
///
/// @thread all members may be called from any thread.
class RunRecord {
public:
  /// @param before what an earlier life of the run has counted, of which the crashes, nacks,
  ///               hand-overs and resends are counted on
  explicit RunRecord(const Counts& before = {});

  /// The hook of the sender.
  void on_event(const backoff_actor::Event& event);

  /// A client was told that its job had been acknowledged before. Told by the client.
  void known_before();

  /// The service was killed, and was started again. Told by whoever did it, not by an event.
  void service_down();
  void service_up();

  /// The end of the run; nothing is recorded after it.
  void finish();

  Counts counts() const;
  Present present() const;
  Timeline timeline() const;

private:
  class Reader; // one line or two per kind of event

  double now() const;
  double since_start(backoff_actor::Instant at);
  std::size_t index_of(const std::string& cause);

  mutable std::mutex mutex_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<backoff_actor::Instant> origin_; // the start of the run on the events' time line
  Present present_;
  bool last_is_nack_ = false;
  std::uint64_t last_restored_ = 0; // all up to this delivery were owed from before
  Timeline timeline_;
  std::map<std::string, std::size_t> cause_indices_;
};

} // namespace http_guard
