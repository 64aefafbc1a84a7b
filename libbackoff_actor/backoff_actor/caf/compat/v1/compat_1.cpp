#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/compat_scheduler.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/action.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_clock.hpp>
#include <caf/attachable.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/byte_buffer.hpp>
#include <caf/log/level.hpp>
#include <caf/logger.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/sec.hpp>
#include <caf/system_messages.hpp>
#include <caf/telemetry/collector/prometheus.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <stdexcept>

namespace backoff_actor {

namespace {

template <class Error>
bool set_from(std::uint8_t number, std::uint8_t last, Error& error) {
  if (number == 0 || number > last)
    return false;
  error = static_cast<Error>(number);
  return true;
}

template <class Error>
bool set_from(std::string_view text, std::uint8_t last, Error& error) {
  for (std::uint8_t number = 1; number <= last; ++number)
    if (to_string(static_cast<Error>(number)) == text)
      return set_from(number, last, error);
  return false;
}

} // namespace

bool from_integer(std::uint8_t number, SenderError& error) {
  return set_from(number, last_sender_error, error);
}

bool from_string(std::string_view text, SenderError& error) {
  return set_from(text, last_sender_error, error);
}

bool from_integer(std::uint8_t number, SupervisorError& error) {
  return set_from(number, last_supervisor_error, error);
}

bool from_string(std::string_view text, SupervisorError& error) {
  return set_from(text, last_supervisor_error, error);
}

namespace compat {

// -- CAF's log -----------------------------------------------------------------

void log(caf::actor_system& system, LogLevel level, const std::string& text) {
  using names = caf::log::level;
  constexpr std::array levels{names::debug, names::info, names::warning, names::error};
  const unsigned number = levels[static_cast<std::size_t>(level)];
  auto& logger = system.logger();
  if (logger.accepts(number, "backoff_actor"))
    logger.legacy_api_log(number, "backoff_actor", text);
}

// -- errors -------------------------------------------------------------------

std::string caf_text_of(const caf::actor_system&, const caf::error& error) {
  return to_string(error);
}

bool is_bounce(const caf::error& error) {
  return error == caf::sec::request_receiver_down || error == caf::sec::broken_promise;
}

const caf::error* error_in(const caf::message& message) {
  return message.match_elements<caf::error>() ? &message.get_as<caf::error>(0) : nullptr;
}

// -- messages -----------------------------------------------------------------

bool is_system_message(const caf::message& message) {
  if (message.size() != 1)
    return false;
  switch (message.type_at(0)) {
  case caf::type_id_v<caf::action>:
  case caf::type_id_v<caf::timeout_msg>:
  case caf::type_id_v<caf::exit_msg>:
  case caf::type_id_v<caf::down_msg>:
  case caf::type_id_v<caf::node_down_msg>:
  case caf::type_id_v<caf::error>:
    return true;
  default:
    return false;
  }
}

std::size_t serialized_size(caf::actor_system& system, const caf::message& message) {
  caf::byte_buffer buffer;
  caf::binary_serializer sink{system, buffer};
  if (!sink.apply(message))
    throw std::runtime_error("the message cannot be serialized: " + to_string(sink.get_error()));
  return buffer.size();
}

std::string type_name(caf::actor_system&, const caf::message& message, std::size_t part) {
  return std::string{caf::query_type_name(message.type_at(part))};
}

// CAF ends the program when such a message is made.
std::optional<std::string> unknown_type_in(caf::actor_system&, const caf::message&) { return {}; }

std::string binary_format() { return "CAF 1"; }

std::string metrics_page(caf::actor_system& system) {
  caf::telemetry::collector::prometheus collector;
  return std::string{collector.collect_from(system.metrics())};
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

void answer_request(caf::response_promise& client, caf::message answer) {
  if (!client.pending())
    return;
  if (client.async())
    client.deliver(); // sends nothing; dropping the promise would send an error
  else
    client.deliver(std::move(answer));
}

void respond(const OpenRequest& request, caf::message answer, const caf::strong_actor_ptr& from) {
  request.client->enqueue(
    caf::make_mailbox_element(from, request.id.response_id(), std::move(answer)), nullptr);
}

// -- addresses ----------------------------------------------------------------

namespace {

class Forwarder final : public caf::abstract_actor {
public:
  Forwarder(caf::actor_config& config, std::shared_ptr<Forwarding> forwarding)
    : caf::abstract_actor(config), forwarding_(std::move(forwarding)) {}

  const char* name() const override { return "backoff_actor.address"; }

  bool enqueue(caf::mailbox_element_ptr element, caf::scheduler* context) override {
    if (const auto receiver = forwarding_->receiver_of(element))
      receiver->enqueue(std::move(element), context);
    return true; // even if it has ended: another may come
  }

  void setup_metrics() {}

private:
  void force_close_mailbox() override {}

  std::shared_ptr<Forwarding> forwarding_;
};

} // namespace

caf::message content_of(const caf::mailbox_element& message) { return message.payload; }

void bounce(caf::mailbox_element_ptr message, caf::error error) {
  if (message->sender && message->mid.is_request())
    message->sender->enqueue(caf::make_mailbox_element(nullptr, message->mid.response_id(),
                                                       caf::make_message(std::move(error))),
                             nullptr);
}

caf::actor make_forwarder(caf::actor_system& system, std::shared_ptr<Forwarding> forwarding) {
  caf::actor_config config;
  return caf::make_actor<Forwarder, caf::actor>(system.next_actor_id(), system.node(), &system,
                                                config, std::move(forwarding));
}

// -- threads -----------------------------------------------------------------

void share_work(caf::actor_system_config& config) { config.set("caf.scheduler.policy", "sharing"); }

} // namespace compat

} // namespace backoff_actor
