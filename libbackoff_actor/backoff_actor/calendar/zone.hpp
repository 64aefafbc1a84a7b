#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/time.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor {

/// From when on the clocks of a zone differ from UTC by how much.
struct OffsetChange {
  std::chrono::sys_seconds at;    ///< the first second with this offset
  std::chrono::seconds offset{0}; ///< what to add to UTC; east of Greenwich it is positive

  /// Orders by time.
  friend constexpr auto operator<=>(const OffsetChange&, const OffsetChange&) = default;
};

/// What the clocks of a place show, as an immutable value.
///
/// `find_zone` reads one from the system's zone database. A zone keeps what was read. So it answers
/// without a look at a file, and a later change of the database does not change it.
///
/// @thread safe from any thread, as long as nobody assigns to it. Copies share what was read.
class BACKOFF_ACTOR_EXPORT Zone {
public:
  /// UTC.
  Zone();

  /// A zone whose offset is `first` until the first of `changes`.
  ///
  /// @param name    what texts call it: a capital letter, then letters, digits and `/_+-`, 64 at
  ///                most
  /// @param changes in the order of time, at least a day from each other
  /// @range         offsets from -26h to 26h
  /// @errors throws `InvalidArgument` naming all that is wrong.
  Zone(std::string name, std::chrono::seconds first, const std::vector<OffsetChange>& changes);

  /// The name, for example `Europe/Berlin`.
  const std::string& name() const { return read_->name; }

  /// Returns what the clocks show at an instant: the local time as if it were UTC.
  std::chrono::local_seconds local_time(WallTime at) const;

  /// Returns what is to be added to UTC at an instant.
  std::chrono::seconds offset_at(WallTime at) const;

  /// Returns the instants at which the clocks show a local time, the earlier first: one, none in a
  /// gap, two in an hour that comes twice.
  std::vector<WallTime> instants_of(std::chrono::local_seconds local) const;

  /// The offsets, each with its beginning, in the order of time. The first begins before all
  /// instants that a `WallTime` can name. No two neighbours have the same offset.
  const std::vector<OffsetChange>& offsets() const { return read_->offsets; }

  /// The index in `offsets` of the one at an instant.
  std::size_t index_at(std::chrono::sys_seconds at) const;

  /// Whether two have the same name and the same offsets.
  BACKOFF_ACTOR_EXPORT friend bool operator==(const Zone& a, const Zone& b);

private:
  struct Read {
    std::string name;
    std::vector<OffsetChange> offsets;
  };

  std::shared_ptr<const Read> read_;
};

/// Returns the zone of a name, or throws.
using FindZone = Zone (*)(const std::string& name);

} // namespace backoff_actor
