#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "supervisor_account_checks.hpp"
#include "supervisor_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// What the driver of a supervisor may count on, whatever the reference says: knows only what went
/// in and came out of the engine, and what that means to actors and to those who wait for an
/// answer.
class SupervisorAccount : public SupervisorAccountChecks {
public:
  SupervisorAccount(SupervisorEngineOptions options, const std::vector<ChildEntry>& first)
    : SupervisorAccountChecks(std::move(options)) {
    std::uint32_t slot = 0;
    for (const auto& entry : first) {
      entries_[{slot, slot + 1}] = entry;
      ++slot;
    }
    first_ = first.size();
  }

  // -- one step: what goes in, the events, the effects -----------------------------------

  void before(Instant now, const SupervisorInput& input) {
    now_ = now;
    std::visit([this](const auto& x) { take(x); }, input);
    had_quit_ = has_quit;
    const auto* const added = std::get_if<supervisor_input::StartChild>(&input);
    added_ = added != nullptr ? added->entry : ChildEntry{};
    is_wanted_ = added != nullptr || std::holds_alternative<supervisor_input::RestartChild>(input);
  }

  /// Checks an event and returns it as text.
  std::string line(const SupervisorEvent& event) {
    require(!has_stopped_, "the last event tells of the end");
    if (const auto* const x = std::get_if<supervisor_event::RestartScheduled>(&event))
      not_before_[x->child] = x->at + x->delay;
    else if (const auto* const y = std::get_if<supervisor_event::ChildAdded>(&event))
      added_.id = y->child;
    else if (const auto* const z = std::get_if<supervisor_event::ChildRemoved>(&event))
      not_before_.erase(z->child);
    else if (std::holds_alternative<supervisor_event::Stopped>(event))
      has_stopped_ = true;
    return model_test::line(event);
  }

  /// Checks an effect and returns it as text.
  std::string line(const SupervisorEffect& effect) {
    std::visit([this](const auto& x) { carry_out(x); }, effect);
    return model_test::line(effect);
  }

  void after(const SupervisorEngine& engine) {
    const auto counts = engine.count();
    const auto abandoned = std::count_if(
      actors.begin(), actors.end(), [](const auto& x) { return x.is_abandoned && !x.is_gone; });
    require(counts.abandoned == static_cast<std::uint64_t>(abandoned),
            "those that were abandoned are counted until they end");
    const auto alive = std::count_if(actors.begin(), actors.end(),
                                     [](const auto& x) { return !x.is_abandoned && !x.is_gone; });
    require(counts.active == static_cast<std::uint64_t>(alive), "the others that live are active");
    require(counts.specs == entries_.size(), "each child is there until it is forgotten");
    require(counts.specs <= std::max(options_.max_children, first_),
            "there are no more than may be");
    require(counts.active + counts.waiting + counts.stopped == counts.specs,
            "each child is alive, waits or is stopped");
    require(has_quit == (engine.phase() == SupervisorPhase::stopped), "a supervisor ends once");
    require(has_quit == has_stopped_, "its end is told");
    require(stops.has_value() == (engine.phase() >= SupervisorPhase::stopping),
            "it says that it will end");
    require(is_begun || engine.phase() != SupervisorPhase::running, "it says that it has begun");
    require(!is_closing_ || counts.waiting == 0,
            "nothing waits for a start when the supervisor ends");
    const auto is_anybody_unfinished = std::any_of(actors.begin(), actors.end(), [](const auto& x) {
      return x.is_unfinished && !x.is_gone && !x.told_at;
    });
    require(engine.phase() != SupervisorPhase::finishing || is_anybody_unfinished
              || is_finish_told_,
            "a supervisor whose children have finished ends or says so");
    require(engine.phase() != SupervisorPhase::finishing || !ends_when_finished_
              || now_ < deadline_,
            "a supervisor that ends by itself does so at its deadline");
    require(counts.waiting == 0 || wake_up || is_somebody_awaited(),
            "something that is out will move on those that wait");
    require(!stops || has_quit || is_anybody_alive(), "only those that live are waited for");
    check_wake_up();
  }

  /// When the supervisor has ended.
  void at_the_end() const {
    require(has_quit, "a supervisor that was told to end does");
    for (const auto& [ticket, answers] : tickets_)
      require(answers == 1, "who asks for something is answered once");
    require(!is_anybody_alive(), "no child outlives its supervisor, unless it was abandoned");
  }

private:
  // -- what goes in ----------------------------------------------------------------------

