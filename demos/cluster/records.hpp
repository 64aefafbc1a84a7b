#pragma once

// What the server has committed, whatever the workers were told: triggers write it down, in the
// transactions of those who change the tables.

#include "common/private_postgres.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cluster {

/// A time of the calendar that became a message.
struct CalendarTime {
  std::string entry{};
  std::int64_t time = 0;      ///< in seconds since 1970
  std::int64_t made_at = 0;   ///< when it became a message, in microseconds since 1970
  std::uint64_t messages = 1; ///< how many it became
  std::uint64_t delivery = 0; ///< the number of the message in the outbox; 0: it has none yet
};

/// A note of a job that was stored.
struct StoredNote {
  std::uint64_t delivery = 0; ///< of the job
  std::uint64_t step = 0;
  std::uint64_t epoch = 0; ///< of the owner that stored it
};

/// The triggers and what they have written.
///
/// @errors every member may throw `std::runtime_error`
/// @thread the thread that made it
class Records {
public:
  /// Makes the triggers.
  ///
  /// @param server has the tables of one outbox
  explicit Records(const example::PrivatePostgres& server);

  /// In order of entry and time.
  std::vector<CalendarTime> calendar_times() const;

  /// In the order in which they were stored.
  std::vector<StoredNote> notes() const;

private:
  const example::PrivatePostgres& server_;
};

} // namespace cluster
