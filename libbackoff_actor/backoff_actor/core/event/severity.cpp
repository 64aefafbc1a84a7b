#include "backoff_actor/core/event/severity.hpp"

#include "backoff_actor/core/internal/enum_names.hpp"

namespace backoff_actor {

std::string_view to_string(Severity severity) {
  constexpr auto names = detail::enum_names<Severity>({"debug", "info", "warning", "error"});
  return names.of(severity);
}

} // namespace backoff_actor
