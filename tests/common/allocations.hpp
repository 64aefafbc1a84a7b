#pragma once

#include <cstdint>

namespace backoff_actor::test {

/// How often the program has called `operator new` so far. A program that asks for it is linked
/// with allocations.cpp, which replaces the operator.
std::uint64_t allocations();

} // namespace backoff_actor::test
