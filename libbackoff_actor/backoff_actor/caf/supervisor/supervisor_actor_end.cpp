// How a supervisor is told to end, and how it does.

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/supervisor/internal/supervisor_actor.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

// -- told to end --------------------------------------------------------------------

void Supervisor::on_stop(const Stop& x) {
  note_told({});
  if (x.grace > Duration::zero()) {
    closing().clients.push_back(open_request());
    take(supervisor_input::Finish{now() + x.grace, true});
  } else {
    await_end_.push_back(open_request());
    take(supervisor_input::Stop{});
  }
}

void Supervisor::on_exit_message(const caf::exit_msg& x) {
  if (!x.reason || is_told_of_end(x.source))
    return;
  note_told(x.reason);
  take(supervisor_input::Stop{});
}

// Somebody told it to end, for this reason.
void Supervisor::note_told(caf::error reason) {
  if (engine_.phase() >= SupervisorPhase::stopping)
    return;
  told_reason_ = std::move(reason);
  keep_alive_ = ctrl();
}

// -- with a grace -------------------------------------------------------------------

// The supervisor of this one ends its other children in order, and says when the turn of this one
// has come.
void Supervisor::on_finish_work(const FinishWork& x) {
  auto request = open_request();
  const auto* const supervisor = own_kind(request.client);
  if (supervisor == nullptr || !supervisor->limits_ends())
    return RequestingActor::refuse(request, caf::make_error(caf::sec::unexpected_message));
  closing().reports.push_back(std::move(request));
  take(supervisor_input::Finish{x.until, false});
  if (!x.ends)
    return;
  note_told(caf::exit_reason::user_shutdown);
  take(supervisor_input::Stop{false, true});
}

void Supervisor::on_work_finished() {
  const auto child = by_address_.find(caf::actor_cast<caf::abstract_actor*>(current_sender()));
  if (child != by_address_.end())
    take(supervisor_input::ChildFinished{child->second});
}

// A child may have been asked more than once.
void Supervisor::on_report(const ChildActor& actor, const caf::message& content) {
  auto& place = places_[actor.child.slot];
  if (place.serial != actor.child.serial || !content.match_elements<Stopped>()
      || std::exchange(place.has_reported, true))
    return;
  closing().numbers += content.get_as<Stopped>(0);
}

Supervisor::Closing& Supervisor::closing() {
  if (!closing_) {
    closing_ = std::make_unique<Closing>();
    closing_->numbers.abandoned = static_cast<std::uint32_t>(engine_.count().abandoned);
  }
  return *closing_;
}

// The word overtakes all others, as an exit message does: otherwise an exit message that comes
// later could end the child before it was told, and its numbers would be missing.
void Supervisor::request_finish(const ChildActor& actor, const FinishWork& what) {
  auto* const place = find(actor);
  if (!place)
    return;
  if (what.ends) {
    place->is_told = true;
    place->leave();
  }
  closing().asked.emplace(++last_request_, actor);
  make_request(last_request_, place->actor, caf::make_message(what), compat::Priority::high);
}

// -- the end ------------------------------------------------------------------------

caf::error Supervisor::quit_reason(const supervisor_effect::BeginStop& x) const {
  using supervisor_effect::QuitReason;
  const auto text =
    to_string(name_) + ", child " + x.id + (x.cause.text.empty() ? "" : ": " + x.cause.text);
  const auto error = x.child.serial != 0 ? places_[x.child.slot].error : caf::error{};
  switch (x.reason) {
  case QuitReason::told:
    return told_reason_;
  case QuitReason::unreachable:
    return caf::exit_reason::unreachable;
  case QuitReason::auto_shutdown:
    return {};
  case QuitReason::start_failed:
    return make_error(SupervisorError::start_failed, text, error);
  case QuitReason::limit_reached:
  case QuitReason::child_limit:
    return make_error(SupervisorError::limit_reached, text, error);
  case QuitReason::escalated:
    break;
  }
  return error ? error : make_error(SupervisorError::start_failed, text);
}

