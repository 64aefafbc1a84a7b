#include "backoff_actor/caf/remote/internal/io_compat.hpp"

#include "backoff_actor/caf/compat/compat.hpp"

#include <caf/actor_cast.hpp>
#include <caf/io/basp/version.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>
#include <caf/io/scribe.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace backoff_actor::io_compat {

// -- configuration --------------------------------------------------------------

caf::actor_factory_result spawn_or_refuse(const Spawn& spawn, caf::actor_system& system,
                                          caf::actor_config& config,
                                          const caf::message& arguments) {
  caf::actor_factory_result result; // without an interface, like every untyped actor
  try {
    result.first = spawn(system, config, arguments);
  } catch (...) { // an exception would end the actor that spawns for all nodes
  }
  return result;
}

// -- the middleman's actor ---------------------------------------------------------

void throw_no_network() {
  throw std::runtime_error("the actor system has no network layer: set its configuration up with "
                           "backoff_actor::init_network instead of init");
}

caf::actor middleman_of(caf::actor_system& system) {
  if (!system.has_middleman())
    throw_no_network();
  return caf::actor_cast<caf::actor>(system.middleman().actor_handle());
}

caf::message spawn_request(const caf::node_id& node, std::string name, caf::message arguments) {
  return caf::make_message(caf::spawn_atom_v, node, std::move(name), std::move(arguments),
                           std::set<std::string>{});
}

std::optional<Connected> connected(const caf::message& answer) {
  if (!answer.match_elements<caf::node_id, caf::strong_actor_ptr, std::set<std::string>>())
    return std::nullopt;
  Connected result{answer.get_as<caf::node_id>(0), {}};
  if (const auto& published = answer.get_as<caf::strong_actor_ptr>(1))
    result.published = caf::actor_cast<caf::actor>(published);
  return result;
}

bool is_heartbeats_mistake(const caf::message& answer) {
  return answer.match_elements<caf::error>()
         && answer.get_as<caf::error>(0) == caf::sec::connection_timeout;
}

caf::actor spawned(const caf::message& answer) {
  if (answer.match_elements<caf::strong_actor_ptr>())
    if (const auto& result = answer.get_as<caf::strong_actor_ptr>(0))
      return caf::actor_cast<caf::actor>(result);
  return {};
}

// -- connections, whose other end is the door's -------------------------------------

namespace {

caf::io::scribe_ptr scribe_of(caf::actor_system& system, net::Descriptor caf) {
  // The scribe closes the descriptor.
  return system.middleman().backend().new_scribe(caf.release());
}

} // namespace

caf::message connect_request(caf::actor_system& system, net::Descriptor caf, std::uint16_t port) {
  return caf::make_message(caf::connect_atom_v, scribe_of(system, std::move(caf)), port);
}

void accept_connection(caf::actor_system& system, net::Descriptor caf, std::uint16_t port,
                       const caf::actor& published) {
  compat::enqueue(broker_of(system), caf::publish_atom_v, scribe_of(system, std::move(caf)), port,
                  caf::actor_cast<caf::strong_actor_ptr>(published), std::set<std::string>{});
}

void unpublish(const caf::actor& broker, const caf::actor& published, std::uint16_t port) {
  compat::enqueue(broker, caf::unpublish_atom_v, published.address(), port);
}

// -- what a node says first ----------------------------------------------------------

std::uint64_t own_protocol() { return caf::io::basp::version; }

bool is_greeting_mark(std::span<const std::byte, greeting_mark_size> bytes) {
  // The operation, two bytes of padding, and the flags.
  static_assert(caf::io::basp::message_type::server_handshake
                == static_cast<caf::io::basp::message_type>(0));
  return std::ranges::all_of(bytes, [](std::byte x) { return x == std::byte{0}; });
}

std::optional<GreetingHeader>
read_greeting_header(std::span<const std::byte, greeting_header_size> bytes) {
  static_assert(caf::io::basp::header_size == greeting_header_size);
  caf::io::basp::header header;
  if (!decode(bytes, header) || header.operation != caf::io::basp::message_type::server_handshake
      || header.flags != 0 || header.source_actor != 0 || header.dest_actor != 0
      || header.operation_data == 0)
    return std::nullopt;
  return GreetingHeader{header.operation_data, header.payload_len};
}

std::optional<Greeting> read_greeting(const GreetingHeader& header,
                                      std::span<const std::byte> payload) {
  GreetingPayload content;
  if (header.protocol != own_protocol() || !decode(payload, content))
    return std::nullopt;
  return Greeting{header.protocol, std::move(content.identifiers),
                  content.published != caf::invalid_actor_id};
}

} // namespace backoff_actor::io_compat
