#include "backoff_actor/caf/remote/remote_actor.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/remote/internal/remote_start.hpp"

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

using Outcome = std::promise<ChildStart::Result>;

// Waits for one start, as a supervisor would.
class Finder final : public compat::RequestingActor {
public:
  Finder(caf::actor_config& config, std::shared_ptr<RemotePlan> plan,
         std::shared_ptr<Outcome> outcome)
    : RequestingActor(config), plan_(std::move(plan)), outcome_(std::move(outcome)) {}

  const char* name() const override { return "backoff_actor.remote_actor"; }

  caf::behavior make_behavior() override {
    start_ = std::make_shared<ChildStart>(address(), 1);
    spawn<RemoteStart>(std::move(plan_), caf::actor{this}, ChildPromise{start_});
    return complete([](const WakeUp&) {},
                    [this](const StartNews&) {
                      outcome_->set_value(start_->take(this));
                      quit();
                    });
  }

  void on_exit() override {
    start_ = nullptr;
    outcome_ = nullptr;
    RequestingActor::on_exit();
  }

private:
  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}
  void on_down(const caf::actor_addr&, const caf::error&) override {}

  std::shared_ptr<RemotePlan> plan_;
  std::shared_ptr<ChildStart> start_;
  std::shared_ptr<Outcome> outcome_;
};

} // namespace

caf::actor remote_actor(caf::actor_system& system, const NodeAddress& node,
                        const RemoteOptions& options) {
  auto plan = plan_for({node}, options);
  plan->options.published = Ownership::shared;
  const auto outcome = std::make_shared<Outcome>();
  auto result = outcome->get_future();
  // This handle keeps the finder: nobody else has one.
  const auto finder = system.spawn<Finder>(std::move(plan), outcome);
  auto found = result.get();
  if (!found.child)
    throw std::runtime_error(found.text);
  return found.child;
}

} // namespace backoff_actor
