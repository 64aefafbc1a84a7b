#pragma once

#include "top_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace backoffctl {

/// The workers of a pool, by their state.
struct TopPool {
  std::uint64_t starting = 0;
  std::uint64_t serving = 0;
  std::uint64_t waiting = 0;
  std::uint64_t leaving = 0;
  std::uint64_t resting = 0;
  std::uint64_t ready = 0; ///< deliveries that wait for a worker alone
};

/// A sender.
///
/// @units seconds
struct TopSender {
  std::string name{};
  std::string phase{};
  bool is_paused = false;
  bool is_held_back = false;
  bool is_on_fallback = false;
  bool is_delayed = false;
  bool is_store_behind = false;
  std::uint64_t owed = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t abandoned = 0;
  double oldest_s = 0; ///< how long the oldest message is owed
  double silent_s = 0; ///< since its last turn, if it owes something
  std::uint64_t acknowledged = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t failures = 0;      ///< crashes, failed starts and hangs of its children
  std::optional<double> due_s{};   ///< until its delay ends, if the program says so
  std::string cause{};             ///< why it last failed, if the program says so
  double cause_s = 0;              ///< since then
  std::optional<TopPool> pool{};   ///< of several workers
  std::optional<double> rate_hz{}; ///< acknowledged a second, once it was seen twice
};

/// What a program says of itself: its page `/status`. What is no sender is a row of a table; what
/// somebody should look at comes first.
struct TopStatus {
  std::vector<TopSender> senders{};
  std::uint64_t senders_left_out = 0;
  TopTable ownerships{}; ///< of outboxes that several processes want
  TopTable outboxes{};
  TopTable guards{};
  TopTable supervisors{};
  std::uint64_t supervisors_left_out = 0;
};

/// Reads a page. Keys that it does not know do not matter; a key that an earlier version of the
/// library does not write may be missing.
///
/// @errors throws `std::runtime_error` that names what is missing or of another type.
TopStatus read_status(const std::string& json);

/// Sets the rate of each sender that was there before.
///
/// @units seconds between the two
/// @range more than 0
void set_rates(TopStatus& status, const TopStatus& before, double span_s);

/// Renders an age or a rest of time, in two units at most: `4 ms`, `1.5 s`, `12 s`, `5 min 12 s`,
/// `3 h 4 min`, `2 d 5 h`.
///
/// @units seconds
std::string age_text(double age_s);

} // namespace backoffctl
