#pragma once

#include "common/report.hpp"

#include <functional>
#include <string>
#include <vector>

namespace benchmarks {

/// Runs `work` in a process of its own, whose memory nobody has used before, and returns what it
/// returned. That process ends there: nothing of `work`'s needs to be taken down.
///
/// @errors throws `std::runtime_error` if the process did not come to that; it has said why.
/// @thread the caller's must be the only one.
Figures in_own_process(const std::function<Figures()>& work);

/// Runs a program and returns what it printed.
///
/// @errors throws `std::runtime_error` if it cannot be run, or fails; it has said why.
std::string output_of(const std::vector<std::string>& command);

/// Begins or ends a part of the work that `instructions_of` counts.
void mark();

/// Counts the instructions that parts of some work take.
///
/// A process of its own does the work, and is taken through step by step, so that no counter of the
/// machine is needed. Code that is counted runs about ten thousand times slower.
///
/// @param work calls `mark` at the beginning and at the end of each part
/// @shape one number for each part, without those of the marks
/// @errors throws `std::runtime_error` if this system lets no process trace another, or if the work
///         fails.
Figures instructions_of(const std::function<void()>& work);

} // namespace benchmarks
