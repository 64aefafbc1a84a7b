#pragma once

// Inside of the simulation; not for its users. What makes the calls.

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/lab/simulation/outage_options.hpp"

#include <cstdint>

namespace backoff_actor {

/// What clients can ask of the simulation that they are in.
class OutageWorld {
public:
  /// One of them calls the service now; the outcome comes as `answered` or `timed_out`.
  virtual void call(std::uint32_t client) = 0;

  /// One of them has what it wanted, and thinks until it wants something again.
  virtual void think(std::uint32_t client) = 0;

  /// One of them wants to be woken then. What it asked for before stands, too.
  virtual void wake_at(std::uint32_t client, Instant at) = 0;

protected:
  ~OutageWorld() = default;
};

/// All clients of a simulation, by number.
class OutageClients {
public:
  virtual ~OutageClients() = default;

  /// It thought for so long, and wants something now.
  virtual void wants(std::uint32_t client, Instant now, Duration thought) = 0;

  /// The time that it asked for has come.
  virtual void woken(std::uint32_t client, Instant now) = 0;

  /// Its call was answered.
  virtual void answered(std::uint32_t client, Instant now) = 0;

  /// Its call was not answered in time.
  virtual void timed_out(std::uint32_t client, Instant now) = 0;
};

/// Of the two streams of draws that each client has, that of its delays; the other is for thinking.
constexpr std::uint64_t delay_stream(std::uint32_t client) { return 2ULL * client + 1; }

/// See `delay_stream`.
constexpr std::uint64_t think_stream(std::uint32_t client) { return 2ULL * client; }

} // namespace backoff_actor
