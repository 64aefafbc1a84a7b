#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace backoff_actor {

/// Waits until a message is done or dead, by the rows of a store that was opened for reading. Looks
/// at once, and again after 2 ms, 4 ms ... 1 s, so it may return a second late.
///
///     const auto rows = open_postgres_store_to_read(address);
///     const auto found = wait_for_message(*rows, "order-4711", 30s);
///
/// @param at_most how long to wait; 0: looks once
/// @param clock a cancelled one ends the wait
/// @returns what the last look has found
/// @errors throws `StoreError` if the store cannot be read
template <class Clock = SteadyClock>
requires RetryClock<Clock> FoundMessage wait_for_message(DeliveryStore& rows,
                                                         const std::string& idempotency_key,
                                                         Duration at_most, Clock clock = {}) {
  constexpr Duration longest_pause = std::chrono::seconds{1};
  const auto until = clock.now() + at_most;
  Duration pause = std::chrono::milliseconds{2};
  for (;; pause = std::min(2 * pause, longest_pause)) {
    auto found = rows.find_message(idempotency_key, 0);
    const auto has_ended = found.state == MessageState::done || found.state == MessageState::dead;
    const auto now = clock.now();
    if (has_ended || now >= until || !clock.sleep_until(std::min(now + pause, until)))
      return found;
  }
}

} // namespace backoff_actor
