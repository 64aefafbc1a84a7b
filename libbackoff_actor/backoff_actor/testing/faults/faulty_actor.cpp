#include "backoff_actor/testing/faults/faulty_actor.hpp"

#include "backoff_actor/caf/actor/work_in_hand.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/testing/faults/fault_answer.hpp"
#include "backoff_actor/testing/faults/internal/front.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace backoff_actor::testing {

namespace {

class FaultyActor final : public detail::Front {
public:
  FaultyActor(caf::actor_config& config, caf::actor worker, Faults faults, Birth birth)
    : Front(config, std::move(worker)), faults_(std::move(faults)), birth_(birth) {}

  const char* name() const override { return "backoff_actor.faulty"; }

  caf::behavior make_behavior() override {
    if (birth_ == Birth::dies_at_birth)
      throw std::runtime_error("died at birth");
    return Front::make_behavior();
  }

  // CAF refuses the requests in the mailbox of an actor that has ended. This refuses the unanswered
  // ones in the same way.
  void on_exit() override {
    for (const auto& client : unanswered_)
      refuse(client, caf::make_error(caf::sec::request_receiver_down), nullptr);
    unanswered_.clear();
    Front::on_exit();
  }

private:
  void on_call(compat::OpenRequest client, caf::message payload) override {
    if (is_hanging_) {
      unanswered_.push_back(std::move(client));
      return;
    }
    const auto* const delivery =
      payload.match_elements<TrackedMsg>() ? &payload.get_as<TrackedMsg>(0) : nullptr;
    const auto fault = faults_.next(now(), {});
    if (auto answer = answer_of(fault, delivery)) {
      give(client, std::move(*answer));
      return;
    }
    switch (fault.kind) {
    case Fault::Kind::slow:
      go_on_slowly(client, std::move(payload), fault, WorkInHand{*this, client});
      return;
    case Fault::Kind::crash:
      give(client, caf::make_message(error_of(fault)));
      quit(error_of(fault));
      return;
    case Fault::Kind::stop:
      quit();
      return;
    case Fault::Kind::hang:
      is_hanging_ = true;
      unanswered_.push_back(std::move(client));
      return;
    case Fault::Kind::silence:
      return;
    default:
      ask(std::move(client), std::move(payload));
    }
  }

  // An error goes only to clients that made a request: it would end any other client.
  void give(const compat::OpenRequest& client, caf::message answer) {
    const auto is_error = answer.match_elements<caf::error>();
    if (client.is_request() || (client.client && !is_error))
      compat::respond(client, std::move(answer), ctrl());
  }

  void go_on_slowly(compat::OpenRequest client, caf::message payload, Fault left,
                    const WorkInHand& work) {
    const auto is_said = left.working > Duration::zero() && left.working < left.delay;
    const auto span = is_said ? left.working : left.delay;
    left.delay -= span;
    later(span, client, [=, this] {
      if (is_hanging_) {
        unanswered_.push_back(client);
        return;
      }
      if (is_said)
        work.still_working(left.text);
      if (left.delay > Duration::zero())
        go_on_slowly(client, payload, left, work);
      else
        ask(client, payload);
    });
  }

  Faults faults_;
  Birth birth_;
  bool is_hanging_ = false;
  std::vector<compat::OpenRequest> unanswered_; // requests received since it hangs
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
  const auto made = std::make_shared<std::atomic<std::uint64_t>>(0);
  // Returns whether to make an actor.
  const auto is_made = [](Birth birth) {
    if (birth == Birth::factory_throws)
      throw std::runtime_error("no voltage");
    return birth != Birth::no_actor;
  };
  const auto faulty = [=](Birth birth) {
    return factory.wrapped([=](caf::event_based_actor* sender, const caf::actor& worker) {
      return caf::actor{sender->spawn<FaultyActor>(worker, faults, birth)};
    });
  };
  if (factory.is_asynchronous())
    return [=](caf::event_based_actor* sender, const ChildPromise& child) {
      if (const auto birth = births[(*made)++]; is_made(birth))
        faulty(birth)(sender, child);
      else
        child.deliver({});
    };
  return [=](caf::event_based_actor* sender) {
    const auto birth = births[(*made)++];
    return is_made(birth) ? faulty(birth)(sender) : caf::actor{};
  };
}

} // namespace backoff_actor::testing
