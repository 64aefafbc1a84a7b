#include "backoff_actor/caf/offered/internal/offered_workers.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

constexpr Duration start_limit = std::chrono::seconds{30};

// One start of a worker in another process. It is an actor of its own, as the sender's requests are
// its hand-overs. It ends with the start. A worker that comes too late ends with the next one at
// its place.
class OfferedStart final : public compat::RequestingActor {
public:
  OfferedStart(caf::actor_config& config, caf::actor maker, std::uint32_t place, ChildPromise child)
    : RequestingActor(config), maker_(std::move(maker)), place_(place), child_(std::move(child)) {}

  const char* name() const override { return "backoff_actor.offered_start"; }

  caf::behavior make_behavior() override {
    keep_alive_ = ctrl();
    watch_actor(maker_);
    make_request(0, maker_, caf::make_message(MakeWorker{place_}), compat::Priority::normal);
    due_ = now() + start_limit;
    wake_at(due_);
    return complete([this](const WakeUp&) {
      if (now() < due_)
        return wake_at(due_);
      fail("it did not make a worker within " + to_string(start_limit));
    });
  }

  void on_exit() override {
    unwatch_actor(maker_);
    maker_ = nullptr;
    child_ = {};
    keep_alive_ = nullptr;
    RequestingActor::on_exit();
  }

private:
  void on_response(std::uint64_t, caf::message&& answer, const caf::strong_actor_ptr&) override {
    if (answer.match_elements<caf::actor>()) {
      child_.deliver(answer.get_as<caf::actor>(0));
      return quit();
    }
    const auto* const error = compat::error_in(answer);
    fail(error ? compat::render(home_system(), *error) : "an unexpected answer");
  }

  void on_down(const caf::actor_addr&, const caf::error&) override { fail("it has ended"); }

  void fail(const std::string& problem) {
    child_.fail("the process that offers this worker: " + problem);
    quit();
  }

  caf::actor maker_;
  std::uint32_t place_;
  ChildPromise child_;
  Instant due_{};
  caf::strong_actor_ptr keep_alive_; // this actor: no other actor holds a reference to it
};

} // namespace

std::vector<caf::actor> OfferedWorkers::makers() const {
  std::vector<caf::actor> result;
  for (const auto& [offer, maker] : makers_)
    result.push_back(maker);
  return result;
}

void OfferedWorkers::add(const caf::actor& maker, std::uint32_t workers) {
  makers_.emplace(book_.add(workers), maker);
}

void OfferedWorkers::start(caf::event_based_actor& self, std::uint32_t incarnation,
                           std::uint16_t worker, const ChildPromise& child) {
  const auto place = book_.take(incarnation, worker);
  if (!place)
    return child.fail("no process offers a worker that is free");
  self.spawn<OfferedStart, caf::hidden>(makers_.at(place->offer), place->number, child);
}

std::optional<OfferBook::State> OfferedWorkers::release(std::uint32_t incarnation) {
  const auto offer = book_.offer_of(incarnation);
  const auto result = book_.release(incarnation);
  if (offer && !book_.knows(*offer))
    makers_.erase(*offer);
  return result;
}

std::optional<OfferedWorkers::Gone> OfferedWorkers::withdraw(const caf::actor_addr& maker) {
  return end(find(maker), OfferBook::State::withdrawn);
}

std::optional<OfferedWorkers::Gone> OfferedWorkers::lose(const caf::actor_addr& maker) {
  return end(find(maker), OfferBook::State::lost);
}

std::optional<OfferedWorkers::Gone> OfferedWorkers::lose_of(std::uint32_t incarnation) {
  return end(book_.offer_of(incarnation), OfferBook::State::lost);
}

std::optional<OfferBook::Offer> OfferedWorkers::find(const caf::actor_addr& maker) const {
  const auto found =
    std::ranges::find_if(makers_, [&](const auto& x) { return x.second.address() == maker; });
  if (found == makers_.end())
    return std::nullopt;
  return found->first;
}

std::optional<OfferedWorkers::Gone> OfferedWorkers::end(std::optional<OfferBook::Offer> offer,
                                                        OfferBook::State state) {
  const auto maker = offer ? makers_.find(*offer) : makers_.end();
  if (maker == makers_.end())
    return std::nullopt;
  const auto before = book_.places();
  Gone result{*offer, maker->second, book_.end(*offer, state), 0};
  result.places = before - book_.places();
  if (state == OfferBook::State::lost || !book_.knows(*offer))
    makers_.erase(maker);
  return result;
}

} // namespace backoff_actor
