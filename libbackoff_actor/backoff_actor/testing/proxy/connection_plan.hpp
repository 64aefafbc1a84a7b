#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"
#include "backoff_actor/testing/faults/basic_fault_plan.hpp"

#include <cstdint>
#include <string>

namespace backoff_actor::testing {

/// What happens to one connection through a `TcpProxy`.
///
/// | text                 | what happens to the connection                                        |
/// | -------------------- | --------------------------------------------------------------------- |
/// | `ok`                 | everything is passed on                                               |
/// | `slow 50ms`          | everything is passed on 50 ms later, both ways, also the end          |
/// | `refuse`             | it is reset as soon as it was accepted; the service hears nothing     |
/// | `drop`               | it stays open; the proxy swallows all data, and nothing comes back    |
/// | `cut`                | it is reset when the answer begins: after the work, before the answer |
/// | `cut(after 100)`     | it is reset when 100 bytes of the answer have got through             |
/// | `cut(after 2s)`      | it is reset 2 s after it was accepted, whatever has got through       |
/// | `corrupt`            | the lowest bit of every byte of the answer is flipped                 |
/// | `corrupt(every 100)` | the lowest bit of the bytes 100, 200, ... of the answer is flipped    |
///
/// `ok`, `cut` and `corrupt` can be slow as well: `cut(after 100, slow 50ms)`. The answer is all
/// data that the service sends on the connection. A reset also ends the connection to the service.
struct BACKOFF_ACTOR_EXPORT ConnectionFault {
  /// The kinds of faults.
  enum class Kind : std::uint8_t {
    ok,      ///< nothing; it may be slow
    refuse,  ///< reset at once
    drop,    ///< swallowed
    cut,     ///< reset after `bytes` of the answer, or after `time` if that is set
    corrupt, ///< a bit of every `bytes`-th byte of the answer is flipped
  };

  /// The kind of fault.
  Kind kind = Kind::ok;

  /// Of `cut`: how many bytes of the answer get through. Of `corrupt`: 100 means that a bit is
  /// flipped in each hundredth byte; 0: never.
  std::uint64_t bytes = 0;

  /// Of `cut`: the time from the acceptance to the reset; 0: `bytes` decides.
  Duration time{0};

  /// How much later everything is passed on. Of `ok`, `cut` and `corrupt`.
  Duration delay{0};

  /// Everything is passed on, but `delay` later.
  static ConnectionFault slow(Duration delay) { return {Kind::ok, 0, {}, delay}; }
  /// The connection is reset as soon as it was accepted.
  static ConnectionFault refuse() { return {Kind::refuse}; }
  /// The connection stays open, but everything sent on it is swallowed.
  static ConnectionFault drop() { return {Kind::drop}; }
  /// The connection is reset when `bytes` of the answer have got through; with 0, when the answer
  /// begins.
  static ConnectionFault cut_after_bytes(std::uint64_t bytes) { return {Kind::cut, bytes}; }
  /// The connection is reset `time` after it was accepted.
  static ConnectionFault cut_after(Duration time) { return {Kind::cut, 0, time}; }
  /// A bit of every `bytes`-th byte of the answer is flipped.
  static ConnectionFault corrupt_every(std::uint64_t bytes) { return {Kind::corrupt, bytes}; }

  /// Whether two faults are the same.
  friend bool operator==(const ConnectionFault&, const ConnectionFault&) = default;
};

/// Renders a fault as plans write it: `ok`, `slow(50ms)`, `refuse`, `drop`, `cut`,
/// `cut(after 100, slow 50ms)`, `cut(after 2s)`, `corrupt`, `corrupt(every 100)`.
BACKOFF_ACTOR_EXPORT std::string to_string(const ConnectionFault& fault);

/// A plan for connections.
using ConnectionPlan = BasicFaultPlan<ConnectionFault>;

extern template class BACKOFF_ACTOR_EXPORT BasicFaultPlan<ConnectionFault>;

} // namespace backoff_actor::testing
