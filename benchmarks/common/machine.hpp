#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace benchmarks {

// -- time ---------------------------------------------------------------------------------

/// Time on the wall.
///
/// @units seconds
double wall_now();

/// Time of this process on all processors; unlike that of a clock on the wall it does not pass
/// while others have them.
///
/// @units seconds
double cpu_now();

/// Time on the wall, but for what others took away: the time in which threads of this process had
/// something to do while others had the processors, in the mean of so many threads. That of an idle
/// machine, more or less.
///
/// @units seconds
double own_now(std::int64_t threads);

/// The same, of the calling thread alone.
///
/// @units seconds
double own_now_of_this_thread();

/// How long this work takes, on the wall.
///
/// @units seconds
template <class F>
double seconds_of(F&& work) {
  const auto begin = wall_now();
  work();
  return wall_now() - begin;
}

/// The threads of this process, as folders of /proc.
std::set<std::string> threads_now();

/// The time that these threads or processes have had a processor, as folders of /proc.
///
/// @units seconds
double cpu_of(const std::set<std::string>& folders);

// -- memory -------------------------------------------------------------------------------

/// What malloc has given out and not got back, its own headers included.
///
/// @units bytes
double heap_now();

/// What the system counts of this process, RSS.
///
/// @units bytes
double resident_now();

/// Gives back to the system what malloc keeps for later.
void trim_memory();

} // namespace benchmarks
