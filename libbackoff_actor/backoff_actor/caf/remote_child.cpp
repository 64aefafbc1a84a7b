#include "backoff_actor/caf/remote_child.hpp"

#include "backoff_actor/caf/remote_seam.hpp"
#include "backoff_actor/caf/remote_start.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <memory>
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
  Problems problems;
  if (options.step_timeout <= Duration::zero())
    problems.add("step_timeout", to_string(options.step_timeout), "more than 0ns");
  return problems;
}

ChildFactory remote_child(std::vector<NodeAddress> nodes, RemoteOptions options) {
  check(nodes, options).raise_if_any();
  auto plan = std::make_shared<RemotePlan>();
  plan->nodes = std::move(nodes);
  plan->options = options;
  return factory_of(std::move(plan));
}

ChildFactory remote_spawn(std::vector<NodeAddress> nodes, std::string worker,
                          caf::message arguments, RemoteOptions options) {
  auto problems = check(nodes, options);
  if (worker.empty())
    problems.add("worker", "\"\"", "a name that add_remote_worker was given there");
  problems.raise_if_any();
  auto plan = std::make_shared<RemotePlan>();
  plan->nodes = std::move(nodes);
  plan->options = options;
  plan->worker = std::move(worker);
  plan->arguments = std::move(arguments);
  return factory_of(std::move(plan));
}

// What comes from a `RemoteStart`: that itself, which the worker is to end with, and the worker's arguments.
void detail::add_remote_worker(caf::actor_system_config& config, const std::string& name,
                               MakeWorker make) {
  remote_seam::add_worker_type(
    config, name,
    [make = std::move(make)](caf::actor_system& system, caf::actor_config&,
                             const caf::message& arguments) {
      if (!arguments.match_elements<caf::actor, caf::message>())
        throw std::invalid_argument("this worker is spawned with remote_spawn of backoff_actor");
      const auto& guardian = arguments.get_as<caf::actor>(0);
      const auto worker = make(system, arguments.get_as<caf::message>(1));
      caf::actor_cast<caf::abstract_actor*>(guardian)->attach_functor(
        [address = worker.address()](const caf::error&) {
          if (const auto alive = caf::actor_cast<caf::actor>(address))
            seam::send_exit_now(alive, {}, caf::exit_reason::kill);
        });
      return caf::actor_cast<caf::strong_actor_ptr>(worker);
    });
}

} // namespace backoff_actor
