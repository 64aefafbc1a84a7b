#include "backoff_actor/observe/supervisor_status.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/core/internal/one_line.hpp"

namespace backoff_actor {

std::string_view to_string(ChildState state) {
  constexpr auto names =
    detail::enum_names<ChildState>({"stopped", "waiting", "starting", "running", "ending"});
  return names.of(state);
}

std::string_view to_string(StoppedBecause reason) {
  constexpr auto names = detail::enum_names<StoppedBecause>(
    {"not_stopped", "done", "terminated", "decided", "given_up", "not_restarted"});
  return names.of(reason);
}

std::string_view to_string(SupervisorPhase phase) {
  constexpr auto names = detail::enum_names<SupervisorPhase>(
    {"starting", "running", "finishing", "stopping", "stopped"});
  return names.of(phase);
}

std::string to_string(const ChildStatus& child) {
  auto text = child.id;
  if (!child.name.kind.empty())
    text += " (" + to_string(child.name) + ")";
  text += ": " + std::string{to_string(child.state)};
  if (child.state == ChildState::stopped && child.stopped != StoppedBecause::not_stopped)
    text += " (" + std::string{to_string(child.stopped)} + ")";
  if (child.state == ChildState::waiting)
    text += child.is_due ? ", restart in " + to_string(child.due_in) : ", until its turn comes";
  if (child.incarnation > 0)
    text += ", child " + std::to_string(child.incarnation);
  if (child.failures > 0)
    text += ", " + std::to_string(child.failures)
            + (child.failures == 1 ? " failure" : " failures in a row");
  if (!child.cause.empty())
    text += ", last: " + child.cause;
  return detail::one_line(text);
}

std::string to_string(const ChildCounts& counts) {
  auto text = std::to_string(counts.specs) + (counts.specs == 1 ? " child: " : " children: ");
  text += std::to_string(counts.running) + " running";
  const auto add = [&](std::uint64_t count, const char* what) {
    if (count > 0)
      text += ", " + std::to_string(count) + " " + what;
  };
  add(counts.active - counts.running, "starting or ending");
  add(counts.waiting, "waiting");
  add(counts.stopped, "stopped");
  text +=
    "; " + std::to_string(counts.restarts) + (counts.restarts == 1 ? " restart" : " restarts");
  if (counts.abandoned > 0)
    text += ", " + std::to_string(counts.abandoned) + " abandoned";
  return text;
}

} // namespace backoff_actor
