#pragma once

#include <rapidcheck.h>

#include <string>

namespace backoff_actor::model_test {

/// Numbers below `end`, as large in the first walk of a test as in the last.
template <class T>
rc::Gen<T> below(T end) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<T>(0, end));
}

/// Fails the walk unless the claim holds.
inline void require(bool holds, const char* claim) {
  if (!holds)
    RC_FAIL(std::string{"not so: "} + claim);
}

} // namespace backoff_actor::model_test
