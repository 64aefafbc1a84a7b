#pragma once

#include "contract.hpp"
#include "pool_conditions.hpp"
#include "story.hpp"
#include "walk_driver.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// A sender with a pool, and what must hold after every step beside the contract:
///  - no delivery is with two living workers (contract.hpp);
///  - of a key, one is in flight (contract.hpp);
///  - no worker that could take a delivery is left idle while one may go;
///  - no kind has more workers than it may have, and none is replaced that is taken out with its
///    process;
///  - a worker that is withdrawn or lost does not wait for that.
class PoolWalk : public WalkDriver {
public:
  PoolWalk(const Conditions& conditions, const PoolConditions& pool, std::vector<Command> left = {})
    : WalkDriver(conditions), drawn_(pool), left_(std::move(left)) {
    options_.pool = pool_of(pool);
    contract_ = std::make_unique<Contract>(options_);
    auto heard = options_;
    heard.on_event = [this](const Event& event) {
      contract_->line(event);
      if (const auto* const x = std::get_if<event::ChildDown>(&event))
        was_failure_ = x->is_failure;
    };
    engine_ = std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(heard));
  }

  PoolWalk(const PoolWalk&) = delete; // the hook refers to it
  PoolWalk& operator=(const PoolWalk&) = delete;

  void begin() {
    for (const auto& command : left_)
      WalkDriver::take(command);
    if (conditions_.start != 7)
      start(conditions_.persist != 0 ? contract_->store.last_number() + gap() : 0);
  }

  void take(const PoolCommand& x) {
    switch (x.what) {
    case PoolCommand::What::command:
      return WalkDriver::take(x.command);
    case PoolCommand::What::resize:
      if (!is_visited(drawn_, x.kind()))
        step(input::Resize{x.kind(), x.workers()});
      return;
    case PoolCommand::What::retire:
      return step(input::RetireWorker{x.worker()});
    case PoolCommand::What::join:
      return visit(x.kind(), x.count());
    case PoolCommand::What::leave:
      return leave(x);
    }
  }

  /// Nothing stays owed once all goes well, or once the sender is stopped.
  void finish() {
    if (ending_of(conditions_) != Ending::stop && !is_closing()) {
      work_off();
      step(input::Submit{}); // a pool that has rested works on
      work_off();
    }
    step(input::Stop{});
    for (int round = 0; round < 1000 && !has_ended(); ++round)
      tick();
    require(has_ended(), "a sender that is told to end ends in time");
    contract_->at_the_end();
  }

  std::string story() const {
    std::string text = "the story:\n";
    for (const auto& [at, line] : lines_)
      text += "  " + describe(at) + " " + line + "\n";
    return text;
  }

