// How a supervisor carries out the effects that the engine decides on.

#include "backoff_actor/caf/child/internal/pending_start.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/supervisor/internal/supervisor_actor.hpp"
#include "backoff_actor/core/internal/thrown.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <exception>
#include <utility>

namespace backoff_actor {

class Supervisor::CarryOut {
public:
  CarryOut(Supervisor& self, std::vector<SupervisorInput>& follow_ups)
    : self_(self), follow_ups_(follow_ups) {}

  void operator()(const supervisor_effect::KeepChild& x) {
    if (self_.places_.size() <= x.child.slot)
      self_.places_.resize(x.child.slot + 1);
    auto& place = self_.places_[x.child.slot] = std::move(self_.clients_.at(x.ticket).place);
    place.serial = x.child.serial;
    if (const auto* key = place.address_key())
      self_.addresses_.insert(key);
  }

  void operator()(const supervisor_effect::ForgetChild& x) {
    auto& place = self_.places_[x.child.slot];
    self_.count_lost(place.close());
    self_.call_off(place);
    self_.addresses_.erase(place.address_key());
    place = {};
  }

  void operator()(const supervisor_effect::StartChild& x) { follow(self_.make_child(x)); }

  void operator()(const supervisor_effect::TellToEnd& x) {
    if (x.keeps_grace)
      self_.request_finish(x.actor, {.ends = true});
    else
      follow(self_.end_child(x.actor, caf::exit_reason::user_shutdown));
  }

  void operator()(const supervisor_effect::Finish& x) {
    self_.request_finish(x.actor, {.until = x.deadline});
  }

  // Its own supervisor is told.
  void operator()(const supervisor_effect::Finished&) {
    if (const auto& reports = self_.closing().reports; !reports.empty())
      self_.respond({reports.back().client, caf::make_message_id()},
                    caf::make_message(WorkFinished{}));
  }

  void operator()(const supervisor_effect::Kill& x) {
    follow(self_.end_child(x.actor, caf::exit_reason::kill));
  }

  void operator()(const supervisor_effect::Abandon& x) {
    if (auto* place = self_.find(x.actor))
      place->actor = nullptr;
    self_.close_if_stopped(x.actor.child);
    self_.cut_branches_of(x.actor);
    if (self_.closing_)
      ++self_.closing_->numbers.abandoned;
  }

  void operator()(const supervisor_effect::Answer& x) {
    const auto it = self_.clients_.find(x.ticket);
    if (it == self_.clients_.end())
      return;
    auto client = std::move(it->second);
    self_.clients_.erase(it);
    const auto id = client.id.empty() ? std::to_string(x.child.serial) : client.id;
    if (x.error == SupervisorError::start_failed)
      self_.RequestingActor::refuse(client.request,
                                    make_error(*x.error, "child " + id + ": " + x.cause.text,
                                               self_.places_[x.child.slot].error));
    else if (x.error)
      self_.refuse(client.request, client.id, make_error(*x.error));
    else if (client.wants_child)
      self_.answer_request(client.request,
                           caf::make_message(StartedChild{std::string{self_.engine_.id_of(x.child)},
                                                          self_.places_[x.child.slot].actor}));
    else
      self_.answer_request(client.request, {});
  }

  void operator()(const supervisor_effect::Started&) {
    for (auto& client : std::exchange(self_.await_up_, {}))
      self_.answer_request(client, {});
  }

  void operator()(const supervisor_effect::WakeAt& x) { self_.wake_at(x.at); }

  void operator()(const supervisor_effect::BeginStop& x) {
    if (self_.seat_ && x.reason >= supervisor_effect::QuitReason::start_failed)
      self_.seat_->note_escalation();
    self_.keep_alive_ = self_.ctrl();
    self_.quit_reason_ = self_.quit_reason(x);
    for (const auto& place : self_.places_)
      if (!place.actor)
        self_.count_lost(place.close());
  }

  void operator()(const supervisor_effect::Quit&) { self_.quits_ = true; }

