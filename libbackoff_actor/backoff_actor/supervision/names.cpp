#include "backoff_actor/supervision/restart_type.hpp"
#include "backoff_actor/supervision/shutdown.hpp"
#include "backoff_actor/supervision/strategy.hpp"

namespace backoff_actor {

std::string_view to_string(RestartType type) {
  switch (type) {
  case RestartType::permanent:
    return "permanent";
  case RestartType::transient:
    return "transient";
  case RestartType::temporary:
    return "temporary";
  }
  return "unknown";
}

std::string_view to_string(Ending ending) {
  switch (ending) {
  case Ending::normal:
    return "normal";
  case Ending::shutdown:
    return "shutdown";
  case Ending::killed:
    return "killed";
  case Ending::failed:
    return "failed";
  }
  return "unknown";
}

std::string_view to_string(Strategy strategy) {
  switch (strategy) {
  case Strategy::one_for_one:
    return "one_for_one";
  case Strategy::one_for_all:
    return "one_for_all";
  case Strategy::rest_for_one:
    return "rest_for_one";
  }
  return "unknown";
}

std::string to_string(const Shutdown& shutdown) {
  if (!shutdown.asks())
    return "at once";
  return shutdown.limit() ? "within " + to_string(*shutdown.limit()) : "wait";
}

} // namespace backoff_actor
