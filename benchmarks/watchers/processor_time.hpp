#pragma once

#include <set>
#include <string>

namespace watchers {

/// The threads of this process, by number.
std::set<std::string> threads_now();

/// The time that these threads have had a processor.
///
/// @units seconds
double time_of(const std::set<std::string>& threads);

/// The time that all threads of this process have had a processor.
///
/// @units seconds
double time_of_all();

} // namespace watchers