private:
  Contract& account() override { return *contract_; }

  void step(const Input& input) override {
    lines_.emplace_back(now_, Story{*contract_}(input));
    const auto ends = worker_of(input);
    contract_->before(now_, input);
    effects_.clear();
    was_failure_ = false;
    engine_->step(now_, input, effects_, 1);
    for (const auto& effect : effects_)
      if (const auto* const x = std::get_if<effect::StartChild>(&effect))
        ++started_[x->kind];
    for (const auto& effect : effects_)
      if (auto line = contract_->line(effect); !line.empty())
        lines_.emplace_back(now_, "    " + line);
    contract_->after(*engine_);
    is_paused_ = std::holds_alternative<input::Pause>(input)
                 || (is_paused_ && !std::holds_alternative<input::Resume>(input));
    if (const auto* const x = std::get_if<input::StoreBehind>(&input))
      is_store_behind_ = x->is_behind;
    if (const auto* const x = std::get_if<input::SureUntil>(&input))
      sure_until_ = x->until;
    if (has_ended())
      return;
    const auto pool = engine_->status(now_).pool;
    check_pool(pool);
    if (ends)
      check_that_it_does_not_wait(*ends, pool);
  }

  // -- workers of other processes --------------------------------------------------------

  void visit(std::uint16_t kind, std::uint32_t count) {
    if (kind >= options_.pool.kinds.size() || !is_visited(drawn_, kind) || is_closing())
      return;
    visitors_[kind] += count;
    step(input::Resize{kind, {visitors_[kind], visitors_[kind]}});
  }

  void leave(const PoolCommand& x) {
    auto& all = visitors_[x.kind()];
    const auto count = std::min(all, x.count());
    if (count == 0 || is_closing())
      return;
    step(input::Wake{}); // what is overdue comes before
    auto goes = workers_of(x.kind());
    goes.resize(std::min<std::size_t>(goes.size(), count)); // they may not have begun
    const auto end = x.is_lost() ? input::ChildEnd::lost : input::ChildEnd::withdrawn;
    const auto are_gone = [&](const std::vector<WorkerStatus>& workers) {
      for (const auto& worker : workers)
        step(input::ChildDown{worker.incarnation, {1, "gone"}, Verdict::retry, end});
    };
    if (x.is_sudden())
      are_gone(goes);
    const auto started = started_[x.kind()];
    step(input::Resize{x.kind(), {all - count, all}});
    for (const auto& worker : goes)
      step(input::RetireWorker{static_cast<std::uint16_t>(worker.number)});
    all -= count;
    step(input::Resize{x.kind(), {all, all}});
    require(started_[x.kind()] == started, "no worker takes the place of one whose process goes");
    if (!x.is_sudden())
      are_gone(goes);
  }

  // Those that are not about to leave.
  std::vector<WorkerStatus> workers_of(std::uint16_t kind) const {
    std::vector<WorkerStatus> result;
    if (has_ended())
      return result;
    for (const auto& x : engine_->status(now_).pool.workers)
      if (x.kind == kind && x.state != WorkerState::leaving)
        result.push_back(x);
    return result;
  }

  // Before a child ends that is not to blame for it.
  std::optional<WorkerStatus> worker_of(const Input& input) const {
    const auto* const x = std::get_if<input::ChildDown>(&input);
    if (x == nullptr || x->end == input::ChildEnd::own || has_ended())
      return std::nullopt;
    const auto pool = engine_->status(now_).pool;
    const auto found = std::ranges::find(pool.workers, x->incarnation, &WorkerStatus::incarnation);
    return found == pool.workers.end() ? std::nullopt : std::optional{*found};
  }

  void check_that_it_does_not_wait(const WorkerStatus& before, const PoolStatus& pool) const {
    const auto now = std::ranges::find(pool.workers, before.number, &WorkerStatus::number);
    require(was_failure_ || now == pool.workers.end()
              || (now->retries <= before.retries && now->due_in <= before.due_in),
            "a worker that is withdrawn or lost does not wait for that");
  }

  bool has_ended() const { return engine_->phase() == Phase::stopped; }
  bool is_closing() const { return engine_->phase() >= Phase::finishing; }

  void check_pool(const PoolStatus& pool) {
    std::map<std::uint32_t, std::uint32_t> size; // by kind
    std::set<std::uint32_t> shown;
    for (const auto& x : pool.workers) {
      shown.insert(x.incarnation);
      size[x.kind] += x.state != WorkerState::leaving ? 1U : 0U;
      const auto known = contract_->children.find(x.incarnation);
      if (x.state == WorkerState::serving && !is_closing())
        require(known != contract_->children.end() && known->second.is_there()
                  && known->second.worker == x.number,
                "a worker that serves has a living child");
      if (x.state == WorkerState::waiting)
        require(contract_->wake_up && *contract_->wake_up <= now_ + x.due_in,
                "a wake-up is out for each delay");
    }
    for (const auto& [kind, count] : size)
      require(count <= pool.kinds.at(kind).workers.most, "no kind has more workers than it may");
    for (const auto& [incarnation, child] : contract_->children)
      require(!child.is_there() || shown.count(incarnation) == 1, "each living child is shown");
    if (!is_closing())
      check_that_none_idles(pool);
  }

  // Work conservation.
  void check_that_none_idles(const PoolStatus& pool) const {
    if (options_.max_hand_overs) // one may have to go alone
      return;
    if (pool.ready == 0 || is_paused_ || is_store_behind_ || now_ >= sure_until_
        || !contract_->store.awaited().empty() || !contract_->unwritten.empty())
      return;
    for (const auto& x : pool.workers)
      require(x.state != WorkerState::serving || x.holds != 0
                || pool.kinds.at(x.kind).held_by_service_for > Duration::zero(),
              "no worker idles while a delivery may go");
  }

  // Workers that do what they are for, and a store and a timer that work.
  void work_off() {
    step(input::Start{});
    step(input::Resume{});
    step(input::StoreBehind{false});
    step(input::SureUntil{Instant::never()});
    const auto may_have_none = [](const KindStatus& kind) { return kind.workers.most == 0; };
    if (!is_closing() && std::ranges::all_of(engine_->status(now_).pool.kinds, may_have_none))
      visit(0, 1);
    const auto rounds = 200 + 100 * engine_->owed();
    for (std::size_t round = 0; round < rounds && engine_->owed() > 0 && !is_closing(); ++round) {
      store_all();
      for (std::uint32_t which = 1; which <= contract_->children.size(); ++which)
        work(which, true);
      now_ = now_ + std::chrono::milliseconds{1};
      tick();
    }
    require(engine_->owed() == 0 || is_closing(), "nothing stays owed once all goes well");
  }

  PoolConditions drawn_;
  std::vector<Command> left_;
  std::unique_ptr<Contract> contract_;
  std::unique_ptr<SenderEngine> engine_;
  Effects effects_;
  std::vector<std::pair<Instant, std::string>> lines_;
  std::map<std::uint16_t, std::uint32_t> visitors_{}; // by kind
  std::map<std::uint16_t, std::uint32_t> started_{};  // children so far, by kind
  bool was_failure_ = false;                          // the end of a child, in this step
  bool is_paused_ = false;
  bool is_store_behind_ = false;
  Instant sure_until_ = Instant::never();
};

} // namespace backoff_actor::model_test
