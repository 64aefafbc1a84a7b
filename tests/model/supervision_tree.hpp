#pragma once

#include "checked_supervisor.hpp"
#include "supervisor_conditions.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// Supervisors below supervisors, and workers, with a driver that plays the actors: each has a
/// mailbox, a child that ends is news to its parent, and one that is killed takes with it all that
/// is below it.
class SupervisionTree {
public:
  using Id = std::uint32_t; // of an actor, counted from 1: the root; 0: nobody

  /// How many levels of supervisors there are.
  static constexpr std::size_t depth = 3;

  struct Actor {
    Id parent = 0;
    ChildActor name{}; // as the parent calls it
    std::size_t level = 0;
    bool is_told = false;
    bool is_killed = false;
    bool hangs = false;                                // reads nothing
    bool is_to_finish = false;                         // a worker that was told to
    bool fails_at_the_end = false;                     // though it was told to end
    std::optional<CheckedSupervisor> supervisor{};     // otherwise a worker
    std::deque<SupervisorInput> mailbox{};             // of a supervisor
    std::optional<supervisor_effect::BeginStop> why{}; // it ends
  };

  /// How the next actors start.
  enum class Birth { well, fails, never_up, says_no };

  /// All supervisors of a level are alike.
  explicit SupervisionTree(std::array<SupervisorConditions, depth> levels)
    : levels_(std::move(levels)) {
    become_supervisor(make(0, {}, 0));
  }

  // -- what can happen -------------------------------------------------------------------

  /// The actors that live, and the supervisors among them.
  std::vector<Id> actors() const {
    std::vector<Id> result;
    for (const auto& [id, actor] : actors_)
      result.push_back(id);
    return result;
  }
  std::vector<Id> supervisors() const {
    std::vector<Id> result;
    for (const auto& [id, actor] : actors_)
      if (actor.supervisor)
        result.push_back(id);
    return result;
  }
  const Actor& actor(Id id) const { return actors_.at(id); }
  bool is_there(Id id) const { return actors_.count(id) == 1; }

  void next_is_born(Birth how) { birth_ = how; }
  void decide(Directive directive) { directive_ = directive; }

  /// An actor goes, and takes with it what is below it.
  void end(Id id, Ending ending, const Cause& cause) {
    const auto actor = actors_.find(id);
    const auto parent = actor->second.parent;
    const auto name = actor->second.name;
    remove(id);
    post(parent, supervisor_input::ChildDown{name, ending, cause, directive_});
  }

  void hang(Id id) { actors_.at(id).hangs = true; }
  void fail_at_the_end(Id id) { actors_.at(id).fails_at_the_end = true; }

  void come_to(Id id) {
    auto& actor = actors_.at(id);
    if (!std::exchange(actor.hangs, false))
      return;
    if (actor.is_killed)
      end(id, Ending::killed, {9, "killed"});
    else if (actor.is_told && !actor.supervisor)
      end_as_told(id);
    else if (!actor.supervisor) {
      post(actor.parent, supervisor_input::ChildUp{actor.name}); // at last
      finish_work(id);
    }
  }

  void ask(Id supervisor, const SupervisorInput& input) { post(supervisor, input); }
  void ask_to_finish(Id supervisor, Duration grace) {
    post(supervisor, supervisor_input::Finish{now_ + grace});
  }
  Ticket ticket() { return ++tickets_; }

  /// To the next wake-up of anybody who reads, if there is one.
  bool advance_to_wake_up() {
    std::optional<Instant> earliest;
    for (const auto& [id, actor] : actors_)
      if (actor.supervisor && !actor.hangs)
        if (const auto at = actor.supervisor->account().wake_up;
            at && (!earliest || *at < *earliest))
          earliest = at;
    if (!earliest)
      return false;
    advance(std::max(*earliest - now_, Duration{0}));
    return true;
  }

  void advance(Duration span) {
    now_ = now_ + span;
    for (auto& [id, actor] : actors_)
      if (actor.supervisor && actor.supervisor->account().wake_up
          && *actor.supervisor->account().wake_up <= now_)
        actor.mailbox.push_back(supervisor_input::Wake{});
  }

  /// One that has mail reads one; returns whether anybody had any.
  bool read_one(std::size_t which) {
    std::vector<Id> readers;
    for (const auto& [id, actor] : actors_)
      if (!actor.hangs && !actor.mailbox.empty())
        readers.push_back(id);
    if (readers.empty())
      return false;
    const auto id = readers[which % readers.size()];
    auto& mailbox = actors_.at(id).mailbox;
    const auto input = mailbox.front();
    mailbox.pop_front();
    step(id, input);
    return true;
  }

