#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cluster {

/// A point on the machine's monotonic clock, which is the same in all processes.
///
/// @units microseconds
using Micros = std::int64_t;

/// Returns the present.
Micros now();

/// The jobs of the calendar have numbers from here on. All others have lower ones.
inline constexpr std::uint64_t calendar_jobs = std::uint64_t{1} << 63;

/// The job that is done by a message of the calendar.
///
/// @param delivery the number of the message in the outbox
constexpr std::uint64_t calendar_job(std::uint64_t delivery) { return calendar_jobs + delivery; }

/// A call of the service, as the service saw it.
struct Call {
  Micros at = 0;
  std::uint64_t epoch = 0;    ///< `TrackedMsg::epoch` of the caller
  std::uint64_t delivery = 0; ///< the number of the delivery in the outbox
  std::uint64_t job = 0;
  std::string key{};  ///< jobs of one key are to be done in order
  std::string node{}; ///< the process that calls
  /// The step of a job that takes several, from 1 on; 0: the last, or the only one.
  std::uint64_t step = 0;
  bool is_out_of_turn = false; ///< it waited for a time: others of its key may go first
  bool is_refused = false;     ///< the service had seen a higher epoch
};

/// Renders a call for the socket, and reads it back.
/// @{
std::string to_line(const Call& call);
Call read_call(const std::string& line);
/// @}

/// What became of the jobs.
struct Verdict {
  std::uint64_t confirmed = 0;      ///< jobs whose submission was confirmed
  std::uint64_t done = 0;           ///< different jobs that were done
  std::uint64_t done_again = 0;     ///< calls that did a job once more
  std::uint64_t lost = 0;           ///< jobs that were confirmed and not done
  std::uint64_t stale_refused = 0;  ///< calls with an epoch that was over
  std::uint64_t stale_accepted = 0; ///< such calls that the service did
  /// Jobs that were first done before an earlier one of their key: by the number of the delivery,
  /// or by when a client submitted them.
  std::uint64_t out_of_order = 0;
  std::string first_out_of_order{}; ///< the first of them in words, for people
  std::uint64_t renumbered = 0;     ///< deliveries that were two jobs, or jobs that were two
};

/// A transaction of a program that hands jobs over.
struct Transaction {
  std::vector<std::uint64_t> jobs{}; ///< in the order in which they were inserted
  Micros begin = 0;                  ///< before the first of them was inserted
  Micros end = 0;                    ///< when it was known to be committed
  bool is_committed = false;         ///< not: it was rolled back
};

/// What became of the jobs that were handed over in transactions.
struct HandOver {
  std::uint64_t committed = 0;           ///< jobs whose transaction was committed
  std::uint64_t rolled_back = 0;         ///< jobs whose transaction was rolled back
  std::uint64_t done = 0;                ///< of those that were committed
  std::uint64_t done_of_rolled_back = 0; ///< of those that were rolled back
  std::uint64_t lost = 0;                ///< committed and not done

  /// Jobs that were first done before another one of their key that was committed before theirs was
  /// inserted, or was inserted before them in the same transaction.
  std::uint64_t out_of_order = 0;
  std::string first_out_of_order{}; ///< the first of them in words, for people
};

/// Compares what was confirmed with what the service did.
Verdict judge(const std::vector<std::uint64_t>& confirmed, const std::vector<Call>& calls);

/// Compares what was handed over with what the service did.
HandOver judge_hand_over(const std::vector<Transaction>& transactions,
                         const std::vector<Call>& calls);

/// Renders it as one line: `jobs confirmed 100, done 100, done again 2, lost 0, ...`.
std::string to_string(const Verdict& verdict);

/// Renders it as one line: `handed over by transaction 90, rolled back 10, done 90, ...`.
std::string to_string(const HandOver& hand_over);

} // namespace cluster
