#include "backoff_actor/caf/sender/internal/child_keeper.hpp"

#include "backoff_actor/delivery/outbox.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

static_assert(HandOverId::slot_bits + HandOverId::tag_bits == 59,
              "what the name of a request can hold");

// The slot of probes; no hand-over has it.
constexpr std::uint32_t probe_slot = HandOverId::max_slots - 1;
static_assert(probe_slot == Outbox::max_size);

// Blocking actors answer nothing when they crash.
bool blocks(const caf::actor& child) {
  return caf::actor_cast<caf::abstract_actor*>(child)->getf(caf::abstract_actor::is_blocking_flag);
}

} // namespace

void SupervisingActor::on_exit() {
  child_ = {};
  others_ = nullptr;
  seam::RequestingActor::on_exit();
}

SupervisingActor::Others& SupervisingActor::others() {
  if (!others_)
    others_ = std::make_unique<Others>();
  return *others_;
}

template <class IsIt>
const SupervisingActor::Child* SupervisingActor::find_if(IsIt is_it) const {
  if (child_.handle && is_it(child_))
    return &child_;
  return others_ && others_->second.handle && is_it(others_->second) ? &others_->second : nullptr;
}

SupervisingActor::Child* SupervisingActor::find(std::uint32_t incarnation) {
  return const_cast<Child*>(std::as_const(*this).find(incarnation));
}

const SupervisingActor::Child* SupervisingActor::find(std::uint32_t incarnation) const {
  return find_if([&](const Child& child) { return child.incarnation == incarnation; });
}

caf::actor SupervisingActor::child(std::uint32_t incarnation) const {
  const auto* const found = find(incarnation);
  return found != nullptr ? found->handle : caf::actor{};
}

const SupervisingActor::Child* SupervisingActor::find(const caf::strong_actor_ptr& who) const {
  return find_if([&](const Child& child) {
    return who && who->get() == caf::actor_cast<caf::abstract_actor*>(child.handle);
  });
}

void SupervisingActor::adopt(std::uint32_t incarnation, const caf::actor& child,
                             Ownership ownership) {
  auto& place = child_.handle ? others().second : child_;
  place = {incarnation, ownership, child};
  watch(child);
  // Removes a link that the factory may have made: the monitor reports the end anyway. An actor of
  // another node keeps its link: CAF 0.17.6 would keep the message to that node, and with it the
  // whole broker, when the connection is cut.
  if (child.node() == node())
    unlink_from(child);
}

void SupervisingActor::see_who_has_ended() {
  const auto see = [this](Child& child) {
    if (!child.handle || !seam::has_ended(child.handle))
      return;
    const auto ended = std::exchange(child, {});
    others().former.push_back({0, ended.handle.address()});
    on_child_down(ended.incarnation, seam::reason_of_end(ended.handle));
  };
  see(child_);
  if (others_)
    see(others_->second);
}

void SupervisingActor::hand_over(std::uint32_t incarnation, HandOverId id,
                                 const caf::message& payload) {
  if (const auto* child = find(incarnation))
    make_request(id.value, child->handle, payload, seam::Priority::normal);
}

void SupervisingActor::send_probe(std::uint32_t incarnation, std::uint32_t probe) {
  if (const auto* child = find(incarnation))
    RequestingActor::probe(HandOverId::make(probe_slot, probe).value, child->handle);
}

bool SupervisingActor::ask_to_end(std::uint32_t incarnation) {
  auto* child = find(incarnation);
  if (!child)
    return true;
  if (child->ownership == Ownership::shared) {
    const auto released = std::exchange(*child, {});
    unwatch(released.handle);
    // The fallback may be the same actor.
    if (const auto* const other =
          find_if([&](const Child& x) { return x.handle == released.handle; }))
      watch(other->handle);
    return false;
  }
  seam::send_exit_now(child->handle, address(), caf::exit_reason::user_shutdown);
  return true;
}

// The second exit message is for a child whose exit handler ignores the first.
bool SupervisingActor::tell_to_end(std::uint32_t incarnation) {
  const auto is_own = ask_to_end(incarnation);
  if (const auto* const child = find(incarnation))
    seam::send_exit_now(child->handle, address(), caf::exit_reason::kill);
  return is_own;
}

void SupervisingActor::abandon(std::uint32_t incarnation) {
  if (auto* child = find(incarnation)) {
    others().former.push_back({incarnation, child->handle.address()});
    *child = {};
  }
}

void SupervisingActor::end_child(std::uint32_t incarnation) {
  tell_to_end(incarnation);
  if (auto* child = find(incarnation))
    *child = {};
}

std::optional<std::uint32_t> SupervisingActor::forget(const caf::actor_addr& who) {
  if (const auto* const child = find_if([&](const Child& x) { return who == x.handle.address(); }))
    return std::exchange(const_cast<Child&>(*child), {}).incarnation;
  if (!others_)
    return std::nullopt;
  auto& former = others_->former;
  const auto it = std::find_if(former.begin(), former.end(),
                               [&](const Former& child) { return child.address == who; });
  if (it == former.end())
    return std::nullopt;
  const auto incarnation = it->incarnation;
  former.erase(it);
  return incarnation;
}

bool SupervisingActor::is_told_of_end(const caf::actor_addr& who) const {
  if (find_if([&](const Child& child) { return who == child.handle.address(); }) != nullptr)
    return true;
  return others_ && std::ranges::any_of(others_->former, [&](const Former& child) {
           return child.address == who;
         });
}

void SupervisingActor::on_response(std::uint64_t name, caf::message&& content,
                                   const caf::strong_actor_ptr& from) {
  const HandOverId id{name};
  const auto* const error = seam::error_in(content);
  if (id.slot() != probe_slot && !error)
    return on_answer(id, std::move(content));
  const auto* const child = find(from);
  if (id.slot() != probe_slot)
    // A child may pass the delivery on to another actor. If that one is gone, the child has not
    // crashed.
    on_error_answer(id, {*error, !from || (child && seam::is_bounce(*error)),
                         from && (!child || blocks(child->handle))});
  else if (child && !error)
    on_probe_answer(child->incarnation, id.tag());
}

void SupervisingActor::on_down(const caf::actor_addr& who, const caf::error& reason) {
  if (const auto incarnation = forget(who); incarnation && *incarnation != 0)
    on_child_down(*incarnation, reason);
}

} // namespace backoff_actor
