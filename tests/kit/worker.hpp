#pragma once

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/testing/record/ledger.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::kit_test {

/// A user's worker: it notes what it does, and crashes at the first `crashes` messages that its
/// incarnations are given, after having done the work.
class Worker : public caf::event_based_actor {
public:
  Worker(caf::actor_config& config, testing::Ledger ledger, std::shared_ptr<int> crashes)
    : caf::event_based_actor(config), ledger_(std::move(ledger)), crashes_(std::move(crashes)) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      ledger_.executed(text);
      if ((*crashes_)-- > 0)
        throw std::runtime_error("High Voltage");
      return text + " done";
    }};
  }

private:
  testing::Ledger ledger_;
  std::shared_ptr<int> crashes_;
};

/// The factory of workers that crash so often.
inline ChildFactory workers(int crashes, const testing::Ledger& ledger = {}) {
  return child_of<Worker>(ledger, std::make_shared<int>(crashes));
}

/// An actor that never answers.
class Silent : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {[this](const std::string&) {
      promises_.push_back(make_response_promise());
      return caf::delegated<std::string>{};
    }};
  }

  void on_exit() override { promises_.clear(); }

private:
  std::vector<caf::response_promise> promises_;
};

} // namespace backoff_actor::kit_test
