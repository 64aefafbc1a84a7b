#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine.hpp"
#include "drawn.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// An actor that a supervisor had made, as its driver sees it.
struct KnownActor {
  ChildActor name;
  std::string id;
  std::shared_ptr<const ChildOptions> options;
  bool is_made = false; // or said to be up, or not
  bool is_up = false;
  bool is_gone = false;
  bool is_abandoned = false;
  bool is_out_of_turn = false; // somebody wanted it to be started, or its failure was not to count
  std::optional<Instant> told_at{};   // to end, or killed
  std::optional<Instant> killed_at{}; // without another word
  std::optional<Instant> limit{};     // by its own options, if it was told to end
  bool can_finish = false;
  bool is_unfinished = false; // it was told to finish, and has not said that it has
  bool keeps_grace = false;   // it was told to end so
};

/// The actors of a supervisor, and what holds of the order in which they start and end, and of
/// their limits of time.
class SupervisorAccountChecks {
public:
  std::vector<KnownActor> actors;   // all that there ever were
  std::optional<Instant> wake_up{}; // that is out
  bool is_begun = false;            // all first children are up
  std::optional<supervisor_effect::BeginStop> stops{};
  bool has_quit = false;

  bool is_anybody_alive() const {
    return std::any_of(actors.begin(), actors.end(),
                       [](const auto& x) { return !x.is_gone && !x.is_abandoned; });
  }

protected:
  explicit SupervisorAccountChecks(SupervisorEngineOptions options)
    : options_(std::move(options)) {}

  KnownActor* known(const ChildActor& name) {
    for (auto& x : actors)
      if (x.name == name)
        return &x;
    return nullptr;
  }

  // When one that is asked to end is killed because the grace is over.
  Instant end_of_grace(const KnownActor& actor) const {
    const auto& grace = options_.kill_grace;
    return actor.can_finish ? deadline_ + grace + grace + grace : deadline_;
  }

  KnownActor& living(const ChildActor& name) {
    auto* const actor = known(name);
    require(actor != nullptr && !actor->is_gone && !actor->is_abandoned,
            "only an actor that lives is told something");
    return *actor;
  }

  bool is_group() const { return options_.strategy != Strategy::one_for_one; }

  // Nobody who is up ends before one behind it, but for those that are a matter of their own: out
  // of turn, wanted away, or never up.
  void check_order_of_the_end(const KnownActor& ending) const {
    const auto is_order_over = now_ >= deadline_ + options_.kill_grace;
    if (options_.is_dynamic || (!stops && !is_group()) || !ending.is_up || is_order_over
        || terminated_.count(ending.id) != 0)
      return;
    for (const auto& x : actors) {
      const auto is_apart =
        x.is_out_of_turn || (x.told_at && (!x.is_up || terminated_.count(x.id) != 0));
      require(x.name.child.serial <= ending.name.child.serial || x.is_gone || x.is_abandoned
                || (is_apart && !stops),
              "children end in reverse");
    }
  }

  // Nobody starts before those in front of it are up; for itself each but the first time.
  void check_order_of_starts(const KnownActor& starting) const {
    const auto counts = [&](const KnownActor& x) {
      return is_group() || (!is_begun && x.name.incarnation == 1);
    };
    if (!counts(starting))
      return;
    for (const auto& x : actors) {
      const auto is_apart = x.is_out_of_turn || terminated_.count(x.id) != 0;
      require(x.name.child.serial >= starting.name.child.serial || x.is_gone || x.is_abandoned
                || (x.is_up && !x.told_at) || is_apart || !counts(x),
              "children start in order, each when the one before it is up");
    }
  }

  // Who is asked for by hand does not come up before those of its group that failed.
  void check_nobody_in_front_waits(ChildName starting) const {
    for (const auto& [name, entry] : entries_)
      require(!is_group() || name.serial >= starting.serial || not_before_.count(entry.id) == 0
                || terminated_.count(entry.id) != 0,
              "nobody is started on request while one in front of it waits for its restart");
  }

  bool is_somebody_awaited() const {
    return std::any_of(actors.begin(), actors.end(), [](const auto& x) {
      return !x.is_gone && !x.is_abandoned && (!x.is_up || x.told_at);
    });
  }

  // Each limit of time has somebody who looks at the clock when it is over.
  void check_wake_up() const {
    for (const auto& x : actors) {
      if (x.is_gone || x.is_abandoned)
        continue;
      if (x.killed_at && options_.after_grace == AfterGrace::abandon)
        check_wake_up_by(*x.killed_at + options_.kill_grace);
      else if (x.told_at && !x.killed_at)
        check_wake_up_by(std::min(x.limit.value_or(Instant::never()), end_of_grace(x)));
    }
  }
  void check_wake_up_by(Instant at) const {
    require(at == Instant::never() || (wake_up && *wake_up <= at),
            "a wake-up is out for what has a limit, and in time");
  }

  SupervisorEngineOptions options_;
  std::map<ChildName, ChildEntry> entries_{};
  std::map<std::string, Instant> not_before_{}; // whose restart, by id
  std::set<std::string> terminated_{};          // ids of those not started again since
  Instant deadline_ = Instant::never();         // of the grace
  Instant now_{};
};

} // namespace backoff_actor::model_test
