#pragma once

#include "account.hpp"
#include "growth.hpp"

#include "backoffctl/common/picture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace backoff_actor::soak {

/// How things stood at one moment.
struct Sample {
  double seconds = 0; ///< since the load began
  double memory_mb = 0;
  std::uint64_t ended = 0; ///< submissions
  std::uint64_t crashes = 0;
};

/// What a soak has come to.
struct Outcome {
  std::uint64_t seed = 0;
  double seconds = 0; ///< how long there was load
  Account::Totals totals{};
  std::uint64_t lost = 0;
  std::uint64_t crashes = 0;
  std::uint64_t failed_starts = 0;
  std::uint64_t hangs = 0;
  std::uint64_t senders_ended = 0;
  std::uint64_t restarts = 0; ///< of the children of supervisors
  std::uint64_t actors_left = 0;
  std::uint64_t watchers = 0;         ///< of the live page, who saw what they had come for
  std::uint64_t watchers_failed = 0;  ///< who did not
  std::uint64_t descriptors_left = 0; ///< of files and sockets, once all is taken down
  std::uint64_t threads_left = 0;     ///< once all is taken down
  std::vector<Sample> samples{};
  Growth growth{};
};

/// Whether all is as it should be.
bool is_fine(const Outcome& outcome);

/// How things stand, for people: `12 s, 345678 ended, 901 crashes, 84 MB`.
std::string progress(const Sample& sample);

/// The result in one line, for people.
std::string last_line(const Outcome& outcome);

/// The result for programs, and a line end.
std::string json(const Outcome& outcome);

/// The picture of memory and throughput over time.
pictures::Picture picture(const Outcome& outcome, const backoffctl::PlotRequest& plot);

} // namespace backoff_actor::soak