  void operator()(const supervisor_effect::HookFailed& x) { self_.tell_failed_hook(x.text); }

private:
  void follow(std::optional<SupervisorInput> news) {
    if (news)
      follow_ups_.push_back(std::move(*news));
  }

  Supervisor& self_;
  std::vector<SupervisorInput>& follow_ups_;
};

// -- steps --------------------------------------------------------------------------

void Supervisor::take(SupervisorInput input) {
  std::vector<SupervisorInput> follow_ups;
  step(input, follow_ups);
  for (std::size_t i = 0; i < follow_ups.size(); ++i) {
    const auto news = std::move(follow_ups[i]); // moved out: the vector may grow meanwhile
    step(news, follow_ups);
  }
  publish();
  if (std::exchange(quits_, false))
    finish();
}

void Supervisor::publish() {
  if (!seat_)
    return;
  for (std::size_t state = 0; state < detail::SupervisorWords::states; ++state)
    seat_->set_children(state, engine_.count(static_cast<ChildState>(state)));
  seat_->set_restarts(engine_.count().restarts);
}

void Supervisor::show_end_of(const caf::actor_addr& child) {
  if (seat_ && child.node() == node())
    seat_->remove_child(child.id());
}

void Supervisor::step(const SupervisorInput& input, std::vector<SupervisorInput>& follow_ups) {
  effects_.clear();
  engine_.step(now(), input, effects_);
  for (const auto& effect : effects_)
    std::visit(CarryOut{*this, follow_ups}, effect);
  if (const auto* const down = std::get_if<supervisor_input::ChildDown>(&input))
    close_if_stopped(down->actor.child);
  else if (const auto* const failed = std::get_if<supervisor_input::StartFailed>(&input))
    close_if_stopped(failed->actor.child);
  else if (const auto* const told = std::get_if<supervisor_input::TerminateChild>(&input))
    close_if_stopped(engine_.find(told->id).value_or(ChildName{}));
}

// A child that stays down gets no messages any more: gives up those that wait for it.
void Supervisor::close_if_stopped(const ChildName& child) {
  if (child.serial == 0 || places_[child.slot].serial != child.serial
      || !places_[child.slot].address)
    return;
  const auto status = engine_.status(child, now());
  if (status && status->state == ChildState::stopped)
    count_lost(places_[child.slot].close());
}

void Supervisor::count_lost(std::size_t messages) {
  if (closing_)
    closing_->numbers.dead_lettered += messages;
}

Supervisor::Place* Supervisor::find(const ChildActor& actor) {
  const auto [slot, serial] = actor.child;
  if (slot >= places_.size() || places_[slot].serial != serial || !places_[slot].actor)
    return nullptr;
  // The slot may hold a newer actor of the same child.
  const auto it = by_address_.find(caf::actor_cast<caf::abstract_actor*>(places_[slot].actor));
  const auto is_present = it == by_address_.end() || it->second == actor;
  return is_present ? &places_[slot] : nullptr;
}

// Returns nothing if the factory is asynchronous and the actor comes later.
std::optional<SupervisorInput> Supervisor::make_child(const supervisor_effect::StartChild& x) {
  auto& place = places_[x.actor.child.slot];
  place.is_told = false;
  place.error = {}; // that of the previous actor
  if (place.address)
    place.address->expect_actor();
  place.asks_if_it_is = x.asks_if_it_is;
  try {
    if (dynamic_child_)
      return made(x.actor, make_dynamic_(this, place.arguments), Ownership::sole);
    if (!place.make.is_asynchronous())
      return made(x.actor, place.make(this), Ownership::sole);
    place.start = std::make_shared<ChildStart>(address(), ++last_request_);
    starts_.emplace(last_request_, x.actor);
    place.make(this, ChildPromise{place.start});
    return std::nullopt;
  } catch (const std::exception& exception) {
    call_off(place);
    return not_made(x.actor, exception.what(), compat::error_of(std::current_exception()));
  } catch (...) {
    call_off(place);
    return not_made(x.actor, "the factory threw an exception of unknown type",
                    compat::error_of(std::current_exception()));
  }
}

SupervisorInput Supervisor::made(const ChildActor& name, const caf::actor& child,
                                 Ownership ownership) {
  if (!child)
    return not_made(name, "the factory returned no actor", {});
  const auto* address = caf::actor_cast<caf::abstract_actor*>(child);
  if (address == this)
    return not_made(name, "the factory returned the supervisor itself", {});
  if (!by_address_.emplace(address, name).second)
    return not_made(name, "the factory returned an actor that is already a child", {});
  auto& place = places_[name.child.slot];
  place.actor = child;
  place.ownership = ownership;
  watch_actor(child);
  if (child.node() == node()) {
    unlink_from(child); // in case the factory linked it; the monitor reports its end
    if (seat_)
      seat_->add_child(child.id());
  }
  if (place.asks_if_it_is) {
    place.asked = ++last_request_;
    asked_.emplace(place.asked, name);
    make_request(last_request_, child, caf::make_message(AwaitUp{}), compat::Priority::normal);
  } else {
    place.enter();
  }
  const auto* const own = own_kind(caf::actor_cast<caf::strong_actor_ptr>(child));
  return supervisor_input::ChildMade{name, ownership == Ownership::sole && own != nullptr
                                             && own->can_finish_work()};
}

SupervisorInput Supervisor::not_made(const ChildActor& name, const std::string& text,
                                     caf::error root) {
  places_[name.child.slot].error = root;
  const auto error = make_error(SupervisorError::start_failed, text, std::move(root));
  return supervisor_input::StartFailed{name, {cause_of(error).code, text}, decide(name, error)};
}

void Supervisor::on_start_news(std::uint64_t number) {
  const auto name = starts_.extract(number);
  if (!name)
    return; // it was called off
  const auto start = std::exchange(places_[name.mapped().child.slot].start, nullptr);
  auto result = start->take(this);
  take(result.child ? made(name.mapped(), result.child, result.ownership)
                    : not_made(name.mapped(), result.text, std::move(result.root)));
}

void Supervisor::call_off(Place& place) {
  const auto start = std::exchange(place.start, nullptr);
  if (!start)
    return;
  starts_.erase(start->number());
  start->call_off();
}

// Returns nothing if a down message will report the end of the child.
std::optional<SupervisorInput> Supervisor::end_child(const ChildActor& actor,
                                                     caf::exit_reason reason) {
  if (auto& place = places_[actor.child.slot]; place.serial == actor.child.serial && place.start) {
    call_off(place);
    return supervisor_input::StartFailed{actor, {}, Directive::restart};
  }
  auto* place = find(actor);
  if (!place)
    return std::nullopt;
  place->is_told = true;
  place->leave();
  if (place->ownership == Ownership::sole) {
    compat::send_exit_now(place->actor, address(), reason);
    return std::nullopt;
  }
  // A shared child lives on, but this supervisor no longer uses it.
  unwatch_actor(place->actor);
  show_end_of(place->actor.address());
  by_address_.erase(caf::actor_cast<caf::abstract_actor*>(place->actor));
  asked_.erase(std::exchange(place->asked, 0));
  cut_branches_of(actor);
  place->actor = nullptr;
  return supervisor_input::ChildDown{actor, Ending::shutdown, {}, Directive::restart};
}

// -- events -------------------------------------------------------------------------

// Reports an event that the engine does not know about. `Stopped` is the last event: if the engine
// has reported it, nothing follows.
void Supervisor::tell(SupervisorEvent event) {
  if (!options_->on_event || engine_.phase() == SupervisorPhase::stopped)
    return;
  event.of = name_;
  try {
    options_->on_event(event);
  } catch (...) {
    tell_failed_hook(detail::thrown_text(std::current_exception()));
  }
}

// Tells of the first exception of the hook for events.
void Supervisor::tell_failed_hook(const std::string& exception) {
  if (!std::exchange(has_told_failed_hook_, true))
    detail::tell_error_stream(detail::failed_hook_line(to_string(name_), exception));
}

} // namespace backoff_actor
