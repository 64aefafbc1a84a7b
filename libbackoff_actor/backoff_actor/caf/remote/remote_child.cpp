#include "backoff_actor/caf/remote/remote_child.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/node.hpp"
#include "backoff_actor/caf/remote/internal/remote_start.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

Problems check(const std::vector<NodeAddress>& nodes, const RemoteOptions& options) {
  auto problems = check(options);
  if (nodes.empty())
    problems.add("nodes", "none", "at least one");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto field = "nodes[" + std::to_string(i) + "].";
    if (nodes[i].host.empty())
      problems.add(field + "host", "\"\"", "a name or an address");
    if (nodes[i].port == 0)
      problems.add(field + "port", "0", "1..65535");
  }
  return problems;
}

ChildFactory factory_of(std::shared_ptr<RemotePlan> plan) {
  ChildFactory result = [plan = std::move(plan)](caf::event_based_actor* supervisor,
                                                 ChildPromise child) {
    supervisor->spawn<RemoteStart>(plan, caf::actor{supervisor}, std::move(child));
  };
  return std::move(result).on_another_node();
}

} // namespace

Problems check(const RemoteOptions& options) {
  Problems problems{"RemoteOptions"};
  detail::check_time(problems, "step_timeout", options.step_timeout);
  return problems;
}

std::shared_ptr<RemotePlan> plan_for(std::vector<NodeAddress> nodes, const RemoteOptions& options) {
  check(nodes, options).raise_if_any();
  auto plan = std::make_shared<RemotePlan>();
  plan->nodes = std::move(nodes);
  plan->options = options;
  return plan;
}

ChildFactory remote_child(std::vector<NodeAddress> nodes, RemoteOptions options) {
  return factory_of(plan_for(std::move(nodes), options));
}

ChildFactory remote_spawn(std::vector<NodeAddress> nodes, std::string worker,
                          caf::message arguments, RemoteOptions options) {
  auto problems = check(nodes, options);
  if (worker.empty())
    problems.add("worker", "\"\"", "a name that the node passed to add_remote_worker");
  problems.raise_if_any();
  auto plan = std::make_shared<RemotePlan>();
  plan->nodes = std::move(nodes);
  plan->options = options;
  plan->worker = std::move(worker);
  plan->arguments = std::move(arguments);
  return factory_of(std::move(plan));
}

// -- on the workers' side -------------------------------------------------------------

struct RemoteWorkers::State {
  struct Alive {
    caf::actor_addr worker;
    caf::node_id node; // of its guard
    caf::actor_id guard;
  };

  mutable detail::Mutex mutex;
  std::unordered_map<caf::actor_id, Alive> alive BACKOFF_ACTOR_GUARDED_BY(mutex);
  bool has_ended BACKOFF_ACTOR_GUARDED_BY(mutex) = false;

  void check() const {
    const detail::Lock lock{mutex};
    if (has_ended)
      throw std::runtime_error("this program has ended its workers and starts no new ones");
  }

  // Registers a worker; ends it at once if `end` was called before.
  void add(const caf::actor& worker, const caf::actor& guard) {
    const detail::Lock lock{mutex};
    if (has_ended)
      end_worker(worker.address());
    else
      alive.emplace(worker.id(), Alive{worker.address(), guard.node(), guard.id()});
  }

  // Ends the workers of these guards, which are of this node.
  void end_of_guards(const caf::node_id& node, const std::vector<std::uint64_t>& guards) const {
    const detail::Lock lock{mutex};
    for (const auto& [id, x] : alive)
      if (x.node == node && std::ranges::find(guards, x.guard) != guards.end())
        end_worker(x.worker);
  }

  void remove(caf::actor_id worker) {
    const detail::Lock lock{mutex};
    alive.erase(worker);
  }

  static void end_worker(const caf::actor_addr& worker) {
    if (const auto actor = caf::actor_cast<caf::actor>(worker))
      compat::send_exit_now(actor, caf::actor_addr{}, caf::exit_reason::kill);
  }
};

// The request comes from a `RemoteStart`, which is the worker's guard.
RemoteWorkers::RemoteWorkers(caf::actor_system_config& config, const std::string& name, Make make)
  : state_(std::make_shared<State>()) {
  io_compat::add_worker_type(
    config, name,
    [make = std::move(make), state = state_](caf::actor_system& system, caf::actor_config&,
                                             const caf::message& arguments) {
      const auto* const request =
        arguments.match_elements<WorkerRequest>() ? &arguments.get_as<WorkerRequest>(0) : nullptr;
      if (request == nullptr || !request->guard || request->over.size() > RemotePlan::most_over)
        throw std::invalid_argument("spawn this worker with backoff_actor::remote_spawn");
      state->check();
      const auto& guard = request->guard;
      state->end_of_guards(guard.node(), request->over);
      auto place = NetworkNode::of(system)->place_for_worker_of(guard.node());
      const auto worker = make(system, request->arguments);
      const auto on_end = [](const caf::actor& who, auto then) {
        caf::actor_cast<caf::abstract_actor*>(who)->attach_functor(
          [then](const caf::error&) { then(); });
      };
      state->add(worker, guard);
      // The place is given back when CAF destroys this function, after it was called.
      on_end(worker, [state, id = worker.id(), place = std::move(place)] { state->remove(id); });
      on_end(guard, [address = worker.address()] { State::end_worker(address); });
      return caf::actor_cast<caf::strong_actor_ptr>(worker);
    });
}

std::size_t RemoteWorkers::count() const {
  const detail::Lock lock{state_->mutex};
  return state_->alive.size();
}

void RemoteWorkers::end() const {
  std::unordered_map<caf::actor_id, State::Alive> ending;
  {
    const detail::Lock lock{state_->mutex};
    state_->has_ended = true;
    ending = state_->alive;
  }
  for (const auto& [id, x] : ending)
    State::end_worker(x.worker);
}

} // namespace backoff_actor
