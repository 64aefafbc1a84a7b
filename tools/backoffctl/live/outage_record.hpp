#pragma once

#include "backoff_actor/lab/simulation/outage_summary.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// What happened in a real outage, put together second by second from what server and clients
/// print.
///
/// @units clock_s: seconds of CLOCK_MONOTONIC
class OutageRecord {
public:
  /// A line of `load --json --every 1s`.
  ///
  /// @errors throws `std::runtime_error` if it is none.
  void add_load_line(const std::string& line);

  /// A line of `serve --json`. Those before the first of the clients' seconds are not kept.
  ///
  /// @errors throws `std::runtime_error` if it is none.
  void add_server_line(const std::string& line);

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
  struct ServerSecond {
    double concurrency = 0;
    std::uint64_t peak_concurrency = 0;
    std::uint64_t lost_work = 0;            // finished
    std::uint64_t worked_on_for_nobody = 0; // at its end
  };

  std::optional<double> begun_clock_s_; // of the first of the clients' seconds
  std::optional<double> stopped_clock_s_;
  std::optional<double> back_clock_s_;
  std::vector<ClientSecond> clients_;
  std::vector<std::optional<ServerSecond>> server_;
};

} // namespace backoffctl
