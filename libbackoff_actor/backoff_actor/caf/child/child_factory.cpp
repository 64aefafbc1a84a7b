#include "backoff_actor/caf/child/child_factory.hpp"

#include <stdexcept>

namespace backoff_actor {

caf::actor ChildFactory::operator()(caf::event_based_actor* sender) const {
  if (is_asynchronous_)
    throw std::logic_error(
      "this factory starts its children asynchronously: call it with a promise");
  return make_(sender, nullptr);
}

void ChildFactory::operator()(caf::event_based_actor* sender, const ChildPromise& child) const {
  auto made = make_(sender, &child);
  if (!is_asynchronous_)
    child.deliver(made);
}

ChildFactory ChildFactory::wrapped(ChildPromise::Wrap wrap) const {
  if (is_asynchronous_)
    return [make = *this, wrap = std::move(wrap)](caf::event_based_actor* sender,
                                                  const ChildPromise& child) {
      make(sender, child.wrapped(wrap));
    };
  return [make = *this, wrap = std::move(wrap)](caf::event_based_actor* sender) {
    const auto child = make(sender);
    return child ? wrap(sender, child) : child;
  };
}

} // namespace backoff_actor
