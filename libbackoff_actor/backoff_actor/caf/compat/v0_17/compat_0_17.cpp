#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/caf/compat/compat_scheduler.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"

#include <caf/atom.hpp>
#include <caf/detail/serialized_size.hpp>
#include <caf/logger.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/sec.hpp>
#include <caf/serializer_impl.hpp>
#include <caf/system_messages.hpp>
#include <caf/timestamp.hpp>
#include <caf/type_nr.hpp>

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>

namespace backoff_actor::compat {

// -- CAF's log -----------------------------------------------------------------

void log(caf::actor_system& system, LogLevel level, const std::string& text) {
  constexpr std::array levels{CAF_LOG_LEVEL_DEBUG, CAF_LOG_LEVEL_INFO, CAF_LOG_LEVEL_WARNING,
                              CAF_LOG_LEVEL_ERROR};
  const auto number = static_cast<unsigned>(levels[static_cast<std::size_t>(level)]);
  const auto component = caf::atom("backoff");
  auto& logger = system.logger();
  if (logger.accepts(number, component))
    logger.log({number, 0, component, "", "", "", text, std::this_thread::get_id(),
                logger.thread_local_aid(), caf::make_timestamp()});
}

// -- errors -------------------------------------------------------------------

std::string caf_text_of(const caf::actor_system& system, const caf::error& error) {
  return system.render(error);
}

bool is_bounce(const caf::error& error) { return has_code(error, caf::sec::request_receiver_down); }

const caf::error* error_in(const caf::message& message) {
  return message.type_token() == caf::make_type_token<caf::error>() ? &message.get_as<caf::error>(0)
                                                                    : nullptr;
}

// -- messages -----------------------------------------------------------------

bool is_order(std::uint32_t type_token) {
  switch (type_token) {
  case caf::make_type_token<caf::timeout_msg>():
  case caf::make_type_token<caf::exit_msg>():
  case caf::make_type_token<caf::down_msg>():
  case caf::make_type_token<caf::error>():
    return true;
  default:
    return false;
  }
}

bool is_system_message(const caf::message& message) { return is_order(message.type_token()); }

std::size_t serialized_size(caf::actor_system& system, const caf::message& message) {
  caf::detail::serialized_size_inspector sink{system};
  auto content = message; // only read, but inspectors of 0.17 take no const values
  if (const auto error = sink(content))
    throw std::runtime_error("the message cannot be serialized: " + system.render(error));
  return sink.result();
}

namespace {

// Returns the name of a type in the program's source.
std::string source_name(const std::type_info& type) {
  auto status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name{
    abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free};
  return name ? name.get() : type.name();
}

bool is_unknown(const caf::actor_system& system, const caf::rtti_pair& type) {
  return type.first == 0
         && system.types().portable_name(type) == system.types().default_type_name();
}

} // namespace

std::string type_name(caf::actor_system& system, const caf::message& message, std::size_t part) {
  const auto type = message.type(part);
  return is_unknown(system, type) ? source_name(*type.second) : system.types().portable_name(type);
}

std::optional<std::string> unknown_type_in(caf::actor_system& system, const caf::message& message) {
  for (std::size_t part = 0; part < message.size(); ++part)
    if (const auto type = message.type(part); is_unknown(system, type))
      return source_name(*type.second);
  return std::nullopt;
}

namespace {

// What CAF's serializer needs of a container, over a vector.
class Appender {
public:
  using value_type = std::byte;

  explicit Appender(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  std::byte* data() { return bytes_.data(); }
  std::vector<std::byte>::iterator end() { return bytes_.end(); }

  // Not inlined: g++ 14 warns of a case that the serializer rules out, a position behind the end.
  [[gnu::noinline]] void insert(std::vector<std::byte>::iterator where, const std::byte* first,
                                const std::byte* last) {
    bytes_.insert(where, first, last);
  }

private:
  std::vector<std::byte>& bytes_;
};

} // namespace

void save_with(const std::function<caf::error(caf::serializer&)>& write,
               std::vector<std::byte>& bytes) {
  // Nothing but an actor handle needs an actor system.
  Appender appender{bytes};
  caf::serializer_impl<Appender> sink{static_cast<caf::execution_unit*>(nullptr), appender};
  if (const auto error = write(sink))
    throw std::runtime_error(error == caf::sec::no_context ? "it holds an actor handle"
                                                           : caf::to_string(error));
}

std::string binary_format() { return "CAF 0.17"; }

std::string metrics_page(caf::actor_system&) { return {}; }

// -- sending ------------------------------------------------------------------

void send_exit_now(const caf::actor& receiver, const caf::actor_addr& source,
                   caf::exit_reason reason) {
  receiver->enqueue(caf::make_mailbox_element(nullptr,
                                              caf::make_message_id(caf::message_priority::high), {},
                                              caf::exit_msg{source, reason}),
                    nullptr);
}

void answer(caf::response_promise& client, caf::message answer) {
  if (!client.pending() || (client.async() && answer.empty()))
    return;
  client.deliver(std::move(answer));
}

void answer_request(caf::response_promise& client, caf::message answer) {
  if (client.pending() && !client.async())
    client.deliver(std::move(answer));
}

void respond(const OpenRequest& request, caf::message answer, const caf::strong_actor_ptr& from) {
  request.client->enqueue(
    caf::make_mailbox_element(from, request.id.response_id(), {}, std::move(answer)), nullptr);
}

// -- addresses ----------------------------------------------------------------

namespace {

class Forwarder final : public caf::monitorable_actor {
public:
  Forwarder(caf::actor_config& config, std::shared_ptr<Forwarding> forwarding)
    : caf::monitorable_actor(config), forwarding_(std::move(forwarding)) {}

  void enqueue(caf::mailbox_element_ptr element, caf::execution_unit* context) override {
    if (const auto receiver = forwarding_->receiver_of(element))
      receiver->enqueue(std::move(element), context);
  }

private:
  std::shared_ptr<Forwarding> forwarding_;
};

} // namespace

caf::message content_of(const caf::mailbox_element& message) {
  return message.copy_content_to_message();
}

void bounce(caf::mailbox_element_ptr message, caf::error error) {
  if (message->sender && message->mid.is_request())
    message->sender->enqueue(
      caf::make_mailbox_element(nullptr, message->mid.response_id(), {}, std::move(error)),
      nullptr);
}

caf::actor make_forwarder(caf::actor_system& system, std::shared_ptr<Forwarding> forwarding) {
  caf::actor_config config;
  return caf::make_actor<Forwarder, caf::actor>(system.next_actor_id(), system.node(), &system,
                                                config, std::move(forwarding));
}

// -- threads -----------------------------------------------------------------

void share_work(caf::actor_system_config& config) {
  config.set("scheduler.policy", caf::atom("sharing"));
}

} // namespace backoff_actor::compat
