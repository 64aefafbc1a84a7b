#include "backoff_actor/caf/child/child_factory.hpp"

#include <stdexcept>
#include <utility>

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

ChildFactory ChildFactory::with_kind(std::shared_ptr<const std::string> kind) && {
  kind_ = std::move(kind);
  return std::move(*this);
}

ChildFactory ChildFactory::on_another_node() && {
  is_remote_ = true;
  return std::move(*this);
}

ChildFactory ChildFactory::wrapped(ChildPromise::Wrap wrap) const {
  ChildFactory result;
  if (is_asynchronous_)
    result = [make = *this, wrap = std::move(wrap)](caf::event_based_actor* sender,
                                                    const ChildPromise& child) {
      make(sender, child.wrapped(wrap));
    };
  else
    result = [make = *this, wrap = std::move(wrap)](caf::event_based_actor* sender) {
      const auto child = make(sender);
      return child ? wrap(sender, child) : child;
    };
  result.is_remote_ = is_remote_;
  return std::move(result).with_kind(kind_);
}

} // namespace backoff_actor
