// How a sender makes its children, at once or asynchronously, what it gives them, and how it hears
// from them.

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/caf/outbox/internal/outbox_session.hpp"
#include "backoff_actor/caf/sender/internal/sender_actor.hpp"
#include "backoff_actor/core/text/internal/note_in_context.hpp"
#include "backoff_actor/delivery/internal/delivery_slots.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace backoff_actor {

namespace {

constexpr auto itself_as_child = "the factory returned the sender itself";

// How long it may be unsure who owns the outbox before workers of other processes go to whoever
// owns it. A server that is only slow must not cost them their work.
constexpr Duration longest_doubt = std::chrono::seconds{1};

static_assert(HandOverId::slot_bits + HandOverId::tag_bits == 59,
              "what the name of a request can hold");

// The slot of probes; no hand-over has it.
constexpr std::uint32_t probe_slot = HandOverId::max_slots - 1;
static_assert(probe_slot == DeliverySlots::max_size);

} // namespace

// -- starts -------------------------------------------------------------------------

void BackOffSender::start_child(const effect::StartChild& x, FollowUps& follow_ups) {
  const auto incarnation = x.incarnation;
  if (auto* const offered = offered_if_any();
      offered && x.kind == detail::kind_of_offered(options().pool)) {
    const auto start = std::make_shared<ChildStart>(address(), incarnation);
    rare().starts.push_back(start);
    return offered->start(*this, incarnation, x.worker, ChildPromise{start});
  }
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
  if (!result.child || result.child.address() == address()) {
    free_place_of(incarnation);
    return take(not_started(incarnation, result.child ? itself_as_child : result.text));
  }
  children_.adopt(*this, {incarnation, result.ownership, std::move(result.child)});
  take(input::ChildStarted{incarnation});
}

void BackOffSender::call_off(std::uint32_t incarnation) {
  if (const auto start = take_start(incarnation))
    start->call_off();
}

// -- offered by other processes -----------------------------------------------------

OfferedWorkers* BackOffSender::offered_if_any() const {
  auto* const rare = rare_if_any();
  return rare ? rare->offered.get() : nullptr;
}

void BackOffSender::on_offer(const OfferWorkers& x) {
  auto client = open_request();
  const auto maker = caf::actor_cast<caf::actor>(client.client);
  auto* offered = offered_if_any();
  const auto most = options().pool.offered.most - (offered ? offered->places() : 0);
  if (store_ && maker && store_->is_doubtful(now() + -longest_doubt)) {
    if (offered)
      take_away(offered->lose(maker.address()), "this process may not own the outbox any more");
    unwatch_actor(maker);
    return refuse(client, make_error(SenderError::not_owner));
  }
  if (offered && maker && offered->knows(maker))
    return answer_request(client, caf::make_message(WorkersTaken{caf::actor{this}}));
  if (engine_.is_ending() || (rare_if_any() && rare_if_any()->closing))
    return refuse(client, make_error(SenderError::draining));
  Problems problems{"OfferWorkers"};
  if (!maker || !client.is_request())
    problems.add("sender", "nobody", "an actor that asks");
  if (options().pool.offered.most == 0)
    problems.add("workers", std::to_string(x.workers),
                 "none: SenderOptions::pool of this sender takes no offered workers");
  else if (x.workers == 0 || x.workers > most)
    problems.add("workers", std::to_string(x.workers),
                 most == 0 ? "none, as the pool has all that it takes"
                           : "1.." + std::to_string(most) + ", which the pool still takes");
  if (!problems.empty())
    return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
  if (!offered) {
    rare().offered = std::make_unique<OfferedWorkers>();
    offered = rare().offered.get();
  }
  offered->add(maker, x.workers);
  watch_actor(maker);
  answer_request(client, caf::make_message(WorkersTaken{caf::actor{this}}));
  if (options().on_event)
    tell(event::WorkersOffered{now(), caf::to_string(maker.node()), x.workers, offered->places()});
  const auto all = offered->places();
  take(input::Resize{detail::kind_of_offered(options().pool), {all, all}});
}

void BackOffSender::on_withdrawal() {
  auto client = open_request();
  auto* const offered = offered_if_any();
  if (offered && client.client)
    take_away(offered->withdraw(caf::actor_cast<caf::actor_addr>(client.client)), "withdrawn");
  answer_request(client, caf::message{});
}

// The workers of the pool that are at this process finish what they hold, and leave. The pool is
// not filled up again: it has as many as are offered.
void BackOffSender::take_away(const std::optional<OfferedWorkers::Gone>& gone,
                              const std::string& why) {
  if (!gone)
    return;
  const auto kind = detail::kind_of_offered(options().pool);
  const auto left = offered_if_any()->places();
  if (options().on_event)
    tell(event::OfferEnded{now(), caf::to_string(gone->maker.node()), gone->places, left, why});
  take(input::Resize{kind, {left, left + gone->places}});
  for (const auto worker : gone->workers)
    take(input::RetireWorker{worker});
  take(input::Resize{kind, {left, left}});
}

// How a child has ended. A line that fails takes all children of its process; each is told of
// alone.
input::ChildEnd BackOffSender::end_of(std::uint32_t incarnation, const caf::error& reason) {
  auto* const offered = offered_if_any();
  if (!offered)
    return input::ChildEnd::own;
  if (reason == caf::exit_reason::remote_link_unreachable)
    take_away(offered->lose_of(incarnation), compat::render(home_system(), reason));
  switch (offered->release(incarnation).value_or(OfferBook::State::stands)) {
  case OfferBook::State::stands:
    break;
  case OfferBook::State::withdrawn:
    return input::ChildEnd::withdrawn;
  case OfferBook::State::lost:
    return input::ChildEnd::lost;
  }
  return input::ChildEnd::own;
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
    return on_child_down(*incarnation, reason);
  auto* const offered = offered_if_any();
  if (!offered)
    return;
  // A process that has withdrawn its workers ends after it has told them to end. What these hold is
  // nobody's fault, unless the line has failed.
  const auto is_lost = reason == caf::exit_reason::remote_link_unreachable;
  if (is_lost || !offered->has_withdrawn(who))
    take_away(offered->lose(who), compat::render(home_system(), reason));
}

bool BackOffSender::is_told_of_end(const caf::actor_addr& who) const {
  return children_.awaits_down(who);
}

} // namespace backoff_actor
