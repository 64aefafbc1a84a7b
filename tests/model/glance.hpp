#pragma once

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <algorithm>

namespace backoff_actor::model_test {

/// Whether what monitoring reads of a sender is the same as its status.
inline bool is_glance_right(const SenderEngine& engine, Instant now) {
  const auto status = engine.status(now);
  SenderGlance expected{status};
  expected.phase = status.phase;
  const auto glance = engine.glance();
  // What waits for its time has no age; in strict order it has one.
  if (status.owed > status.scheduled || glance.oldest_since != Instant::never())
    expected.oldest_since = now + -status.oldest_age;
  if (status.unanswered_failures != 0)
    expected.failing_since = now + -status.nothing_succeeded_for;
  expected.due = glance.due;
  const auto due_in = status.is_delayed ? now + status.due_in : Instant::never();
  // The status knows no delay that is over.
  return glance == expected && std::max(glance.due, now) == due_in;
}

} // namespace backoff_actor::model_test
