#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::engine_test {

/// Drives a supervisor's engine by hand. Delays are 1, 2, 4, 8 ... seconds unless a test says
/// otherwise.
class SupervisorDriver {
public:
  using Lines = std::vector<std::string>;

  static ChildOptions plain() {
    ChildOptions options;
    options.backoff = Exponential{.first = std::chrono::seconds{1}, .factor = 2};
    return options;
  }

  explicit SupervisorDriver(const std::vector<std::string>& ids,
                            SupervisorEngineOptions options = {},
                            const ChildOptions& child = plain())
    : child_(std::make_shared<const ChildOptions>(child)),
      engine(std::make_shared<const SupervisorEngineOptions>(std::move(options)), entries(ids)) {}

  /// What a step asks for, one line an effect.
  Lines take(const SupervisorInput& input) {
    SupervisorEffects effects;
    engine.step(now, input, effects);
    Lines lines;
    for (const auto& effect : effects)
      lines.push_back(std::visit([&](const auto& x) { return describe(x); }, effect));
    return lines;
  }

  /// The same, and each child that is to be made is, as often as that leads to others.
  Lines take_and_make(const SupervisorInput& input) {
    Lines lines;
    std::vector<SupervisorInput> inputs{input};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      SupervisorEffects effects;
      engine.step(now, SupervisorInput{inputs[i]}, effects);
      for (const auto& effect : effects) {
        lines.push_back(std::visit([&](const auto& x) { return describe(x); }, effect));
        if (const auto* start = std::get_if<supervisor_effect::StartChild>(&effect))
          inputs.emplace_back(made(start->actor));
      }
    }
    return lines;
  }

  supervisor_input::ChildMade made(const ChildActor& actor) const {
    return {actor, can_finish.count(std::string{engine.id_of(actor.child)}) == 1};
  }

  ChildActor actor(const std::string& id) const {
    const auto name = engine.find(id).value();
    return {name, engine.status(name, now)->incarnation};
  }

  static supervisor_input::ChildDown crash_of(const ChildActor& actor) {
    return {actor, Ending::failed, {7, "crash"}, Directive::restart};
  }

  ChildStatus status(const std::string& id) const {
    return engine.status(engine.find(id).value(), now).value();
  }

  ChildEntry entry(const std::string& id) const { return {id, child_}; }

  Instant now{};
  std::set<std::string> can_finish; // ids of children

private:
  std::vector<ChildEntry> entries(const std::vector<std::string>& ids) const {
    std::vector<ChildEntry> result;
    for (const auto& id : ids)
      result.push_back(entry(id));
    return result;
  }

  std::string name(const ChildActor& x) const {
    return std::string{engine.id_of(x.child)} + std::to_string(x.incarnation);
  }

  std::string describe(const supervisor_effect::KeepChild& x) const {
    return "keep " + std::string{engine.id_of(x.child)};
  }
  static std::string describe(const supervisor_effect::ForgetChild& x) {
    return "forget " + std::to_string(x.child.serial);
  }
  std::string describe(const supervisor_effect::StartChild& x) const {
    return "start " + name(x.actor);
  }
  std::string describe(const supervisor_effect::TellToEnd& x) const {
    return "tell to end " + name(x.actor) + (x.keeps_grace ? ", by the deadline" : "");
  }
  std::string describe(const supervisor_effect::Kill& x) const { return "kill " + name(x.actor); }
  std::string describe(const supervisor_effect::Abandon& x) const {
    return "abandon " + name(x.actor);
  }
  static std::string describe(const supervisor_effect::Answer& x) {
    const auto text = x.error ? to_string(*x.error) : "ok";
    return "answer " + std::to_string(x.ticket) + " " + text.substr(0, text.find(':'));
  }
  static std::string describe(const supervisor_effect::Started&) { return "started"; }
  static std::string describe(const supervisor_effect::WakeAt& x) {
    return "wake at " + to_string(x.at.since_origin);
  }
  static std::string describe(const supervisor_effect::BeginStop& x) {
    return "begin to stop" + (x.id.empty() ? "" : " because of " + x.id);
  }
  static std::string describe(const supervisor_effect::Quit&) { return "quit"; }
  std::string describe(const supervisor_effect::Finish& x) const {
    return "finish " + name(x.actor)
           + (x.deadline == Instant::never() ? "" : " by " + to_string(x.deadline.since_origin));
  }
  static std::string describe(const supervisor_effect::Finished&) { return "finished"; }

  std::shared_ptr<const ChildOptions> child_;

public:
  SupervisorEngine engine;
};

} // namespace backoff_actor::engine_test
