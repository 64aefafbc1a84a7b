#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/core/unit_random.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>

#include <exception>

namespace backoff_actor {

caf::error make_error(SenderError code) { return caf::error{code}; }

bool from_integer(std::uint8_t number, SenderError& error) {
  for (const auto candidate : {SenderError::outbox_full, SenderError::stopped})
    if (static_cast<std::uint8_t>(candidate) == number) {
      error = candidate;
      return true;
    }
  return false;
}

bool from_string(std::string_view text, SenderError& error) {
  for (const auto candidate : {SenderError::outbox_full, SenderError::stopped})
    if (to_string(candidate) == text) {
      error = candidate;
      return true;
    }
  return false;
}

namespace seam {

// -- errors -------------------------------------------------------------------

std::string render(const caf::actor_system&, const caf::error& error) { return to_string(error); }

namespace {

// What `keep_cause` kept, bare; anything else as CAF renders it.
std::string text_of(const caf::error& error) {
  const auto& context = error.context();
  if (error == caf::sec::runtime_error && context.match_elements<std::string>())
    return context.get_as<std::string>(0);
  return to_string(error);
}

} // namespace

Cause cause_of(const caf::actor_system&, const caf::error& error, bool with_text) {
  if (!error)
    return {};
  const auto hash = detail::mix(std::uint64_t{error.category()} << 8 | error.code());
  return {hash == 0 ? 1 : hash, with_text ? text_of(error) : std::string{}};
}

bool is_bounce(const caf::error& error) {
  return error == caf::sec::request_receiver_down || error == caf::sec::broken_promise;
}

// -- sending ------------------------------------------------------------------

void send_exit_now(const caf::actor& receiver, const caf::actor_addr& source,
                   caf::exit_reason reason) {
  receiver->enqueue(caf::make_mailbox_element(nullptr,
                                              caf::make_message_id(caf::message_priority::high),
                                              caf::exit_msg{source, reason}),
                    nullptr);
}

void answer(caf::response_promise& client, caf::message answer) {
  if (client.pending())
    client.deliver(std::move(answer));
}

void refuse(caf::response_promise& client, caf::error error) {
  if (!client.pending())
    return;
  if (client.async())
    client.deliver(); // sends nothing; a promise that is dropped would send an error
  else
    client.deliver(std::move(error));
}

// -- the actor ----------------------------------------------------------------

RequestingActor::RequestingActor(caf::actor_config& config) : RequestingActorBase(config) {}

void RequestingActor::on_exit() { alarm_.dispose(); }

void RequestingActor::make_request(std::uint64_t name, const caf::actor& receiver,
                                   caf::message content, Priority priority) {
  const auto id = new_request_id(priority == Priority::high ? caf::message_priority::high
                                                            : caf::message_priority::normal);
  receiver->enqueue(caf::make_mailbox_element(ctrl(), id, std::move(content)), context());
  // A handler for any message does not get errors.
  add_multiplexed_response_handler(
    id.response_id(), caf::behavior{
                        [this, name](caf::error& error) {
                          on_response(name, caf::make_message(std::move(error)), current_sender());
                        },
                        [this, name](caf::message response) {
                          on_response(name, std::move(response), current_sender());
                        },
                      });
}

void RequestingActor::watch(const caf::actor& whom) {
  monitor(whom, [this, who = whom.address()](const caf::error& reason) { on_down(who, reason); });
}

void RequestingActor::wake_at(Instant at) {
  alarm_.dispose();
  if (at <= now()) {
    // An ordinary message: a timer would cost a turn of the clock's thread, an inline call could
    // recurse.
    enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), WakeUp{}), context());
    return;
  }
  // Weakly, so that a sender that nobody needs any more can go while its delay runs.
  alarm_ = clock().schedule_message(nullptr, caf::weak_actor_ptr{ctrl()},
                                    caf::actor_clock::time_point{at.since_origin},
                                    caf::make_message_id(), caf::make_message(WakeUp{}));
}

} // namespace seam

} // namespace backoff_actor