  template <class T>
  void take(const T&) {} // nothing to know

  void take(const supervisor_input::StartChild& x) { tickets_[x.ticket] = 0; }
  void take(const supervisor_input::TerminateChild& x) {
    tickets_[x.ticket] = 0;
    terminated_.insert(x.id);
  }
  void take(const supervisor_input::RestartChild& x) {
    tickets_[x.ticket] = 0;
    not_before_.erase(x.id);
  }
  void take(const supervisor_input::DeleteChild& x) { tickets_[x.ticket] = 0; }
  void take(const supervisor_input::RetryNow& x) {
    tickets_[x.ticket] = 0;
    if (options_.strategy == Strategy::one_for_one)
      not_before_.erase(x.id);
    else
      not_before_.clear();
  }
  void take(const supervisor_input::ChildMade& x) {
    if (auto* const actor = known(x.actor)) {
      actor->is_made = true;
      if (!actor->is_up && !actor->told_at)
        actor->can_finish = x.can_finish;
      if (actor->options->readiness == Readiness::when_made)
        is_up(*actor);
    }
  }
  void take(const supervisor_input::ChildUp& x) {
    if (auto* const actor = known(x.actor)) {
      actor->is_made = true;
      is_up(*actor);
    }
  }
  void take(const supervisor_input::ChildNotUp& x) {
    if (auto* const actor = known(x.actor))
      actor->is_made = true;
  }
  // One that is up cannot have failed to start; the news is of no use then.
  void take(const supervisor_input::StartFailed& x) {
    auto* const actor = known(x.actor);
    if (actor != nullptr && !actor->is_abandoned && (!actor->is_up || actor->told_at))
      actor->is_gone = true;
  }
  void take(const supervisor_input::ChildDown& x) {
    auto* const actor = known(x.actor);
    if (actor == nullptr)
      return;
    actor->is_gone = true;
    if (x.directive == Directive::resume && !is_clean(x.ending))
      resumed_.insert(actor->id);
  }
  void take(const supervisor_input::Wake&) {
    if (wake_up && *wake_up <= now_)
      wake_up.reset();
  }

  void take(const supervisor_input::Finish& x) {
    if (has_quit)
      return;
    keeps_grace_ = keeps_grace_ || !is_closing_;
    is_closing_ = true;
    deadline_ = std::min(deadline_, x.deadline);
    ends_when_finished_ = ends_when_finished_ || x.ends;
    is_finish_told_ = false;
  }
  void take(const supervisor_input::ChildFinished& x) {
    if (auto* const actor = known(x.actor))
      actor->is_unfinished = false;
  }
  void take(const supervisor_input::Stop& x) {
    if (!x.keeps_grace && std::exchange(keeps_grace_, false) && stops)
      for (auto& actor : actors)
        limit(actor);
    is_closing_ = true;
  }

  // It is ending, and has the time that its options say, from now on.
  void limit(KnownActor& actor) const {
    const auto& own = actor.options->shutdown.limit();
    if (actor.told_at && own)
      actor.limit = std::min(actor.limit.value_or(Instant::never()), now_ + *own);
  }

  static void is_up(KnownActor& actor) {
    if (!actor.is_gone && !actor.told_at)
      actor.is_up = true;
  }

  // -- what is asked for -----------------------------------------------------------------

  void carry_out(const supervisor_effect::KeepChild& x) {
    require(!is_closing_, "no child is added at the end");
    require(entries_.emplace(x.child, added_).second, "no child is given the name of another");
    require(tickets_.count(x.ticket) == 1, "a child is kept for somebody");
  }

  void carry_out(const supervisor_effect::ForgetChild& x) {
    require(entries_.erase(x.child) == 1, "only what was kept is forgotten, once");
    for (const auto& actor : actors)
      require(actor.name.child != x.child || actor.is_gone || actor.is_abandoned,
              "no child is forgotten that lives");
  }

