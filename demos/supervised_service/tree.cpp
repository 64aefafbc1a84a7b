#include "tree.hpp"

#include "cache.hpp"
#include "front.hpp"
#include "price_worker.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/caf/supervisor/supervisor_messages.hpp"

#include <caf/actor_addr.hpp>
#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/timespan.hpp>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace supervised_service {

namespace {

using namespace std::chrono_literals;
using backoff_actor::ChildFactory;
using backoff_actor::ChildOptions;
using backoff_actor::ChildRef;
using backoff_actor::ChildSpec;
using backoff_actor::Exponential;
using backoff_actor::RestartLimit;
using backoff_actor::SenderOptions;
using backoff_actor::SupervisorOptions;

constexpr RestartLimit limit{.max_restarts = 5, .within = 10s};

// [child]
ChildOptions child_options() {
  ChildOptions options;
  options.backoff = {Exponential{.first = 400ms, .factor = 2, .cap = 3s},
                     backoff_actor::equal_jitter};
  options.healthy_after = 5s;
  return options;
}

ChildSpec child(const std::string& id, ChildFactory make, const ChildRef& address) {
  ChildSpec spec;
  spec.id = id;
  spec.make = std::move(make);
  spec.options = child_options();
  spec.address = address;
  return spec;
}
// [child]

SupervisorOptions supervisor_options(const char* name, const Options& options, Journal& journal) {
  SupervisorOptions result;
  result.name = name;
  result.restart_limit = limit;
  result.seed = options.seed;
  result.on_event = journal.hook();
  return result;
}

// [sender]
// A worker behind a sender, which is a child like any other.
ChildFactory sender_of(const ChildFactory& worker, const SenderOptions& options) {
  return backoff_actor::child_of(backoff_actor::SenderBlueprint{worker, options});
}
// [sender]

SenderOptions sender_options(const Options& options, std::size_t n, Journal& journal) {
  SenderOptions result;
  result.name = "price_worker";
  result.backoff = {Exponential{.first = 10ms, .factor = 2, .cap = 160ms},
                    backoff_actor::equal_jitter};
  result.seed = options.seed;
  result.stream = n;
  result.max_in_flight = 1;
  result.ack_timeout = 400ms;
  result.kill_grace = 100ms;
  result.time_to_live = longest_wait; // then nobody waits any more
  result.on_event = journal.hook_of_sender();
  return result;
}

// Workers have threads of their own, so that one that hangs holds up nobody.
ChildFactory worker(std::size_t n, const Options& options,
                    const std::shared_ptr<const Parts>& parts) {
  const Luck luck{options.seed, n, static_cast<double>(options.crashes) / 100};
  const auto make = backoff_actor::child_of<PriceWorker, caf::detached>(nth("worker", n),
                                                                        parts->cache.actor(), luck);
  return [=, address = parts->workers[n]](caf::event_based_actor* sender) mutable {
    auto result = make(sender);
    address.point_to(result);
    return result;
  };
}

ChildSpec pool(const Options& options, const std::shared_ptr<const Parts>& parts,
               Journal& journal) {
  std::vector<ChildSpec> senders;
  for (std::size_t n = 0; n < options.workers; ++n)
    senders.push_back(child(
      nth("sender", n), sender_of(worker(n, options, parts), sender_options(options, n, journal)),
      parts->senders[n]));
  auto spec = backoff_actor::supervisor_spec("pool", std::move(senders),
                                             supervisor_options("pool", options, journal));
  spec.options.backoff = child_options().backoff;
  spec.options.healthy_after = child_options().healthy_after;
  spec.address = parts->pool;
  return spec;
}

// The front shows root's tree, and root is who makes it.
ChildFactory front(int port, const std::shared_ptr<const Parts>& parts, Desk& desk) {
  return [=, &desk](caf::event_based_actor* root) {
    return backoff_actor::child_of<Front, caf::detached>(port, caf::actor_addr{root->address()},
                                                         parts, &desk)(root);
  };
}

// -- looking ------------------------------------------------------------------------

backoff_actor::ChildState state_of(backoff_actor::Phase phase) {
  switch (phase) {
  case backoff_actor::Phase::running:
  case backoff_actor::Phase::draining:
  case backoff_actor::Phase::finishing:
    return backoff_actor::ChildState::running;
  case backoff_actor::Phase::waiting:
    return backoff_actor::ChildState::waiting;
  case backoff_actor::Phase::starting:
    return backoff_actor::ChildState::starting;
  case backoff_actor::Phase::stopping:
    return backoff_actor::ChildState::ending;
  case backoff_actor::Phase::stopped:
    break;
  }
  return backoff_actor::ChildState::stopped;
}

backoff_actor::TreeNode node_of(std::string id, const backoff_actor::SenderStatus& sender) {
  backoff_actor::TreeNode node;
  node.status.id = std::move(id);
  node.status.state = state_of(sender.phase);
  node.status.incarnation = sender.incarnation;
  node.status.restarts = static_cast<std::uint32_t>(sender.restarts);
  node.status.failures = sender.retries;
  node.status.is_due = sender.is_delayed;
  node.status.due_in = sender.due_in;
  return node;
}

} // namespace

// [tree]
caf::actor start_tree(caf::actor_system& system, const Options& options, int port,
                      const std::shared_ptr<const Parts>& parts, Desk& desk, Journal& journal) {
  // Who is asked for first is started first, and ended last.
  return backoff_actor::start_supervisor(
    system,
    {
      child("cache", backoff_actor::child_of<Cache, caf::detached>(), parts->cache),
      pool(options, parts, journal),
      child("front", front(port, parts, desk), parts->front),
    },
    supervisor_options("root", options, journal));
}
// [tree]

backoff_actor::SupervisionTree look_at_tree(caf::actor_system& system, const caf::actor& root,
                                            const Parts& parts) {
  constexpr caf::timespan patience{1s};
  caf::scoped_actor self{system};
  backoff_actor::SupervisionTree tree;
  self->request(root, patience, backoff_actor::GetTree{})
    .receive([&](backoff_actor::SupervisionTree& answer) { tree = std::move(answer); },
             [&](const caf::error& error) {
               throw std::runtime_error("root: " + backoff_actor::render(system, error));
             });
  for (auto& branch : tree.children)
    for (std::size_t n = 0; branch.status.id == "pool" && n < branch.children.size(); ++n)
      self->request(parts.senders[n].actor(), patience, backoff_actor::Status{})
        .receive(
          [&](const backoff_actor::SenderStatus& sender) {
            branch.children[n].children.push_back(node_of(nth("worker", n), sender));
          },
          [](const caf::error&) {}); // it is down, and nothing is below it
  return tree;
}

} // namespace supervised_service
