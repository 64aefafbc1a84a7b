#include "backoff_actor/observe/sender_status.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

#include <algorithm>

namespace backoff_actor {

std::string_view to_string(Phase phase) {
  constexpr auto names = detail::enum_names<Phase>(
    {"starting", "running", "waiting", "draining", "finishing", "stopping", "stopped"});
  return names.of(phase);
}

std::string_view to_string(WorkerState state) {
  constexpr auto names =
    detail::enum_names<WorkerState>({"starting", "serving", "waiting", "leaving", "resting"});
  return names.of(state);
}

namespace {

std::string describe(const PoolStatus& pool) {
  const auto serving =
    std::count_if(pool.workers.begin(), pool.workers.end(),
                  [](const WorkerStatus& x) { return x.state == WorkerState::serving; });
  return ", " + std::to_string(serving) + " of " + std::to_string(pool.workers.size())
         + " workers serve";
}

} // namespace

std::string to_string(const SenderStatus& status) {
  std::string text{to_string(status.phase)};
  if (status.is_paused)
    text += ", paused";
  if (status.is_held_back)
    text += ", held back by its guard";
  if (status.held_back_by)
    text.append(": ").append(to_string(*status.held_back_by));
  if (status.is_store_behind)
    text += ", held back by its store";
  if (status.is_on_fallback)
    text += ", on the fallback";
  text += ", " + std::to_string(status.owed) + " owed";
  if (status.owed > 0)
    text += " (" + std::to_string(status.in_flight) + " in flight, oldest "
            + to_string(status.oldest_age)
            + (status.scheduled > 0 ? ", " + std::to_string(status.scheduled) + " for later" : "")
            + (status.with_note > 0 ? ", " + std::to_string(status.with_note) + " with a note" : "")
            + ")";
  if (status.calendar_entries > 0)
    text.append(", ").append(std::to_string(status.calendar_entries)).append(
      status.calendar_entries == 1 ? " calendar entry" : " calendar entries");
  if (status.ghosts > 0)
    text += ", " + std::to_string(status.ghosts) + (status.ghosts == 1 ? " ghost" : " ghosts");
  text += status.pool.workers.empty() ? ", child " + std::to_string(status.incarnation)
                                      : describe(status.pool);
  if (status.abandoned > 0)
    text += ", " + std::to_string(status.abandoned) + " abandoned";
  if (status.is_delayed)
    text += ", retry in " + to_string(status.due_in);
  if (status.retries > 0)
    text += ", " + std::to_string(status.retries)
            + (status.retries == 1 ? " failure" : " failures in a row");
  if (status.is_service_down)
    text += ", nothing succeeded for " + to_string(status.nothing_succeeded_for)
            + ": the service is down, no attempt is charged";
  return detail::with_name(status.name, text);
}

} // namespace backoff_actor
