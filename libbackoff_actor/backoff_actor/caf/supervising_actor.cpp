#include "backoff_actor/caf/supervising_actor.hpp"

#include "backoff_actor/delivery/outbox.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <string>
#include <utility>

namespace backoff_actor {

namespace {

static_assert(HandOverId::slot_bits + HandOverId::tag_bits == 59,
              "what the name of a request can hold");

// No hand-over has this slot: it names a probe.
constexpr std::uint32_t probe_slot = HandOverId::max_slots - 1;
static_assert(probe_slot == Outbox::max_size);

} // namespace

void SupervisingActor::adopt(const caf::actor& child) {
  child_ = child;
  watch(child_);
}

void SupervisingActor::hand_over(HandOverId id, caf::message payload) {
  make_request(id.value, child_, std::move(payload), seam::Priority::normal);
}

void SupervisingActor::send_probe(std::uint32_t probe) {
  if (child_blocks())
    return;
  make_request(HandOverId::make(probe_slot, probe).value, child_,
               caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"}),
               seam::Priority::high);
}

void SupervisingActor::end_child() {
  if (!child_)
    return;
  // The second is for a child whose exit handler does not let it go.
  for (const auto reason : {caf::exit_reason::user_shutdown, caf::exit_reason::kill})
    seam::send_exit_now(child_, address(), reason);
  child_ = nullptr;
}

bool SupervisingActor::is_child(const caf::strong_actor_ptr& who) const {
  return who && child_ && who->get() == caf::actor_cast<caf::abstract_actor*>(child_);
}

bool SupervisingActor::child_blocks() const {
  return child_
         && caf::actor_cast<caf::abstract_actor*>(child_)->getf(
           caf::abstract_actor::is_blocking_flag);
}

void SupervisingActor::on_response(std::uint64_t name, caf::message content,
                                   const caf::strong_actor_ptr& from) {
  const HandOverId id{name};
  const auto is_error = content.match_elements<caf::error>();
  if (id.slot() == probe_slot) {
    if (from && !is_error)
      on_probe_answer(id.tag());
  } else if (!is_error) {
    on_answer(id, std::move(content));
  } else {
    // Somebody else to whom the child passed the delivery on can be gone, but not be the child's crash.
    const auto& error = content.get_as<caf::error>(0);
    const auto from_child = is_child(from);
    on_error_answer(id, {error, !from || (from_child && seam::is_bounce(error)),
                         from && (!from_child || child_blocks())});
  }
}

void SupervisingActor::on_down(const caf::actor_addr& who, const caf::error& reason) {
  if (child_ && who == child_.address())
    on_child_down(reason);
}

} // namespace backoff_actor
