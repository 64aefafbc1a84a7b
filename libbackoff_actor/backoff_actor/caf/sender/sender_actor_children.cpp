// How a sender makes its children, at once or asynchronously, what it gives them, and how it hears
// from them.

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

constexpr auto itself_as_child = "the factory returned the sender itself";

static_assert(HandOverId::slot_bits + HandOverId::tag_bits == 59,
              "what the name of a request can hold");

// The slot of probes; no hand-over has it.
constexpr std::uint32_t probe_slot = HandOverId::max_slots - 1;
static_assert(probe_slot == DeliverySlots::max_size);

} // namespace

// -- starts -------------------------------------------------------------------------

void BackOffSender::start_child(const effect::StartChild& x, FollowUps& follow_ups) {
  const auto incarnation = x.incarnation;
  const auto& make = settings_->factory_of(x.kind);
  try {
    if (make.is_asynchronous()) {
      const auto start = std::make_shared<ChildStart>(address(), incarnation);
      rare().starts.push_back(start);
      return make(this, ChildPromise{start});
    }
    const auto child = make(this);
    if (!child)
      return follow_ups.add(not_started(incarnation, "the factory returned no actor"));
    if (child.address() == address())
      return follow_ups.add(not_started(incarnation, itself_as_child));
    children_.adopt(*this, {incarnation, Ownership::sole, child});
    follow_ups.add_started(incarnation);
  } catch (const std::exception& exception) {
    call_off(incarnation);
    follow_ups.add(not_started(incarnation, exception.what()));
  } catch (...) {
    call_off(incarnation);
    follow_ups.add(not_started(incarnation, "the factory threw an exception of unknown type"));
  }
}

BackOffSender::News BackOffSender::not_started(std::uint32_t incarnation, const std::string& text) {
  auto error = make_error(SenderError::start_failed, text);
  const auto decision = detail::decide(options().decider, FailureKind::start_failed, error);
  return {input::StartFailed{
            incarnation, {cause_of(error, false).code, text}, decision.verdict, decision.reason},
          std::move(error)};
}

// Removes a pending start and returns it; none: it was called off.
std::shared_ptr<ChildStart> BackOffSender::take_start(std::uint64_t number) {
  auto* const rare = rare_if_any();
  if (!rare)
    return nullptr;
  auto& starts = rare->starts;
  const auto it = std::find_if(starts.begin(), starts.end(),
                               [&](const auto& start) { return start->number() == number; });
  if (it == starts.end())
    return nullptr;
  auto result = std::move(*it);
  starts.erase(it);
  return result;
}

void BackOffSender::on_start_news(std::uint64_t number) {
  const auto start = take_start(number);
  if (!start)
    return;
  auto result = start->take(this);
  const auto incarnation = static_cast<std::uint32_t>(number);
  if (!result.child)
    return take(not_started(incarnation, result.text));
  if (result.child.address() == address())
    return take(not_started(incarnation, itself_as_child));
  children_.adopt(*this, {incarnation, result.ownership, std::move(result.child)});
  take(input::ChildStarted{incarnation});
}

void BackOffSender::call_off(std::uint32_t incarnation) {
  if (const auto start = take_start(incarnation))
    start->call_off();
}

// -- requests and answers -----------------------------------------------------------

// The fencing token for the child; 0: no other process can own the outbox.
std::uint64_t BackOffSender::epoch() const {
  return store_ && store_->ownership() ? store_->ownership()->epoch : 0;
}

void BackOffSender::give_to_child(const effect::HandOver& x) {
  auto& parcel = parcels_[x.slot];
  if (parcel.extra)
    parcel.extra->held = {};
  const auto* const child = children_.find(x.incarnation);
  if (!child)
    return;
  const auto hand_over = [&](const caf::message& content) {
    make_request(x.hand_over.value, child->handle, content, compat::Priority::normal);
  };
  if (acknowledges_by_reply_)
    hand_over(parcel.payload);
  else
    hand_over(caf::make_message(TrackedMsg{
      id_of(x.hand_over), parcel.payload, parcel.source(), x.delivery, x.incarnation, origin_,
      epoch(), parcel.extra ? detail::note_in(parcel.extra->context) : std::string{}}));
}

void BackOffSender::send_probe(const effect::Probe& x) {
  if (const auto* const child = children_.find(x.incarnation))
    probe(HandOverId::make(probe_slot, x.probe).value, child->handle);
}

void BackOffSender::on_response(std::uint64_t name, caf::message&& content,
                                const caf::strong_actor_ptr& from) {
  const HandOverId id{name};
  const auto* const error = compat::error_in(content);
  if (id.slot() == probe_slot) {
    // The probe was sent to one of them; the engine knows which.
    if (!error)
      for (const auto incarnation : children_.find_all(from))
        take(input::ChildAlive{incarnation, id.tag()});
  } else if (error)
    on_error_answer(id, *error, from);
  else
    on_answer(id, std::move(content));
}

// -- ends ---------------------------------------------------------------------------

void BackOffSender::on_down(const caf::actor_addr& who, const caf::error& reason) {
  if (const auto incarnation = children_.take_down(who))
    on_child_down(*incarnation, reason);
}

bool BackOffSender::is_told_of_end(const caf::actor_addr& who) const {
  return children_.awaits_down(who);
}

} // namespace backoff_actor