  void carry_out(const supervisor_effect::StartChild& x) {
    require(!is_closing_, "nothing is started at the end");
    std::uint32_t last = 0;
    for (const auto& actor : actors) {
      if (actor.name.child != x.actor.child)
        continue;
      last = actor.name.incarnation;
      require(actor.is_gone || actor.is_abandoned,
              "only an actor that was abandoned lives beside another of its child");
    }
    require(x.actor.incarnation == last + 1, "incarnations are counted one by one");
    const auto& entry = entries_.at(x.actor.child);
    require(x.asks_if_it_is == (entry.options->readiness == Readiness::when_it_is_up),
            "those are asked that can answer");
    const auto planned = not_before_.find(entry.id);
    require(planned == not_before_.end() || now_ >= planned->second,
            "no restart is earlier than its delay");
    if (is_wanted_)
      check_nobody_in_front_waits(x.actor.child);
    not_before_.erase(entry.id);
    terminated_.erase(entry.id);
    KnownActor actor{x.actor, entry.id, entry.options};
    actor.is_out_of_turn = is_wanted_ || resumed_.erase(entry.id) != 0;
    if (!actor.is_out_of_turn)
      check_order_of_starts(actor);
    actors.push_back(actor);
  }

  void carry_out(const supervisor_effect::TellToEnd& x) {
    auto& actor = living(x.actor);
    require(!actor.told_at || (actor.keeps_grace && !x.keeps_grace),
            "an actor is told to end once, or again if it does not keep the grace");
    require(actor.options->shutdown.asks(), "who is to be killed at once is not asked");
    require(!x.keeps_grace || (actor.can_finish && keeps_grace_),
            "the grace is kept by those that know of it");
    if (!actor.told_at)
      check_order_of_the_end(actor);
    actor.told_at = now_;
    actor.keeps_grace = x.keeps_grace;
    if (!stops || !keeps_grace_)
      limit(actor);
  }

  void carry_out(const supervisor_effect::Finish& x) {
    auto& actor = living(x.actor);
    require(is_closing_ && x.deadline == deadline_, "the deadline is that of the grace");
    require(actor.can_finish && !actor.killed_at, "those are told to finish that can");
    actor.is_unfinished = true;
  }

  void carry_out(const supervisor_effect::Finished&) {
    require(is_closing_ && !stops && !ends_when_finished_ && !std::exchange(is_finish_told_, true),
            "only a supervisor that waits to be told says that it has finished, once");
  }

  void carry_out(const supervisor_effect::Kill& x) {
    auto& actor = living(x.actor);
    require(!actor.killed_at, "an actor is killed once");
    require(!actor.options->shutdown.asks() || now_ >= end_of_grace(actor)
              || (actor.limit && now_ >= *actor.limit),
            "an actor that is asked to end is not killed before its time is over");
    if (!actor.told_at)
      check_order_of_the_end(actor);
    actor.told_at = actor.told_at.value_or(now_);
    actor.killed_at = now_;
  }

  void carry_out(const supervisor_effect::Abandon& x) {
    auto& actor = living(x.actor);
    require(options_.after_grace == AfterGrace::abandon, "actors are abandoned only on request");
    require(actor.killed_at && now_ >= *actor.killed_at + options_.kill_grace,
            "an actor that was killed is not abandoned before the grace is over");
    actor.is_abandoned = true;
  }

  void carry_out(const supervisor_effect::Answer& x) {
    const auto asked = tickets_.find(x.ticket);
    require(asked != tickets_.end() && ++asked->second == 1, "who asks is answered, and once");
    require(!had_quit_ || x.error != SupervisorError::start_failed, "no start fails after the end");
  }

  void carry_out(const supervisor_effect::Started&) {
    require(!stops && !std::exchange(is_begun, true), "a supervisor begins once");
  }

  void carry_out(const supervisor_effect::HookFailed&) {} // see SideBySide

  void carry_out(const supervisor_effect::WakeAt& x) {
    require(!has_quit, "no wake-up is asked for after the end");
    wake_up = x.at;
  }

  void carry_out(const supervisor_effect::BeginStop& x) {
    require(!stops, "a supervisor ends for one reason");
    is_closing_ = true;
    stops = x;
  }

  void carry_out(const supervisor_effect::Quit&) {
    require(stops.has_value() && !has_quit, "a supervisor ends once, and said so before");
    require(!is_anybody_alive(), "a supervisor ends when its children have");
    has_quit = true;
  }

  std::size_t first_ = 0; // how many there were at first
  std::map<Ticket, int> tickets_{};
  std::set<std::string> resumed_{}; // likewise
  bool is_wanted_ = false;          // what is started in this step
  bool has_stopped_ = false;
  bool is_closing_ = false;  // it was told to finish or to end, or ends by itself
  bool keeps_grace_ = false; // when it stops
  bool ends_when_finished_ = false;
  bool is_finish_told_ = false;
  bool had_quit_ = false;
  ChildEntry added_{};
};

} // namespace backoff_actor::model_test
