#pragma once

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <algorithm>

namespace backoff_actor::model_test {

/// Whether what monitoring reads of a sender is the same as its status.
inline bool is_glance_right(const SenderEngine& engine, Instant now) {
  const auto status = engine.status(now);
  SenderGlance expected{status};
  expected.phase = status.phase;
  if (status.owed != 0)
    expected.oldest_since = now + -status.oldest_age;
  if (status.unanswered_failures != 0)
    expected.failing_since = now + -status.nothing_succeeded_for;
  const auto glance = engine.glance();
  expected.due = glance.due;
  const auto due_in = status.is_delayed ? now + status.due_in : Instant::never();
  // The status knows no delay that is over.
  return glance == expected && std::max(glance.due, now) == due_in;
}

} // namespace backoff_actor::model_test
