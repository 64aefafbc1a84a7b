#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace postgres_benchmarks {

/// Jobs that are handed over by SQL.
struct IncomingLoad {
  std::uint64_t sessions; ///< that insert at the same time
  std::uint64_t rows;     ///< of a statement, which is a transaction
  std::uint64_t jobs;     ///< all that is measured, without those before it
};

/// Owns the outbox `jobs`, and executes what is handed over to it.
///
/// @thread one at a time
class IncomingOwner {
public:
  /// Returns when it owns the outbox and waits for rows.
  ///
  /// @param connection of a database with the schema, and without the outbox
  explicit IncomingOwner(const std::string& connection);
  IncomingOwner(const IncomingOwner&) = delete;
  IncomingOwner& operator=(const IncomingOwner&) = delete;
  ~IncomingOwner();

  /// How many jobs were executed.
  std::uint64_t executed() const;

  /// When the last job began to be executed.
  std::chrono::steady_clock::time_point last_begin() const;

  /// Waits until so many jobs are executed, and the server knows of all.
  void wait_for(std::uint64_t jobs);

private:
  struct System;

  std::unique_ptr<System> system_;
};

/// Returns how many jobs a second are handed over, executed and acknowledged on the server.
///
/// @param connection as that of an `IncomingOwner`
double handed_over_per_second(const std::string& connection, const IncomingLoad& load);

/// Hands jobs over one at a time to an owner that waits. Returns the median time from the begin of
/// the INSERT to that of the execution.
///
/// @units milliseconds
double time_to_start(const std::string& connection, std::uint64_t jobs);

} // namespace postgres_benchmarks
