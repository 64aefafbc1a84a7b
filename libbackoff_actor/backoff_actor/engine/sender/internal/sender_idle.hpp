#pragma once

// Inside of the engine; not for its users. What the engine remembers while it has nothing to do.
//
// `Work` takes about 900 bytes, so a million idle senders would waste about 900 MB. So the engine
// frees it whenever nothing is owed and nothing runs, and recreates it when something comes.
// `IdleState`, which remains, is small. `FailureHistory` holds what only a sender with earlier
// failures needs: in `IdleState` it would cost each idle sender 224 bytes more. If a sender falls
// idle after each message, a message takes 20,500 instructions in all, and freeing and recreating
// `Work` are about 900 of these. A pool would save only a third of the 900, because the allocator
// already keeps blocks of this size ready for each thread.

#include "backoff_actor/backoff/back_off.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/observe/sender_status.hpp"
#include "backoff_actor/supervision/restart_limit.hpp"

#include <cstdint>
#include <memory>

namespace backoff_actor {

// What a sender remembers if its child did not always live and answer.
struct SenderEngine::FailureHistory {
  SenderCounters counters{};
  BackOffState backoff{};
  RestartWindow restarts{};
  std::uint64_t starts = 0; // of the primary's children
  std::uint32_t incarnation = 0;
  std::uint32_t last_incarnation = 0;
  std::uint32_t epoch = 0;
  std::uint32_t last_epoch = 0;
  std::uint32_t window = 0;
  std::uint32_t full_window = 0;
  std::uint32_t probe = 0;
  std::uint32_t guard_draws = 0;
  bool is_alone = false; // there is no child
  bool is_done = false;  // as `Lane::is_done`
  bool was_handed_something = false;
};

struct SenderEngine::IdleState {
  std::uint64_t accepted = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t hand_overs = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t last_delivery = 0;
  std::uint64_t resets = 0;
  Instant wake_at = Instant::never();
  std::unique_ptr<FailureHistory> history{}; // none: its first child lives and never failed
  std::uint32_t last_tag = 0;
};

} // namespace backoff_actor
