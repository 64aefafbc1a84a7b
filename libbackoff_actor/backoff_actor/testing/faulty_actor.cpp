#include "backoff_actor/testing/faulty_actor.hpp"

#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/relay.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/testing/fault_answer.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>

namespace backoff_actor::testing {

namespace {

struct Nothing {};

class FaultyActor final : public backoff_actor::detail::Relay<Nothing> {
public:
  FaultyActor(caf::actor_config& config, caf::actor worker, Faults faults, Birth birth)
    : Relay(config, std::move(worker)), faults_(std::move(faults)), birth_(birth) {}

  const char* name() const override { return "backoff_actor.faulty"; }

  caf::behavior make_behavior() override {
    if (birth_ == Birth::dies_at_birth)
      throw std::runtime_error("died at birth");
    watch(target_);
    return complete([this](const WakeUp&) { look_at_clock(); });
  }

  void on_exit() override {
    if (target_)
      seam::send_exit_now(target_, address(), caf::exit_reason::kill);
    slow_.clear();
    faults_ = {};
    Relay::on_exit();
  }

private:
  struct Slow {
    seam::OpenRequest client;
    caf::message payload;
    Instant due;
    Duration working; // 0: it does not say so
  };

  void on_message(caf::message payload) override {
    auto client = open_request();
    if (client.client && caf::actor_cast<caf::actor>(client.client) == target_)
      return pass_on(std::move(payload));
    if (is_hanging_)
      return;
    const auto* const delivery =
      payload.match_elements<TrackedMsg>() ? &payload.get_as<TrackedMsg>(0) : nullptr;
    const auto fault = faults_.next();
    if (auto answer = answer_of(fault, delivery)) {
      give(client, std::move(*answer));
      return;
    }
    switch (fault.kind) {
    case Fault::Kind::slow: {
      const auto due = now() + fault.delay;
      const auto working = delivery ? fault.working : Duration::zero();
      put_off({std::move(client), std::move(payload), due, working});
      return;
    }
    case Fault::Kind::crash:
      give(client, caf::make_message(error_of(fault)));
      quit(error_of(fault));
      return;
    case Fault::Kind::stop:
      quit();
      return;
    case Fault::Kind::hang:
      is_hanging_ = true;
      return;
    case Fault::Kind::silence:
      return;
    default:
      ask(std::move(client), std::move(payload));
    }
  }

  void on_down(const caf::actor_addr&, const caf::error& reason) override {
    target_ = nullptr;
    for (auto& [name, call] : calls_)
      fail(call, seam::receiver_down(system(), reason), ctrl());
    calls_.clear();
    quit(reason);
  }

  void ask(seam::OpenRequest client, caf::message payload) {
    last_client_ = caf::actor_cast<caf::weak_actor_ptr>(client.client);
    relay(std::move(client), {}, std::move(payload));
  }

  // What the worker says to its sender of its own accord.
  void pass_on(caf::message payload) {
    if (auto client = caf::actor_cast<caf::strong_actor_ptr>(last_client_))
      seam::respond({std::move(client), {}}, std::move(payload), ctrl());
  }

  // An error goes to those only who made a request: it would end the others.
  void give(const seam::OpenRequest& client, caf::message answer) {
    const auto is_error = answer.match_elements<caf::error>();
    if (client.is_request() || (client.client && !is_error))
      seam::respond(client, std::move(answer), ctrl());
  }

  // -- slowness -------------------------------------------------------------------------

  void put_off(Slow slow) {
    const auto next =
      slow.working > Duration::zero() ? std::min(slow.due, now() + slow.working) : slow.due;
    slow_.emplace(next, std::move(slow));
    wake_at(slow_.begin()->first);
  }

  void look_at_clock() {
    while (!slow_.empty() && slow_.begin()->first <= now()) {
      auto slow = std::move(slow_.begin()->second);
      slow_.erase(slow_.begin());
      if (slow.due <= now()) {
        if (!is_hanging_)
          ask(std::move(slow.client), std::move(slow.payload));
        continue;
      }
      if (slow.client.client)
        seam::respond({slow.client.client, {}},
                      caf::make_message(Working{slow.payload.get_as<TrackedMsg>(0).id}), ctrl());
      put_off(std::move(slow));
    }
    if (!slow_.empty())
      wake_at(slow_.begin()->first);
  }

  Faults faults_;
  Birth birth_;
  bool is_hanging_ = false;
  caf::weak_actor_ptr last_client_;
  std::multimap<Instant, Slow> slow_; // by when there is something to do
};

} // namespace

namespace detail {

caf::actor spawn_faulty(const caf::actor& worker, Faults faults) {
  Problems problems;
  if (!worker)
    problems.add("worker", "an invalid handle", "the handle of an actor");
  problems.raise_if_any();
  return worker->home_system().spawn<FaultyActor>(worker, std::move(faults), Birth::healthy);
}

} // namespace detail

ChildFactory faulty_children(ChildFactory factory, Faults faults, BirthPlan births) {
  Problems problems;
  if (!factory)
    problems.add("factory", "none", "a function that makes a child");
  problems.raise_if_any();
  const auto made = std::make_shared<std::uint64_t>(0);
  return [=](caf::event_based_actor* sender) -> caf::actor {
    const auto birth = births[(*made)++];
    if (birth == Birth::factory_throws)
      throw std::runtime_error("no voltage");
    if (birth == Birth::no_actor)
      return {};
    const auto worker = factory(sender);
    return worker ? sender->spawn<FaultyActor>(worker, faults, birth) : worker;
  };
}

} // namespace backoff_actor::testing
