#include "backoff_actor/caf/sender/internal/child_keeper.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoff_actor {

ChildKeeper::Others& ChildKeeper::others() {
  if (!others_)
    others_ = std::make_unique<Others>();
  return *others_;
}

const void* ChildKeeper::key_of(const Child& child) {
  return key_of(caf::actor_cast<caf::strong_actor_ptr>(child.handle));
}

const ChildKeeper::Child* ChildKeeper::find(std::uint32_t incarnation) const {
  if (child_.handle && child_.incarnation == incarnation)
    return &child_;
  if (!others_)
    return nullptr;
  const auto found = others_->children.find(incarnation);
  return found == others_->children.end() ? nullptr : &found->second;
}

const ChildKeeper::Child* ChildKeeper::find(const caf::strong_actor_ptr& who) const {
  if (!who)
    return nullptr;
  if (child_.handle && key_of(child_) == key_of(who))
    return &child_;
  if (!others_)
    return nullptr;
  const auto found = others_->by_actor.find(key_of(who));
  return found == others_->by_actor.end() ? nullptr : find(found->second);
}

std::vector<std::uint32_t> ChildKeeper::find_all(const caf::strong_actor_ptr& who) const {
  std::vector<std::uint32_t> result;
  if (!who)
    return result;
  if (child_.handle && key_of(child_) == key_of(who))
    result.push_back(child_.incarnation);
  if (others_) {
    const auto [first, last] = others_->by_actor.equal_range(key_of(who));
    std::transform(first, last, std::back_inserter(result),
                   [](const auto& entry) { return entry.second; });
  }
  return result;
}

// Removes a child and returns it; without a handle if no child has this incarnation.
ChildKeeper::Child ChildKeeper::take(std::uint32_t incarnation) {
  if (child_.handle && child_.incarnation == incarnation)
    return std::exchange(child_, {});
  if (!others_)
    return {};
  auto node = others_->children.extract(incarnation);
  if (!node)
    return {};
  const auto [first, last] = others_->by_actor.equal_range(key_of(node.mapped()));
  others_->by_actor.erase(
    std::find_if(first, last, [&](const auto& entry) { return entry.second == incarnation; }));
  return std::move(node.mapped());
}

caf::actor ChildKeeper::handle(std::uint32_t incarnation) const {
  const auto* const found = find(incarnation);
  return found != nullptr ? found->handle : caf::actor{};
}

void ChildKeeper::adopt(compat::RequestingActor& self, Child child) {
  const auto handle = child.handle;
  if (!child_.handle) {
    child_ = std::move(child);
  } else {
    others().by_actor.emplace(key_of(child), child.incarnation);
    others().children.emplace(child.incarnation, std::move(child));
  }
  self.watch_actor(handle);
  // Removes a link that the factory may have made: the monitor reports the end anyway. An actor of
  // another node keeps its link: CAF 0.17.6 would keep the message to that node, and with it the
  // whole broker, when the connection is cut.
  if (handle.node() == self.node())
    self.unlink_from(handle);
}

bool ChildKeeper::ask_to_end(compat::RequestingActor& self, std::uint32_t incarnation) {
  const auto* const child = find(incarnation);
  if (!child)
    return true;
  if (child->ownership == Ownership::shared) {
    const auto released = take(incarnation);
    self.unwatch_actor(released.handle); // for all children that are this actor
    const auto others = find_all(caf::actor_cast<caf::strong_actor_ptr>(released.handle)).size();
    for (std::size_t i = 0; i < others; ++i)
      self.watch_actor(released.handle);
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
  take(incarnation);
}

void ChildKeeper::abandon(std::uint32_t incarnation) {
  if (const auto child = take(incarnation); child.handle)
    others().former.push_back({incarnation, child.handle.address()});
}

std::optional<std::uint32_t> ChildKeeper::take_down(const caf::actor_addr& who) {
  // A child's actor is there as long as the keeper has its handle.
  if (const auto* const child = find(caf::actor_cast<caf::strong_actor_ptr>(who)))
    return take(child->incarnation).incarnation;
  if (!others_)
    return std::nullopt;
  auto& former = others_->former;
  const auto it = std::ranges::find(former, who, &Former::address);
  if (it == former.end())
    return std::nullopt;
  const auto incarnation = it->incarnation;
  former.erase(it);
  return incarnation;
}

bool ChildKeeper::awaits_down(const caf::actor_addr& who) const {
  if (find(caf::actor_cast<caf::strong_actor_ptr>(who)) != nullptr)
    return true;
  return others_ && std::ranges::any_of(others_->former, [&](const Former& child) {
           return child.address == who;
         });
}

} // namespace backoff_actor
