#include "part.hpp"

#include <variant>

namespace backoff_actor::soak {

void Happenings::count(const Event& event) {
  constexpr auto order = std::memory_order_relaxed;
  if (std::holds_alternative<event::Accepted>(event))
    accepted.fetch_add(1, order);
  else if (std::holds_alternative<event::Acknowledged>(event))
    acknowledged.fetch_add(1, order);
  else if (std::holds_alternative<event::DeadLettered>(event))
    dead_lettered.fetch_add(1, order);
  else if (const auto* const down = std::get_if<event::ChildDown>(&event))
    crashes.fetch_add(down->is_failure ? 1 : 0, order);
  else if (std::holds_alternative<event::StartFailed>(event))
    failed_starts.fetch_add(1, order);
  else if (std::holds_alternative<event::AckTimedOut>(event))
    hangs.fetch_add(1, order);
  else if (std::holds_alternative<event::SenderStopped>(event))
    senders_ended.fetch_add(1, order);
}

void Happenings::count(const SupervisorEvent& event) {
  constexpr auto order = std::memory_order_relaxed;
  if (const auto* const down = std::get_if<supervisor_event::ChildDown>(&event))
    crashes.fetch_add(is_clean(down->ending) ? 0 : 1, order);
  else if (std::holds_alternative<supervisor_event::StartFailed>(event))
    failed_starts.fetch_add(1, order);
  else if (const auto* const started = std::get_if<supervisor_event::ChildStarted>(&event))
    restarts.fetch_add(started->incarnation > 1 ? 1 : 0, order);
}

} // namespace backoff_actor::soak
