#include "backoff_actor/caf/remote/remote_child.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/node.hpp"
#include "backoff_actor/caf/remote/internal/remote_start.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <unordered_map>
#include <utility>

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
  return [plan = std::move(plan)](caf::event_based_actor* supervisor, ChildPromise child) {
    supervisor->spawn<RemoteStart>(plan, caf::actor{supervisor}, std::move(child));
  };
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
  mutable std::mutex mutex;
  std::unordered_map<caf::actor_id, caf::actor_addr> alive;
  bool has_ended = false;

  void check() const {
    const std::lock_guard lock{mutex};
    if (has_ended)
      throw std::runtime_error("this program has ended its workers and starts no new ones");
  }

  // Registers a worker; ends it at once if `end` was called before.
  void add(const caf::actor& worker) {
    const std::lock_guard lock{mutex};
    if (has_ended)
      end_worker(worker.address());
    else
      alive.emplace(worker.id(), worker.address());
  }

  void remove(caf::actor_id worker) {
    const std::lock_guard lock{mutex};
    alive.erase(worker);
  }

  static void end_worker(const caf::actor_addr& worker) {
    if (const auto actor = caf::actor_cast<caf::actor>(worker))
      compat::send_exit_now(actor, caf::actor_addr{}, caf::exit_reason::kill);
  }
};

// The arguments come from a `RemoteStart`: its own handle, so that the worker can end with it, and
// the worker's arguments.
RemoteWorkers::RemoteWorkers(caf::actor_system_config& config, const std::string& name, Make make)
  : state_(std::make_shared<State>()) {
  io_compat::add_worker_type(
    config, name,
    [make = std::move(make), state = state_](caf::actor_system& system, caf::actor_config&,
                                             const caf::message& arguments) {
      if (!arguments.match_elements<caf::actor, caf::message>() || !arguments.get_as<caf::actor>(0))
        throw std::invalid_argument("spawn this worker with backoff_actor::remote_spawn");
      state->check();
      const auto& guard = arguments.get_as<caf::actor>(0);
      auto place = NetworkNode::of(system)->place_for_worker_of(guard.node());
      const auto worker = make(system, arguments.get_as<caf::message>(1));
      const auto on_end = [](const caf::actor& who, auto then) {
        caf::actor_cast<caf::abstract_actor*>(who)->attach_functor(
          [then](const caf::error&) { then(); });
      };
      state->add(worker);
      // The place is given back when CAF destroys this function, after it was called.
      on_end(worker, [state, id = worker.id(), place = std::move(place)] { state->remove(id); });
      on_end(guard, [address = worker.address()] { State::end_worker(address); });
      return caf::actor_cast<caf::strong_actor_ptr>(worker);
    });
}

std::size_t RemoteWorkers::count() const {
  const std::lock_guard lock{state_->mutex};
  return state_->alive.size();
}

void RemoteWorkers::end() const {
  std::unordered_map<caf::actor_id, caf::actor_addr> ending;
  {
    const std::lock_guard lock{state_->mutex};
    state_->has_ended = true;
    ending = state_->alive;
  }
  for (const auto& [id, worker] : ending)
    State::end_worker(worker);
}

} // namespace backoff_actor
