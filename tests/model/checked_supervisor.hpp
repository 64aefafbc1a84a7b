#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "reference_supervisor.hpp"
#include "side_by_side.hpp"
#include "supervisor_account.hpp"
#include "supervisor_lines.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

/// The engine of a supervisor and, beside it, the reference, which are compared after every step,
/// and an account of what came out.
class CheckedSupervisor {
public:
  CheckedSupervisor(const SupervisorEngineOptions& options, const std::vector<ChildEntry>& first)
    : sides_(options, first) {}

  /// Returns what is to be done, until the next step.
  const SupervisorEffects& step(Instant now, const SupervisorInput& input) {
    ++steps_;
    const auto& effects = sides_.step(now, input);
    compare_states(now);
    sides_.account.after(engine());
    return effects;
  }

  const SupervisorAccount& account() const { return sides_.account; }
  const SupervisorEngine& engine() const { return sides_.engine(); }

  /// The steps so far, to make a unit test of, with both answers to the last.
  std::string story() const {
    return sides_.story([](const SupervisorInput& input) { return line(input); });
  }

private:
  void compare_states(Instant now) const {
    const auto& reference = sides_.reference;
    RC_ASSERT(std::string{to_string(engine().phase())}
              == std::string{to_string(reference.phase())});
    if (!(engine().count() == reference.count()))
      RC_ASSERT(words(engine().count()) == words(reference.count()));
    const auto names = reference.names();
    const auto statuses = reference.statuses(now);
    RC_ASSERT(engine().children() == names);
    // Of a crowd not everybody every time.
    const std::size_t stride = names.size() > 100 ? 32 : 1;
    for (auto i = steps_ % stride; i < names.size(); i += stride) {
      const auto given = engine().status(names[i], now);
      RC_ASSERT(given.has_value());
      if (!(*given == statuses[i]))
        RC_ASSERT(words(*given) == words(statuses[i]));
      RC_ASSERT(engine().find(statuses[i].id) == names[i]);
    }
    RC_ASSERT(!engine().find("nobody"));
    RC_ASSERT(!engine().status({0, 0}, now));
  }

  static std::string words(const ChildCounts& x) {
    return "specs " + number(x.specs) + ", active " + number(x.active) + ", running "
           + number(x.running) + ", waiting " + number(x.waiting) + ", stopped " + number(x.stopped)
           + ", restarts " + number(x.restarts) + ", abandoned " + number(x.abandoned);
  }

  static std::string words(const ChildStatus& x) {
    return x.id + " " + std::string{to_string(x.state)} + ", " + std::string{to_string(x.restart)}
           + ", " + std::string{to_string(x.stopped)} + ", incarnation " + number(x.incarnation)
           + ", restarts " + number(x.restarts) + ", failures " + number(x.failures)
           + (x.is_due ? ", due in " + to_string(x.due_in) : "") + ", up for " + to_string(x.up_for)
           + ", cause '" + x.cause + "'";
  }

  SideBySide<SupervisorEngine, ReferenceSupervisor, SupervisorAccount, SupervisorInput,
             SupervisorEffects, SupervisorEvent>
    sides_;
  std::size_t steps_ = 0;
};

} // namespace backoff_actor::model_test
