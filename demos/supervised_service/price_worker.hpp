#pragma once

#include "messages.hpp"

#include "backoff_actor/core/unit_random.hpp"

#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/response_promise.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

namespace supervised_service {

/// Which works fail, of all that the incarnations of one worker do.
class Luck {
public:
  /// @param crash_rate 0..1
  Luck(std::uint64_t seed, std::uint64_t worker, double crash_rate)
    : draws_(seed, worker), crash_rate_(crash_rate) {}

  /// Whether the next work fails.
  bool fails() const { return draws_((*works_)++) < crash_rate_; }

private:
  backoff_actor::Draws draws_;
  double crash_rate_;
  std::shared_ptr<std::atomic<std::uint64_t>> works_ =
    std::make_shared<std::atomic<std::uint64_t>>(0);
};

/// Finds the price of one item at a time: asks the cache, and works if that does not know it.
/// Whatever goes wrong ends it, with the cause as its reason; it has no line about trying again.
class PriceWorker : public caf::event_based_actor {
public:
  /// @param cache an address that stays
  PriceWorker(caf::actor_config& config, std::string name, caf::actor cache, Luck luck);

  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  caf::response_promise find(const std::string& item);
  void finish();
  void answer(std::int64_t cents, bool was_known);

  std::string name_;
  caf::actor cache_;
  Luck luck_;
  std::string item_;               // that is being worked on
  caf::response_promise customer_; // who waits for its price
};

} // namespace supervised_service
