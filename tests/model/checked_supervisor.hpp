#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "reference_supervisor.hpp"
#include "supervisor_account.hpp"
#include "supervisor_lines.hpp"

#include <rapidcheck.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// The engine of a supervisor and, beside it, the reference, which are compared after every step, and
/// an account of what came out.
class CheckedSupervisor {
public:
  CheckedSupervisor(const SupervisorEngineOptions& options, const std::vector<ChildEntry>& first)
    : reference_(options, first), account_(options, first) {
    auto heard = options;
    heard.on_event = [events = events_](const SupervisorEvent& event) { events->push_back(event); };
    engine_ = std::make_unique<SupervisorEngine>(
      std::make_shared<const SupervisorEngineOptions>(std::move(heard)), first);
  }

  /// Returns what is to be done, until the next step.
  const SupervisorEffects& step(Instant now, const SupervisorInput& input) {
    steps_.emplace_back(now, input);
    events_->clear();
    effects_.clear();
    asked_.clear();
    told_.clear();
    account_.before(now, input);
    reference_.step(now, input);
    engine_->step(now, input, effects_);
    for (const auto& event : *events_)
      told_.push_back(line(event));
    for (const auto& effect : effects_)
      asked_.push_back(line(effect));
    RC_ASSERT(asked_ == reference_.taken);
    RC_ASSERT(told_ == reference_.told);
    compare_states(now);
    for (const auto& event : *events_)
      account_.note(event);
    for (const auto& effect : effects_)
      account_.note(effect);
    account_.after(*engine_);
    return effects_;
  }

  const SupervisorAccount& account() const { return account_; }
  const SupervisorEngine& engine() const { return *engine_; }

  /// The steps so far, to make a unit test of, with both answers to the last.
  std::string story() const {
    std::string text;
    for (const auto& [at, input] : steps_)
      text += "  " + describe(at) + " " + line(input) + "\n";
    const auto list = [&text](const char* whose, const Lines& lines) {
      text += whose;
      for (const auto& x : lines)
        text += "\n    " + x;
      text += "\n";
    };
    list("  the engine's answer to the last:", asked_);
    list("  the reference's:", reference_.taken);
    list("  what the engine told:", told_);
    list("  what the reference told:", reference_.told);
    return text;
  }

private:
  void compare_states(Instant now) const {
    RC_ASSERT(std::string{to_string(engine_->phase())}
              == std::string{to_string(reference_.phase())});
    if (!(engine_->count() == reference_.count()))
      RC_ASSERT(words(engine_->count()) == words(reference_.count()));
    const auto names = reference_.names();
    const auto statuses = reference_.statuses(now);
    RC_ASSERT(engine_->children() == names);
    // Of a crowd not everybody every time.
    const std::size_t stride = names.size() > 100 ? 32 : 1;
    for (auto i = steps_.size() % stride; i < names.size(); i += stride) {
      const auto given = engine_->status(names[i], now);
      RC_ASSERT(given.has_value());
      if (!(*given == statuses[i]))
        RC_ASSERT(words(*given) == words(statuses[i]));
      RC_ASSERT(engine_->find(statuses[i].id) == names[i]);
    }
    RC_ASSERT(!engine_->find("nobody"));
    RC_ASSERT(!engine_->status({0, 0}, now));
  }

  static std::string words(const ChildCounts& x) {
    return "specs " + number(x.specs) + ", active " + number(x.active) + ", running "
           + number(x.running) + ", waiting " + number(x.waiting) + ", stopped " + number(x.stopped)
           + ", restarts " + number(x.restarts) + ", abandoned " + number(x.abandoned);
  }

  static std::string words(const ChildStatus& x) {
    static const char* const reasons[] = {"not stopped", "done",     "terminated",
                                          "decided",     "given up", "not restarted"};
    return x.id + " " + std::string{to_string(x.state)} + ", " + std::string{to_string(x.restart)}
           + ", " + reasons[static_cast<int>(x.stopped)] + ", incarnation " + number(x.incarnation)
           + ", restarts " + number(x.restarts) + ", failures " + number(x.failures)
           + (x.is_due ? ", due in " + to_string(x.due_in) : "") + ", up for " + to_string(x.up_for)
           + ", cause '" + x.cause + "'";
  }

  ReferenceSupervisor reference_;
  SupervisorAccount account_;
  std::unique_ptr<SupervisorEngine> engine_;
  std::shared_ptr<std::vector<SupervisorEvent>> events_ =
    std::make_shared<std::vector<SupervisorEvent>>();
  SupervisorEffects effects_;
  Lines asked_, told_;
  std::vector<std::pair<Instant, SupervisorInput>> steps_;
};

} // namespace backoff_actor::model_test
