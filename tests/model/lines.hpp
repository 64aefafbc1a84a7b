#pragma once

#include "backoff_actor/core/time.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

/// Effects or events, one a line.
using Lines = std::vector<std::string>;

inline std::string number(std::uint64_t x) { return std::to_string(x); }

/// A hook that throws at each event.
template <class Event>
void throw_at(const Event& event) {
  throw std::runtime_error("no room for " + to_string(event));
}

inline std::string describe(Instant at) {
  return at == Instant::never() ? "never" : to_string(at.since_origin);
}

} // namespace backoff_actor::model_test
