#pragma once

#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <algorithm>

namespace backoff_actor::model_test {

/// Whether what monitoring reads of a sender is the same as its status.
inline bool is_glance_right(const SenderEngine& engine, Instant now) {
  const auto status = engine.status(now);
  SenderGlance expected;
  expected.counters = status.counters;
  expected.restarts = status.restarts;
  expected.owed = status.owed;
  expected.owed_bytes = status.owed_bytes;
  expected.in_flight = status.in_flight;
  expected.ghosts = status.ghosts;
  expected.abandoned = status.abandoned;
  if (status.owed != 0)
    expected.oldest_since = now + -status.oldest_age;
  expected.phase = status.phase;
  expected.is_paused = status.is_paused;
  expected.is_held_back = status.is_held_back;
  expected.is_on_fallback = status.is_on_fallback;
  expected.is_delayed = status.is_delayed;
  expected.is_store_behind = status.is_store_behind;
  expected.is_service_down = status.is_service_down;
  if (status.unanswered_failures != 0)
    expected.failing_since = now + -status.nothing_succeeded_for;
  const auto glance = engine.glance();
  expected.due = glance.due;
  const auto due_in = status.is_delayed ? now + status.due_in : Instant::never();
  // The status knows no delay that is over.
  return glance == expected && std::max(glance.due, now) == due_in;
}

} // namespace backoff_actor::model_test
