#pragma once

#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/engine/supervisor/supervisor_engine_options.hpp"
#include "backoff_actor/supervision/directive.hpp"

#include <caf/error.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace backoff_actor::detail {

class SupervisorSeat;

// Returns the name of a supervisor. `number` is the id that CAF gave it.
ActorName name_of(const SupervisorOptions& options, std::uint64_t number);

// Returns the options of the engine. `number` must be unique among the supervisors of an actor
// system.
std::shared_ptr<const SupervisorEngineOptions> engine_options(const SupervisorOptions& options,
                                                              std::uint64_t number);

// Returns a place among those whose numbers are seen; null: nobody sees these.
std::unique_ptr<SupervisorSeat> seat_of(const SupervisorOptions& options, std::uint64_t number);

// Returns the decider's directive about a failure, or `Directive::restart` if the decider throws.
Directive decide(const SupervisorDecider& decider, const std::string& id, const caf::error& error);

} // namespace backoff_actor::detail
