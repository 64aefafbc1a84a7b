#pragma once

#include "checked_supervisor.hpp"
#include "supervisor_command.hpp"
#include "supervisor_conditions.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

/// One supervisor, and a driver that resolves commands.
class SupervisorWalk {
public:
  SupervisorWalk(const SupervisorConditions& conditions, bool come_up_at_first)
    : conditions_(conditions), supervisor_(options_of(conditions), first_children_of(conditions)),
      come_up_at_first_(come_up_at_first) {}

  void begin() {
    step(supervisor_input::Start{});
    if (come_up_at_first_)
      all_up();
  }

  void take(const SupervisorCommand& x) {
    using Kind = SupervisorCommand::Kind;
    switch (x.kind) {
    case Kind::made:
      return with_actor(x, [&](const auto& name) { step(made(name)); });
    case Kind::up:
      return with_actor(x, [&](const auto& name) { step(supervisor_input::ChildUp{name}); });
    case Kind::come_up:
      return with_actor(x, [&](const auto& name) { come_up(name); });
    case Kind::start_failed:
      return with_actor(x, [&](const auto& name) {
        step(supervisor_input::StartFailed{name, x.cause(), x.directive()});
      });
    case Kind::not_up:
      return with_actor(x, [&](const auto& name) {
        step(supervisor_input::ChildNotUp{name, x.cause(), x.directive()});
      });
    case Kind::down:
      return with_actor(x, [&](const auto& name) { down(name, x); });
    case Kind::all_down: // at once, in any order
      return all_down(x);
    case Kind::all_up:
      return all_up();
    case Kind::start_child:
      return step(supervisor_input::StartChild{++tickets_, {x.new_id(), new_options(x)}});
    case Kind::terminate:
      return step(supervisor_input::TerminateChild{++tickets_, id(x)});
    case Kind::restart:
      return step(supervisor_input::RestartChild{++tickets_, id(x)});
    case Kind::forget:
      return step(supervisor_input::DeleteChild{++tickets_, id(x)});
    case Kind::retry_now:
      return step(supervisor_input::RetryNow{++tickets_, id(x)});
    case Kind::tick:
      return tick();
    case Kind::advance:
      now_ = now_ + x.span();
      if (wake_up() && *wake_up() <= now_)
        step(supervisor_input::Wake{});
      return;
    case Kind::be_late:
      now_ = now_ + x.span();
      return;
    case Kind::wake: // at once, or just too early
      if (x.how % 2 == 1 && wake_up())
        now_ = std::max(now_, *wake_up() + Duration{-1});
      return step(supervisor_input::Wake{});
    case Kind::start:
      return step(supervisor_input::Start{});
    case Kind::stop:
      return step(supervisor_input::Stop{x.how % 2 == 1, x.how % 3 == 2});
    case Kind::finish:
      return step(supervisor_input::Finish{x.grace() ? now_ + *x.grace() : Instant::never(),
                                           x.finish_ends()});
    case Kind::child_finished:
      return with_actor(x, [&](const auto& name) { step(supervisor_input::ChildFinished{name}); });
    }
  }

  /// A supervisor whose children are well becomes quiet, and it ends when it is told to.
  void finish() {
    for (int round = 0; wake_up() || is_somebody_awaited(); ++round) {
      require(round < 300, "a supervisor becomes quiet when its children are well");
      let_all_be_well();
      tick();
    }
    step(supervisor_input::Stop{});
    for (int round = 0; !supervisor_.account().has_quit; ++round) {
      require(round < 300, "a supervisor ends when its children do");
      let_all_be_well();
      tick();
    }
    supervisor_.account().at_the_end();
    let_all_be_well(); // those that were abandoned, too
    step(supervisor_input::Wake{});
    step(supervisor_input::StartChild{++tickets_, {"late", new_options({})}});
    step(supervisor_input::RetryNow{++tickets_, "a"});
    supervisor_.account().at_the_end();
  }

  std::string story() const { return supervisor_.story(); }

private:
  const std::vector<KnownActor>& actors() const { return supervisor_.account().actors; }
  const std::optional<Instant>& wake_up() const { return supervisor_.account().wake_up; }

  void step(const SupervisorInput& input) { supervisor_.step(now_, input); }

