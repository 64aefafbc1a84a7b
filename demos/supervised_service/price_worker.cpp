#include "price_worker.hpp"

#include "misfortune.hpp"

#include <caf/timespan.hpp>

#include <chrono>
#include <stdexcept>
#include <utility>

namespace supervised_service {

namespace {

using namespace std::chrono_literals;

constexpr auto work_time = 15ms;
constexpr caf::timespan patience_with_the_cache{150ms};

// A price that anybody would find: FNV-1a of the item's name.
std::int64_t cents_of(const std::string& item) {
  std::uint32_t hash = 2166136261;
  for (const auto c : item)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  return 100 + hash % 9900;
}

} // namespace

PriceWorker::PriceWorker(caf::actor_config& config, std::string name, caf::actor cache, Luck luck)
  : caf::event_based_actor(config), name_(std::move(name)), cache_(std::move(cache)),
    luck_(std::move(luck)) {}

caf::behavior PriceWorker::make_behavior() {
  return {
    [this](const GetPrice& x) { return find(x.item); },
    [this](const Worked&) { finish(); },
    crash_when_told,
    hang_when_told,
  };
}

caf::response_promise PriceWorker::find(const std::string& item) {
  item_ = item;
  customer_ = make_response_promise();
  request(cache_, patience_with_the_cache, LookUp{item})
    .then(
      [this](std::int64_t cents) {
        if (cents != 0)
          answer(cents, true);
        else
          delayed_send(this, work_time, Worked{});
      },
      [this](const caf::error& error) { quit(error); });
  return customer_;
}

void PriceWorker::finish() {
  if (luck_.fails())
    throw std::runtime_error("bad luck with " + item_);
  const auto cents = cents_of(item_);
  send(cache_, Remember{item_, cents});
  answer(cents, false);
}

void PriceWorker::answer(std::int64_t cents, bool was_known) {
  customer_.deliver(Price{cents, name_, was_known});
}

// A promise of CAF 0.17.6 holds its actor, which would never go.
void PriceWorker::on_exit() { customer_ = {}; }

} // namespace supervised_service
