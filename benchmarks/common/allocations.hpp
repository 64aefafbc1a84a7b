#pragma once

#include <cstdint>

namespace benchmarks {

/// How often the program has called `operator new` so far. A program that asks for it is linked
/// with allocations.cpp, which replaces the operator.
std::uint64_t allocations();

} // namespace benchmarks