  void carry_out_mail() {
    for (int count = 0; read_one(0); ++count)
      require(count < 20'000, "supervisors come to a rest without the clock");
  }

  std::string story() const {
    auto text = "the story:\n" + story_;
    if (is_there(current_) && actors_.at(current_).supervisor)
      text += "of the last one, " + actors_.at(current_).supervisor->story();
    return text;
  }

private:
  // -- actors ----------------------------------------------------------------------------

  Id make(Id parent, const ChildActor& name, std::size_t level) {
    const auto id = ++ids_;
    auto& actor = actors_[id];
    actor.parent = parent;
    actor.name = name;
    actor.level = level;
    return id;
  }

  void become_supervisor(Id id) {
    auto& actor = actors_.at(id);
    const auto& conditions = levels_[actor.level];
    actor.supervisor.emplace(options_of(conditions), first_children_of(conditions));
    actor.mailbox.push_back(supervisor_input::Start{});
  }

  void remove(Id id) {
    actors_.erase(id);
    for (const auto child : actors())
      if (is_there(child) && actors_.at(child).parent == id && !is_left_to_itself(child))
        remove(child);
  }

  void post(Id id, const SupervisorInput& input) {
    if (const auto actor = actors_.find(id); actor != actors_.end())
      actor->second.mailbox.push_back(input);
  }

  // Those that can finish are supervisors, and every other worker.
  bool can_finish(Id id) const { return actors_.at(id).level < depth || id % 2 == 0; }

  void finish_work(Id id) {
    auto& actor = actors_.at(id);
    if (!actor.hangs && std::exchange(actor.is_to_finish, false))
      post(actor.parent, supervisor_input::ChildFinished{actor.name});
  }

  void end_as_told(Id id) {
    if (actors_.at(id).fails_at_the_end)
      end(id, Ending::failed, {8, "failed at the end"});
    else
      end(id, Ending::shutdown, {});
  }

  // -- one step --------------------------------------------------------------------------

  void step(Id id, const SupervisorInput& input) {
    current_ = id;
    story_ += "  " + describe(now_) + " " + number(id) + " " + line(input) + "\n";
    const auto effects = actors_.at(id).supervisor->step(now_, input);
    for (const auto& effect : effects)
      if (is_there(id))
        std::visit([&](const auto& x) { carry_out(id, x); }, effect);
  }

  template <class T>
  void carry_out(Id, const T&) {} // the account takes care of it

  void carry_out(Id id, const supervisor_effect::StartChild& x) {
    for (const auto& [other, actor] : actors_)
      require(actor.parent != id || actor.name.child != x.actor.child || is_left_to_itself(other),
              "no two actors of a child live, unless one was abandoned");
    const auto birth = std::exchange(birth_, Birth::well);
    if (birth == Birth::fails)
      return post(id, supervisor_input::StartFailed{x.actor, {2, "cannot be made"}, directive_});
    const auto level = actors_.at(id).level + 1;
    const auto child = make(id, x.actor, level);
    story_ += "    " + number(child) + " is " + words(x.actor) + " of " + number(id) + "\n";
    post(id, supervisor_input::ChildMade{x.actor, can_finish(child)});
    if (x.asks_if_it_is && birth == Birth::never_up)
      actors_.at(child).hangs = true;
    else if (x.asks_if_it_is && birth == Birth::says_no)
      post(id, supervisor_input::ChildNotUp{x.actor, {3, "will not be up"}, directive_});
    else if (x.asks_if_it_is && level >= depth)
      post(id, supervisor_input::ChildUp{x.actor});
    if (x.asks_if_it_is && level < depth)
      become_supervisor(child);
  }

  void carry_out(Id id, const supervisor_effect::TellToEnd& x) {
    const auto child = child_of(id, x.actor);
    if (child == 0)
      return;
    auto& actor = actors_.at(child);
    actor.is_told = true;
    if (actor.supervisor)
      actor.mailbox.push_back(supervisor_input::Stop{false, x.keeps_grace});
    else if (!actor.hangs)
      end_as_told(child);
  }

  void carry_out(Id id, const supervisor_effect::Finish& x) {
    const auto child = child_of(id, x.actor);
    if (child == 0)
      return;
    auto& actor = actors_.at(child);
    if (actor.supervisor)
      return actor.mailbox.push_back(supervisor_input::Finish{x.deadline, false});
    actor.is_to_finish = true;
    finish_work(child);
  }

  void carry_out(Id id, const supervisor_effect::Finished&) {
    const auto& actor = actors_.at(id);
    post(actor.parent, supervisor_input::ChildFinished{actor.name});
  }

  void carry_out(Id id, const supervisor_effect::Kill& x) {
    const auto child = child_of(id, x.actor);
    if (child == 0)
      return;
    actors_.at(child).is_killed = true;
    if (!actors_.at(child).hangs)
      end(child, Ending::killed, {9, "killed"});
  }

  void carry_out(Id id, const supervisor_effect::Abandon& x) {
    if (const auto child = child_of(id, x.actor); child != 0)
      left_to_themselves_.push_back(child);
  }

  void carry_out(Id id, const supervisor_effect::Started&) {
    const auto& actor = actors_.at(id);
    post(actor.parent, supervisor_input::ChildUp{actor.name});
  }

  void carry_out(Id id, const supervisor_effect::BeginStop& x) { actors_.at(id).why = x; }

  void carry_out(Id id, const supervisor_effect::Quit&) {
    using Reason = supervisor_effect::QuitReason;
    actors_.at(id).supervisor->account().at_the_end();
    for (const auto& [child, actor] : actors_)
      require(actor.parent != id || is_left_to_itself(child),
              "only those that were abandoned are left when a supervisor ends");
    const auto why = *actors_.at(id).why;
    const auto is_clean_end = why.reason == Reason::told || why.reason == Reason::auto_shutdown;
    end(id, is_clean_end ? Ending::shutdown : Ending::failed,
        is_clean_end ? Cause{} : Cause{20, words(why.reason) + " " + why.id});
  }

  // Whoever is told something may have gone; then the news is on its way, and this is 0.
  Id child_of(Id parent, const ChildActor& name) const {
    for (const auto& [id, actor] : actors_)
      if (actor.parent == parent && actor.name == name)
        return id;
    return 0;
  }

  bool is_left_to_itself(Id id) const {
    return std::find(left_to_themselves_.begin(), left_to_themselves_.end(), id)
           != left_to_themselves_.end();
  }

  std::array<SupervisorConditions, depth> levels_;
  std::map<Id, Actor> actors_{};
  std::vector<Id> left_to_themselves_{};
  Id ids_ = 0;
  Id current_ = 0;
  Ticket tickets_ = 0;
  Birth birth_ = Birth::well;
  Directive directive_ = Directive::restart;
  Instant now_{std::chrono::seconds{1}};
  std::string story_{};
};

} // namespace backoff_actor::model_test
