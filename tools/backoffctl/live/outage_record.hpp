#pragma once

#include "live.hpp"

#include "backoff_actor/lab/simulation/internal/outage_summary.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace backoffctl {

/// What happened in a real outage, put together second by second from what server and clients tell.
///
/// @units clock_s: seconds of CLOCK_MONOTONIC
class OutageRecord {
public:
  /// What the clients' calls came to in a second that ended at `clock_s`.
  void add_load(double clock_s, double span_s, const CallCounts& counts);

  /// A second of the server. Those before the first of the clients' seconds are not kept.
  void add_server(const ServerSecond& second);

  /// The server was stopped.
  void stopped(double clock_s) { stopped_clock_s_ = clock_s; }

  /// The server was continued.
  void back(double clock_s) { back_clock_s_ = clock_s; }

  /// How many seconds of the clients are known.
  std::size_t size() const { return clients_.size(); }

  /// Whether the last seconds, so many, are known and without a call that failed.
  bool is_steady(std::size_t seconds) const;

  /// The seconds so far. In those in which the server was stopped it says nothing, and has what it
  /// had.
  std::vector<backoff_actor::OutageSecond> seconds() const;

  /// When what happened, after an outage.
  ///
  /// @param warm_s how many seconds at the beginning are not yet as usual
  backoff_actor::OutageTimes times(double warm_s) const;

  /// What the outage came to.
  backoff_actor::OutageSummary summary(double warm_s) const;

private:
  struct ClientSecond {
    std::uint64_t attempts = 0;
    std::uint64_t ok = 0;
    std::uint64_t failed = 0;
    double latency_sum_s = 0;
  };

  std::optional<double> begun_clock_s_; // of the first of the clients' seconds
  std::optional<double> stopped_clock_s_;
  std::optional<double> back_clock_s_;
  std::vector<ClientSecond> clients_;
  std::vector<std::optional<ServerSecond>> server_;
};

} // namespace backoffctl
