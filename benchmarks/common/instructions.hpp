#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace benchmarks {

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
std::vector<std::uint64_t> instructions_of(const std::function<void()>& work);

} // namespace benchmarks
