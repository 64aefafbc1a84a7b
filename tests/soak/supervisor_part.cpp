#include "supervisor_part.hpp"

#include "client.hpp"
#include "place.hpp"
#include "workers.hpp"

#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/caf/messages/sender_control.hpp>
#include <backoff_actor/caf/sender/sender.hpp>
#include <backoff_actor/caf/supervisor/supervisor.hpp>
#include <backoff_actor/caf/supervisor/supervisor_messages.hpp>
#include <backoff_actor/testing/faults/faulty_actor.hpp>

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <utility>

namespace backoff_actor::soak {

using namespace std::chrono_literals;

class SupervisorPart::Supervised final : public Place {
public:
  Supervised(Shared& shared, SenderKind kind)
    : Place(shared, std::move(kind)), address_(shared.system) {}

  caf::actor sender() const override { return is_over_ ? caf::actor{} : address_.actor(); }
  void succeed(const caf::actor&) override {} // the supervisor sees to that

  void end() { is_over_ = true; }

  ChildSpec spec(ChildOptions options) const {
    const testing::Faults faults{kind().faults.with_seed(shared().seed)};
    auto result =
      sender_spec(kind().name, testing::faulty_children(kind().children, faults, kind().births),
                  options_of(kind(), shared()));
    result.options = std::move(options);
    result.address = address_;
    return result;
  }

  const ChildRef& address() const { return address_; }

private:
  const ChildRef address_;
  std::atomic<bool> is_over_{false};
};

struct SupervisorPart::Tree {
  explicit Tree(caf::actor_system& system)
    : group(system), rest(system), crew(system), worker(system) {}

  ChildRef group;
  ChildRef rest;
  ChildRef crew;
  ChildRef worker;
};

namespace {

ChildOptions restarted_soon() {
  ChildOptions options;
  options.backoff = parse_policy("exponential(1ms, x2, cap 20ms) | full_jitter");
  options.healthy_after = 100ms;
  return options;
}

SenderKind supervised_kind(const std::string& name, std::uint64_t seed) {
  SenderKind kind;
  kind.name = name;
  kind.children = echoing_children();
  kind.faults = "random(crash 1%, stop 1%)";
  kind.options.backoff = parse_policy("exponential(1ms, x2, cap 20ms) | full_jitter");
  kind.options.seed = seed;
  return kind;
}

template <class T>
T& pick(std::vector<T>& from, double which) {
  return from[static_cast<std::size_t>(which * static_cast<double>(from.size()))];
}

} // namespace

SupervisorPart::SupervisorPart(Shared& shared)
  : shared_(shared), tree_(std::make_unique<Tree>(shared.system)) {
  for (const std::string name : {"first", "second", "third", "standing"})
    places_.push_back(std::make_shared<Supervised>(shared, supervised_kind(name, shared.seed)));

  const auto counting = [&shared](Strategy strategy) {
    SupervisorOptions options;
    options.strategy = strategy;
    options.observed_by = shared.observatory;
    options.seed = shared.seed;
    options.on_event = [&shared](const SupervisorEvent& event) { shared.happenings.count(event); };
    return options;
  };
  std::vector<ChildSpec> group;
  for (std::size_t i = 0; i < 3; ++i)
    group.push_back(places_[i]->spec(restarted_soon()));
  ChildSpec worker;
  worker.id = "worker";
  worker.make = echoing_children();
  worker.options = restarted_soon();
  worker.address = tree_->worker;
  DynamicSupervisorOptions crew;
  crew.make = [make = echoing_children()](caf::event_based_actor* supervisor, const caf::message&) {
    return make(supervisor);
  };
  crew.child = restarted_soon();
  crew.max_children = 100;
  crew.supervisor = counting(Strategy::one_for_one);
  crew.supervisor.restart_limit = RestartLimit{50, 1s}; // which it may reach, and is made again

  std::vector<ChildSpec> children;
  const auto add = [&children](ChildSpec spec, const ChildRef& address) {
    spec.address = address;
    const auto soon = restarted_soon();
    spec.options.backoff = soon.backoff;
    spec.options.healthy_after = soon.healthy_after;
    children.push_back(std::move(spec));
  };
  add(supervisor_spec("group", std::move(group), counting(Strategy::one_for_all)), tree_->group);
  add(supervisor_spec("rest", {worker, places_[3]->spec(restarted_soon())},
                      counting(Strategy::rest_for_one)),
      tree_->rest);
  add(supervisor_spec("crew", std::move(crew)), tree_->crew);
  root_ = start_supervisor(shared.system, std::move(children), counting(Strategy::one_for_one));

  for (const auto& place : places_)
    for (std::uint32_t i = 0; i != place->kind().clients; ++i)
      clients_.push_back(caf::actor_cast<caf::actor>(shared.system.spawn<Client>(place)));
}

SupervisorPart::~SupervisorPart() = default;

void SupervisorPart::disturb(double kind, double which) {
  const auto end = [](const ChildRef& address, caf::exit_reason reason) {
    if (const auto actor = address.current())
      caf::anon_send_exit(actor, reason);
  };
  auto& place = *pick(places_, which);
  std::vector<ChildRef> supervisors{tree_->group, tree_->rest, tree_->crew};
  if (kind < 0.2)
    end(place.address(), caf::exit_reason::kill);
  else if (kind < 0.4)
    end(place.address(), caf::exit_reason::user_shutdown);
  else if (kind < 0.5)
    end(tree_->worker, caf::exit_reason::remote_link_unreachable);
  else if (kind < 0.55)
    end(pick(supervisors, which), caf::exit_reason::kill);
  else if (kind < 0.6)
    end(pick(supervisors, which), caf::exit_reason::user_shutdown);
  else if (kind < 0.7)
    caf::anon_send(tree_->crew.actor(), AddChild{});
  else if (kind < 0.8)
    caf::anon_send(tree_->crew.actor(), TerminateChild{std::to_string(1 + int(which * 100))});
  else if (kind < 0.85)
    caf::anon_send(tree_->group.actor(), TerminateChild{place.kind().name});
  else if (kind < 0.95)
    caf::anon_send(tree_->group.actor(), RestartChild{place.kind().name});
  else
    caf::anon_send(root_, GetTree{});
}

void SupervisorPart::calm_down() {
  for (const auto& place : places_)
    caf::anon_send(tree_->group.actor(), RestartChild{place->kind().name});
}

void SupervisorPart::end() {
  for (const auto& place : places_)
    place->end();
  caf::anon_send(std::exchange(root_, {}), Stop{});
  for (const auto& client : clients_)
    caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  clients_.clear();
  places_.clear();
}

} // namespace backoff_actor::soak
