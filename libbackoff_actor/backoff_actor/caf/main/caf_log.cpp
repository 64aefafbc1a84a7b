#include "backoff_actor/caf/main/caf_log.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

namespace backoff_actor {

namespace {

template <class AnyEvent>
void log(caf::actor_system& system, const AnyEvent& event) {
  compat::log(system, static_cast<compat::LogLevel>(severity_of(event)), to_string(event));
}

static_assert(static_cast<int>(Severity::error) == static_cast<int>(compat::LogLevel::error));

} // namespace

void CafLog::operator()(const Event& event) const { log(*system_, event); }

void CafLog::operator()(const SupervisorEvent& event) const { log(*system_, event); }

void CafLog::operator()(const GuardEvent& event) const { log(*system_, event); }

} // namespace backoff_actor