  void tick() {
    if (!wake_up())
      return;
    now_ = std::max(now_, *wake_up());
    step(supervisor_input::Wake{});
  }

  void come_up(ChildActor name) {
    step(made(name));
    step(supervisor_input::ChildUp{name});
  }

  // Every other child is one that can finish.
  static supervisor_input::ChildMade made(ChildActor name) {
    return {name, (name.child.serial + name.incarnation) % 2 == 1};
  }

  // If they do when they are made or asked.
  void all_up() {
    for (std::size_t i = 0; i < actors().size(); ++i)
      come_up(actors()[i].name);
  }

  // One that ends because it was told to mostly says so.
  void down(ChildActor name, const SupervisorCommand& x) {
    step(supervisor_input::ChildDown{name, x.ending(),
                                     is_clean(x.ending()) && x.how % 5 != 0 ? Cause{} : x.cause(),
                                     x.directive()});
  }

  // In any order; where that does not reach all, some stay. Mostly none of them is told to.
  void all_down(const SupervisorCommand& x) {
    for (std::size_t i = 0, count = actors().size(); i < count; ++i) {
      const auto actor = actors()[(i * 7 + x.which()) % count];
      if (!actor.is_up || actor.is_gone)
        continue;
      if (x.how % 4 == 0)
        down(actor.name, x);
      else
        step(supervisor_input::ChildDown{actor.name, Ending::failed, {1, "all"}, x.all_alike()});
    }
  }

  bool is_somebody_awaited() const {
    return std::any_of(actors().begin(), actors().end(), [](const auto& x) {
      return !x.is_gone && (!x.is_up || x.told_at || x.is_unfinished);
    });
  }

  void let_all_be_well() {
    for (std::size_t i = 0; i < actors().size(); ++i) { // there may be more and more of them
      const auto actor = actors()[i];
      if (actor.is_gone)
        continue;
      if (actor.told_at)
        step(supervisor_input::ChildDown{actor.name, Ending::shutdown, {}, Directive::restart});
      else if (actor.is_unfinished)
        step(supervisor_input::ChildFinished{actor.name});
      else if (!actor.is_up)
        come_up(actor.name);
    }
  }

  // -- what a command refers to ----------------------------------------------------------

  // Mostly one to which that can happen, sometimes one to which it cannot, or that never was.
  template <class Use>
  void with_actor(const SupervisorCommand& x, Use use) {
    using Kind = SupervisorCommand::Kind;
    std::vector<ChildActor> apt;
    for (const auto& actor : actors()) {
      const auto is_coming = !actor.is_gone && !actor.is_up; // or its start is to be called off
      const auto is_apt = x.kind == Kind::down             ? !actor.is_gone
                          : x.kind == Kind::child_finished ? actor.is_unfinished
                          : x.kind == Kind::start_failed   ? is_coming
                                                           : is_coming && !actor.told_at;
      if (is_apt)
        apt.push_back(actor.name);
    }
    if (x.who % 16 < 14 && !apt.empty())
      return use(apt[x.which() % apt.size()]);
    if (x.who % 16 < 14)
      return;
    if (x.who % 16 == 14 && !actors().empty())
      return use(ChildActor{actors()[x.which() % actors().size()].name});
    return use(ChildActor{{x.which() % 4, x.which() / 4 % 6}, x.which() % 3});
  }

  // Of a child that there is, or one of those that there could be.
  std::string id(const SupervisorCommand& x) const {
    const auto children = supervisor_.engine().children();
    if (x.who % 16 == 15 || children.empty())
      return id_of(x.which() % 11);
    return supervisor_.engine().status(children[x.which() % children.size()], now_)->id;
  }

  std::shared_ptr<const ChildOptions> new_options(const SupervisorCommand& x) const {
    const auto& first = conditions_.first;
    const auto traits = first.empty() ? ChildTraits{} : first[x.how % first.size()];
    return std::make_shared<const ChildOptions>(options_of(traits));
  }

  SupervisorConditions conditions_;
  CheckedSupervisor supervisor_;
  bool come_up_at_first_;
  Instant now_{std::chrono::seconds{1}};
  Ticket tickets_ = 0;
};

} // namespace backoff_actor::model_test
