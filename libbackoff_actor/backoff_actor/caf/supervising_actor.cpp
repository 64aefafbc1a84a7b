#include "backoff_actor/caf/supervising_actor.hpp"

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

// No hand-over has this slot: it names a probe.
constexpr std::uint32_t probe_slot = HandOverId::max_slots - 1;
static_assert(probe_slot == Outbox::max_size);

// Blocking actors answer nothing when they crash.
bool blocks(const caf::actor& child) {
  return caf::actor_cast<caf::abstract_actor*>(child)->getf(caf::abstract_actor::is_blocking_flag);
}

} // namespace

void SupervisingActor::on_exit() {
  children_ = {};
  abandoned_.clear();
  seam::RequestingActor::on_exit();
}

SupervisingActor::Child* SupervisingActor::find(std::uint32_t incarnation) {
  return const_cast<Child*>(std::as_const(*this).find(incarnation));
}

const SupervisingActor::Child* SupervisingActor::find(std::uint32_t incarnation) const {
  for (const auto& child : children_)
    if (child.handle && child.incarnation == incarnation)
      return &child;
  return nullptr;
}

caf::actor SupervisingActor::child(std::uint32_t incarnation) const {
  const auto* const found = find(incarnation);
  return found != nullptr ? found->handle : caf::actor{};
}

const SupervisingActor::Child* SupervisingActor::find(const caf::strong_actor_ptr& who) const {
  for (const auto& child : children_)
    if (who && child.handle && who->get() == caf::actor_cast<caf::abstract_actor*>(child.handle))
      return &child;
  return nullptr;
}

void SupervisingActor::adopt(std::uint32_t incarnation, const caf::actor& child,
                             seam::Priority news, Ownership ownership) {
  auto& place = children_[children_[0].handle ? 1 : 0];
  place = {incarnation, ownership, news == seam::Priority::high, child};
  watch(child, news);
}

void SupervisingActor::hand_over(std::uint32_t incarnation, HandOverId id, caf::message payload) {
  if (const auto* child = find(incarnation))
    make_request(id.value, child->handle, std::move(payload), seam::Priority::normal);
}

void SupervisingActor::send_probe(std::uint32_t incarnation, std::uint32_t probe) {
  if (const auto* child = find(incarnation))
    RequestingActor::probe(HandOverId::make(probe_slot, probe).value, child->handle);
}

bool SupervisingActor::tell_to_end(std::uint32_t incarnation) {
  auto* child = find(incarnation);
  if (!child)
    return true;
  if (child->ownership == Ownership::shared) {
    const auto released = std::exchange(*child, {});
    unwatch(released.handle);
    for (const auto& other : children_) // the fallback may be the same actor
      if (other.handle == released.handle)
        watch(other.handle, other.is_urgent ? seam::Priority::high : seam::Priority::normal);
    return false;
  }
  // The second is for a child whose exit handler does not let it go.
  for (const auto reason : {caf::exit_reason::user_shutdown, caf::exit_reason::kill})
    seam::send_exit_now(child->handle, address(), reason);
  return true;
}

void SupervisingActor::abandon(std::uint32_t incarnation) {
  if (auto* child = find(incarnation)) {
    abandoned_.push_back({incarnation, child->handle.address()});
    *child = {};
  }
}

void SupervisingActor::end_child(std::uint32_t incarnation) {
  tell_to_end(incarnation);
  if (auto* child = find(incarnation))
    *child = {};
}

std::optional<std::uint32_t> SupervisingActor::forget(const caf::actor_addr& who) {
  for (auto& child : children_)
    if (child.handle && who == child.handle.address())
      return std::exchange(child, {}).incarnation;
  const auto it = std::find_if(abandoned_.begin(), abandoned_.end(),
                               [&](const Abandoned& child) { return child.address == who; });
  if (it == abandoned_.end())
    return std::nullopt;
  const auto incarnation = it->incarnation;
  abandoned_.erase(it);
  return incarnation;
}

void SupervisingActor::on_response(std::uint64_t name, caf::message content,
                                   const caf::strong_actor_ptr& from) {
  const HandOverId id{name};
  const auto is_error = content.match_elements<caf::error>();
  const auto* child = find(from);
  if (id.slot() == probe_slot) {
    if (child && !is_error)
      on_probe_answer(child->incarnation, id.tag());
  } else if (!is_error) {
    on_answer(id, std::move(content));
  } else {
    // Somebody else to whom a child passed the delivery on can be gone, but not be the child's
    // crash.
    const auto& error = content.get_as<caf::error>(0);
    on_error_answer(id, {error, !from || (child && seam::is_bounce(error)),
                         from && (!child || blocks(child->handle))});
  }
}

void SupervisingActor::on_down(const caf::actor_addr& who, const caf::error& reason) {
  if (const auto incarnation = forget(who))
    on_child_down(*incarnation, reason);
}

} // namespace backoff_actor
