#pragma once

#include "backoff_actor/core/time.hpp"
#include "backoff_actor/delivery/delivery_store.hpp"
#include "backoff_actor/retry/steady_clock.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace backoff_actor {

namespace detail {

// How long to wait until the next look at what nobody tells of: 2 ms, 4 ms ... 1 s.
//
// @param last the pause before; 0: none
constexpr Duration next_look_pause(Duration last) {
  constexpr Duration shortest = std::chrono::milliseconds{2};
  constexpr Duration longest = std::chrono::seconds{1};
  return std::clamp(2 * last, shortest, longest);
}

} // namespace detail

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
  const auto until = clock.now() + at_most;
  for (auto pause = detail::next_look_pause({});; pause = detail::next_look_pause(pause)) {
    auto found = rows.find_message(idempotency_key, 0);
    const auto has_ended = found.state == MessageState::done || found.state == MessageState::dead;
    const auto now = clock.now();
    if (has_ended || now >= until || !clock.sleep_until(std::min(now + pause, until)))
      return found;
  }
}

} // namespace backoff_actor
