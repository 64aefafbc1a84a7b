#pragma once

#include "common/line_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace http_guard {

/// A point on the machine's monotonic clock, which is the same in all processes.
///
/// @units microseconds
using LedgerTime = std::int64_t;

/// Returns the present.
LedgerTime ledger_now();

/// What the service has noted, over all its lives.
struct Ledger {
  /// A service's wish to be left alone.
  struct Wish {
    LedgerTime told;    ///< when the answer that says so was made
    LedgerTime welcome; ///< from when calls are welcome again
  };

  std::unordered_map<std::string, std::uint64_t> executions; ///< how often, by id
  std::vector<LedgerTime> calls;                             ///< when they came
  std::vector<Wish> wishes;

  /// Returns how many executions there were beyond the first of each id.
  std::uint64_t duplicates() const;

  /// Returns how many calls came after a wish was told and before calls were welcome again, beyond
  /// those that other workers had already begun.
  ///
  /// @param workers how many there are; after a wish, one call of each other may be on its way
  std::uint64_t too_early(std::uint64_t workers = 1) const;
};

/// Reads what a `LedgerWriter` wrote. A line that is none of its own is passed over.
Ledger read_ledger(const std::filesystem::path& file);

/// Writes a ledger, one line per fact: `1234567 called 17`, `1239012 executed 17`,
/// `1239034 answered 17 200`, `1239034 answered 18 429 2239034`.
///
/// A line is whole or not there, whenever SIGKILL comes. If one cannot be written the program ends,
/// for what it does afterwards would be unaccounted for.
///
/// @thread all members but the constructor may be called from any thread.
class LedgerWriter {
public:
  /// @errors throws `std::system_error` if the file cannot be opened.
  explicit LedgerWriter(const std::string& file) : file_(file) {}

  void called(LedgerTime at, const std::string& id) const;
  void executed(LedgerTime at, const std::string& id) const;

  /// @param welcome from when calls are welcome again, if the answer says so
  void answered(LedgerTime at, const std::string& id, int status,
                std::optional<LedgerTime> welcome) const;

private:
  void write_line(LedgerTime at, const std::string& fact) const;

  example::LineFile file_;
};

} // namespace http_guard
