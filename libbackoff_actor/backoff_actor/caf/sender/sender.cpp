#include "backoff_actor/caf/sender/sender.hpp"

#include "backoff_actor/caf/sender/sender_actor.hpp"

#include <utility>

namespace backoff_actor {

namespace {

std::shared_ptr<const detail::SenderParts> checked(ChildFactory make_child, SenderOptions options) {
  auto problems = check(options);
  if (!make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  problems.raise_if_any();
  return std::make_shared<const detail::SenderParts>(std::move(make_child), std::move(options));
}

} // namespace

detail::SenderParts::SenderParts(ChildFactory child, SenderOptions given)
  : make_child(std::move(child)), options(std::move(given)),
    engine_options(backoff_actor::engine_options(options)),
    is_observed(options.on_event || options.on_dead_letter || options.dead_letters
                || options.outbox) {}

SenderBlueprint::SenderBlueprint(ChildFactory make_child, SenderOptions options)
  : parts_(checked(std::move(make_child), std::move(options))) {}

caf::actor SenderBlueprint::spawn(caf::actor_system& system) const {
  return system.spawn<BackOffSender>(*this);
}

const SenderOptions& SenderBlueprint::options() const { return parts_->options; }

caf::actor spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                                 SenderOptions options) {
  return SenderBlueprint{std::move(make_child), std::move(options)}.spawn(system);
}

} // namespace backoff_actor
