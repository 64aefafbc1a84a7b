#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends the program where something does not hold, so that the fuzzer keeps the input.
inline void require(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}
