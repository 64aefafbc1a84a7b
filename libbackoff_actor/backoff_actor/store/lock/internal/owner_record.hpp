#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::detail {

// What the owner of a store writes beside it, after each commit and without a sync.
struct OwnerRecord {
  std::uint64_t pid = 0;
  std::uint64_t commits = 0; // at least so many transactions are in the store
  std::uint64_t last_id = 0; // the highest number of a delivery in these
  // The machine's boot, if the commits need not outlive it; empty: they do.
  std::string boot{};

  friend bool operator==(const OwnerRecord&, const OwnerRecord&) = default;
};

// How long the text of a record is, in bytes: one that is written over another leaves nothing of it.
constexpr std::size_t record_size = 256;

// Returns the record as text, of `record_size` bytes: the process number first, in a line of its own.
std::string text_of(const OwnerRecord& record);

// Reads it. None: it is not whole, or is of version 1, which wrote the process number alone.
std::optional<OwnerRecord> read_record(std::string_view text);

// Reads the process number alone; 0: there is none.
std::uint64_t read_pid(std::string_view text);

// Returns a name of this boot of the machine; a question mark if the system has none.
std::string this_boot();

// Whether the owner's last commits may be gone with the machine, which was booted since, and need not be there.
bool was_another_boot(const std::optional<OwnerRecord>& owner);

} // namespace backoff_actor::detail
