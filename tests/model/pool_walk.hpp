#pragma once

#include "contract.hpp"
#include "pool_conditions.hpp"
#include "story.hpp"
#include "walk_driver.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::model_test {

/// A sender with a pool, and what must hold after every step beside the contract:
///  - no delivery is with two living workers (contract.hpp);
///  - of a key, one is in flight (contract.hpp);
///  - no worker that could take a delivery is left idle while one may go.
class PoolWalk : public WalkDriver {
public:
  PoolWalk(const Conditions& conditions, const PoolConditions& pool, std::vector<Command> left = {})
    : WalkDriver(conditions), left_(std::move(left)) {
    options_.pool = pool_of(pool);
    contract_ = std::make_unique<Contract>(options_);
    auto heard = options_;
    heard.on_event = [this](const Event& event) { contract_->line(event); };
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
      return step(input::Resize{x.kind(), x.workers()});
    case PoolCommand::What::retire:
      return step(input::RetireWorker{x.worker()});
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
    contract_->before(now_, input);
    effects_.clear();
    engine_->step(now_, input, effects_, 1);
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
    if (!has_ended())
      check_pool(engine_->status(now_).pool);
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

  std::vector<Command> left_;
  std::unique_ptr<Contract> contract_;
  std::unique_ptr<SenderEngine> engine_;
  Effects effects_;
  std::vector<std::pair<Instant, std::string>> lines_;
  bool is_paused_ = false;
  bool is_store_behind_ = false;
  Instant sure_until_ = Instant::never();
};

} // namespace backoff_actor::model_test
