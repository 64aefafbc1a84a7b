#include "backoff_actor/core/internal/enum_names.hpp"
#include "backoff_actor/supervision/decider.hpp"
#include "backoff_actor/supervision/restart_type.hpp"
#include "backoff_actor/supervision/shutdown.hpp"
#include "backoff_actor/supervision/strategy.hpp"

namespace backoff_actor {

std::string_view to_string(FailureKind kind) {
  constexpr auto names =
    detail::enum_names<FailureKind>({"child_down", "start_failed", "ack_timeout", "error_answer"});
  return names.of(kind);
}

std::string_view to_string(Blame blame) {
  constexpr auto names = detail::enum_names<Blame>({"unknown", "message", "service", "nobody"});
  return names.of(blame);
}

std::string_view to_string(RestartType type) {
  constexpr auto names = detail::enum_names<RestartType>({"permanent", "transient", "temporary"});
  return names.of(type);
}

std::string_view to_string(Ending ending) {
  constexpr auto names = detail::enum_names<Ending>({"normal", "shutdown", "killed", "failed"});
  return names.of(ending);
}

std::string_view to_string(Strategy strategy) {
  constexpr auto names =
    detail::enum_names<Strategy>({"one_for_one", "one_for_all", "rest_for_one"});
  return names.of(strategy);
}

std::string to_string(const Shutdown& shutdown) {
  if (!shutdown.asks())
    return "at once";
  return shutdown.limit() ? "within " + to_string(*shutdown.limit()) : "wait";
}

} // namespace backoff_actor
