#include "backoff_actor/caf/sender/internal/child_keeper.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>

namespace backoff_actor {

ChildKeeper::Others& ChildKeeper::others() {
  if (!others_)
    others_ = std::make_unique<Others>();
  return *others_;
}

template <class IsIt>
const ChildKeeper::Child* ChildKeeper::find_if(IsIt is_it) const {
  if (child_.handle && is_it(child_))
    return &child_;
  return others_ && others_->second.handle && is_it(others_->second) ? &others_->second : nullptr;
}

ChildKeeper::Child* ChildKeeper::place_of(std::uint32_t incarnation) {
  return const_cast<Child*>(find(incarnation));
}

const ChildKeeper::Child* ChildKeeper::find(std::uint32_t incarnation) const {
  return find_if([&](const Child& child) { return child.incarnation == incarnation; });
}

const ChildKeeper::Child* ChildKeeper::find(const caf::strong_actor_ptr& who) const {
  return find_if([&](const Child& child) {
    return who && who->get() == caf::actor_cast<caf::abstract_actor*>(child.handle);
  });
}

caf::actor ChildKeeper::handle(std::uint32_t incarnation) const {
  const auto* const found = find(incarnation);
  return found != nullptr ? found->handle : caf::actor{};
}

void ChildKeeper::adopt(compat::RequestingActor& self, Child child) {
  auto& place = child_.handle ? others().second : child_;
  place = std::move(child);
  self.watch(place.handle);
  // Removes a link that the factory may have made: the monitor reports the end anyway. An actor of
  // another node keeps its link: CAF 0.17.6 would keep the message to that node, and with it the
  // whole broker, when the connection is cut.
  if (place.handle.node() == self.node())
    self.unlink_from(place.handle);
}

bool ChildKeeper::ask_to_end(compat::RequestingActor& self, std::uint32_t incarnation) {
  auto* const child = place_of(incarnation);
  if (!child)
    return true;
  if (child->ownership == Ownership::shared) {
    const auto released = std::exchange(*child, {});
    self.unwatch(released.handle);
    // The fallback may be the same actor.
    if (const auto* const other =
          find_if([&](const Child& x) { return x.handle == released.handle; }))
      self.watch(other->handle);
    return false;
  }
  compat::send_exit_now(child->handle, self.address(), caf::exit_reason::user_shutdown);
  return true;
}

// The second exit message is for a child whose exit handler ignores the first.
bool ChildKeeper::tell_to_end(compat::RequestingActor& self, std::uint32_t incarnation) {
  const auto is_own = ask_to_end(self, incarnation);
  if (const auto* const child = find(incarnation))
    compat::send_exit_now(child->handle, self.address(), caf::exit_reason::kill);
  return is_own;
}

void ChildKeeper::dismiss(compat::RequestingActor& self, std::uint32_t incarnation) {
  tell_to_end(self, incarnation);
  if (auto* const child = place_of(incarnation))
    *child = {};
}

void ChildKeeper::abandon(std::uint32_t incarnation) {
  if (auto* const child = place_of(incarnation)) {
    others().former.push_back({incarnation, child->handle.address()});
    *child = {};
  }
}

std::optional<std::uint32_t> ChildKeeper::take_down(const caf::actor_addr& who) {
  if (const auto* const child = find_if([&](const Child& x) { return who == x.handle.address(); }))
    return std::exchange(const_cast<Child&>(*child), {}).incarnation;
  if (!others_)
    return std::nullopt;
  auto& former = others_->former;
  const auto it = std::ranges::find(former, who, &Former::address);
  if (it == former.end())
    return std::nullopt;
  const auto incarnation = it->incarnation;
  former.erase(it);
  return incarnation == 0 ? std::nullopt : std::optional{incarnation};
}

bool ChildKeeper::awaits_down(const caf::actor_addr& who) const {
  if (find_if([&](const Child& child) { return who == child.handle.address(); }) != nullptr)
    return true;
  return others_ && std::ranges::any_of(others_->former, [&](const Former& child) {
           return child.address == who;
         });
}

} // namespace backoff_actor
