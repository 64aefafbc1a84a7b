#include "backoff_actor/caf/sender/sender.hpp"

#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"

#include <utility>

namespace backoff_actor {

namespace {

std::shared_ptr<const detail::SenderSettings> checked(ChildFactory make_child,
                                                      SenderOptions options) {
  if (options.name.empty())
    options.name = make_child.kind().empty() ? "sender" : make_child.kind();
  auto problems = check(options);
  if (!make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  problems.raise_if_any();
  return std::make_shared<const detail::SenderSettings>(std::move(make_child), std::move(options));
}

} // namespace

SenderBlueprint::SenderBlueprint(ChildFactory make_child, SenderOptions options)
  : settings_(checked(std::move(make_child), std::move(options))) {}

const std::string& SenderBlueprint::name() const { return settings_->options.name; }

caf::actor SenderBlueprint::spawn(caf::actor_system& system) const {
  detail::require_init(system);
  return system.spawn<BackOffSender>(*this);
}

caf::actor spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                                 SenderOptions options) {
  return SenderBlueprint{std::move(make_child), std::move(options)}.spawn(system);
}

ChildFactory child_of(SenderBlueprint blueprint) {
  auto kind = std::make_shared<const std::string>(blueprint.name());
  ChildFactory make = [blueprint =
                         std::move(blueprint)](caf::event_based_actor* parent) -> caf::actor {
    detail::require_init(parent->home_system());
    return parent->spawn<BackOffSender>(blueprint);
  };
  return std::move(make).with_kind(std::move(kind));
}

ChildSpec sender_spec(std::string id, ChildFactory make_child, SenderOptions options) {
  return {std::move(id), child_of(SenderBlueprint{std::move(make_child), std::move(options)})};
}

} // namespace backoff_actor
