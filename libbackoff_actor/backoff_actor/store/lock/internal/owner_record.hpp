#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// The record that the owner writes beside a store, after each commit and without a sync.
struct OwnerRecord {
  std::uint64_t pid = 0;
  std::uint64_t commits = 0; // the store contains at least this many transactions
  std::uint64_t last_id = 0; // the highest number of a delivery in these
  // Names the machine's boot, if the commits need not survive a power loss; empty: they must.
  std::string boot{};

  friend bool operator==(const OwnerRecord&, const OwnerRecord&) = default;
};

// The length of a record's text, in bytes. It is fixed, so that a new record overwrites all of the
// old.
constexpr std::size_t record_size = 256;

// Returns the record as text, of `record_size` bytes: the process number first, in a line of its
// own.
std::string text_of(const OwnerRecord& record);

// Reads a record. None: it is incomplete, or of version 1, which wrote the process number alone.
std::optional<OwnerRecord> read_record(std::string_view text);

// Reads the process number alone; 0: there is none.
std::uint64_t read_pid(std::string_view text);

// Returns a name of this boot of the machine; a question mark if the system has none.
std::string this_boot();

// Whether the owner's last commits may be lost without an error: they need not survive a power
// loss, and the machine was booted since.
bool was_another_boot(const std::optional<OwnerRecord>& owner);

} // namespace backoff_actor::detail