void Supervisor::finish() {
  const auto counts = engine_.count();
  for (auto& client : std::exchange(await_end_, {}))
    answer_request(client, caf::make_message(counts));
  if (closing_) {
    report();
    for (auto& client : std::exchange(closing_->clients, {}))
      answer_request(client, caf::make_message(closing_->numbers));
  }
  quit(quit_reason_);
  keep_alive_ = nullptr;
}

namespace {

// Returns what a supervisor has, in brackets.
std::string children_of(const SupervisorEngine& engine) {
  constexpr std::size_t most = 3;
  const auto children = engine.children();
  if (children.empty())
    return " (without children)";
  std::string result;
  for (std::size_t i = 0; i < std::min(most, children.size()); ++i)
    result.append(i == 0 ? " (of " : ", ").append(engine.id_of(children[i]));
  if (children.size() > most)
    result += " and " + std::to_string(children.size() - most) + " others";
  return result + ")";
}

} // namespace

// Starts a successor. CAF is destroying this actor, in the thread that dropped the last handle: the
// actor gets no messages any more, not even down messages. To end the children one after the other
// takes an actor that gets them.
void Supervisor::hand_over() {
  detail::tell_error_stream("backoff_actor: no handle to " + to_string(name_) + children_of(engine_)
                            + " is left: it ends its children, and then itself");
  home_system().spawn<Supervisor>(*this);
}

void Supervisor::end_inherited_children() {
  for (const auto& place : places_)
    if (place.actor)
      watch_actor(place.actor);
  take(supervisor_input::Stop{true});
}

void Supervisor::on_exit() {
  if (has_begun_ && is_unreachable() && engine_.phase() != SupervisorPhase::stopped)
    hand_over();
  else
    end_at_once();
  // All of these may hold handles that refer back to this actor.
  engine_ = SupervisorEngine{std::make_shared<const SupervisorEngineOptions>(), {}};
  places_.clear();
  asked_.clear();
  branches_.clear();
  by_address_.clear();
  closing_ = nullptr;
  seat_ = nullptr;
  make_dynamic_ = nullptr;
  options_ = nullptr;
  keep_alive_ = nullptr;
  RequestingActor::on_exit();
}

// Tells its own supervisor the numbers so far.
void Supervisor::report() {
  for (auto& request : std::exchange(closing_->reports, {}))
    answer_request(request, caf::make_message(closing_->numbers));
}

void Supervisor::end_at_once() {
  for (auto place = places_.rbegin(); place != places_.rend(); ++place) {
    count_lost(place->close());
    call_off(*place);
    if (place->actor && place->ownership == Ownership::sole)
      compat::send_exit_now(place->actor, address(), caf::exit_reason::kill);
  }
  // The answer names no sender: CAF allows no new reference to an actor that nobody holds.
  const auto turn_away = [this](const compat::OpenRequest& client, const std::string& child,
                                const caf::error& error) {
    if (client.is_request())
      compat::respond(client, caf::make_message(error));
    else
      refuse(client, child, error);
  };
  const auto stopping = make_error(SupervisorError::stopping);
  for (const auto& client : std::exchange(await_up_, {}))
    turn_away(client, {}, quit_reason_ ? quit_reason_ : stopping);
  for (const auto& client : std::exchange(await_end_, {}))
    turn_away(client, {}, stopping);
  if (closing_) {
    report();
    for (const auto& client : std::exchange(closing_->clients, {}))
      turn_away(client, {}, stopping);
  }
  for (const auto& [ticket, client] : std::exchange(clients_, {}))
    turn_away(client.request, client.id, stopping);
  for (const auto& [number, open] : std::exchange(trees_, {}))
    turn_away(open.request, {}, stopping);
  tell(supervisor_event::Stopped{now()});
}

} // namespace backoff_actor
