#include "backoff_actor/caf/actor/internal/requesting_actor_base.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/sec.hpp>

#include <string>
#include <utility>

namespace backoff_actor::compat {

void RequestingActorBase::on_message(caf::message&& payload) {
  on_submission(std::move(payload), make_response_promise());
}

void RequestingActorBase::on_submission(caf::message, caf::response_promise client) {
  compat::refuse(client, caf::make_error(caf::sec::unexpected_message));
}

void RequestingActorBase::on_system_message(caf::message) {
  refuse_current(system_message_refused());
}

const RequestingActorBase* RequestingActorBase::own_kind(const caf::strong_actor_ptr& who) {
  return who ? dynamic_cast<const RequestingActorBase*>(who->get()) : nullptr;
}

bool RequestingActorBase::is_told_of_end(const caf::actor_addr&) const { return false; }

void RequestingActorBase::on_told_to_end(const caf::actor_addr&, const caf::error& reason) {
  quit(reason);
}

caf::error RequestingActorBase::cannot_reach(const caf::actor& receiver,
                                             const caf::message& content) {
  if (caf::actor_cast<caf::actor_control_block*>(receiver)->node() == ctrl()->node())
    return {}; // compared in place: the members `node` of the two return copies
  return unknown_type(system(), content.match_elements<TrackedMsg>()
                                  ? content.get_as<TrackedMsg>(0).payload
                                  : content);
}

bool RequestingActorBase::on_word(const Word&) { return false; }

void RequestingActorBase::answer_request(OpenRequest& client, caf::message&& answer) {
  const auto request = std::exchange(client, {});
  if (request.client && (request.id.is_request() || !answer.empty()))
    respond(request, std::move(answer));
}

void RequestingActorBase::refuse(OpenRequest& client, caf::error error) {
  const auto request = std::exchange(client, {});
  if (request.is_request())
    respond(request, caf::make_message(std::move(error)));
}

void RequestingActorBase::refuse_current(caf::error error) {
  auto client = open_request();
  refuse(client, std::move(error));
}

bool RequestingActorBase::probe(std::uint64_t name, const caf::actor& whom) {
  if (caf::actor_cast<caf::abstract_actor*>(whom)->getf(caf::abstract_actor::is_blocking_flag))
    return false;
  make_request(name, whom, caf::make_message(caf::sys_atom_v, caf::get_atom_v, std::string{"info"}),
               Priority::high);
  return true;
}

namespace {

// The last reading of the clock by the actor that runs in this thread.
struct RecentNow {
  Instant at;
  int uses_left = 0;
};

constexpr int uses_of_a_look = 16; // about 10 us

thread_local RecentNow recent;

} // namespace

Instant RequestingActorBase::now() {
  forget_recent_now();
  return {clock().now().time_since_epoch()};
}

Instant RequestingActorBase::recent_now() {
  if (recent.uses_left == 0)
    recent = {now(), uses_of_a_look};
  --recent.uses_left;
  return recent.at;
}

void RequestingActorBase::forget_recent_now() { recent.uses_left = 0; }

} // namespace backoff_actor::compat
