#pragma once

#include "common/private_postgres.hpp"

#include <backoff_actor/core/time.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace takeover {

/// What happens to an owner.
enum class Fault {
  kill,      ///< its process is killed, by signal 9
  terminate, ///< the server ends its session
  freeze,    ///< its process is stopped
  cut,       ///< its cable is cut, in a network of its own
};

/// A fault that is played several times.
struct Faults {
  Fault fault;
  bool with_sender; ///< as `NodeOptions::with_sender`
  std::uint64_t rounds;
  backoff_actor::Duration lease;
};

/// Plays a fault in a database that has the schema.
///
/// @returns for each round the time from the fault until the standby owned the outbox, in ms.
/// @errors throws `std::runtime_error` if an owner does not come to work, or no standby takes over.
std::vector<double> play(const example::PrivatePostgres& server, const std::string& database,
                         const Faults& faults);

} // namespace takeover
