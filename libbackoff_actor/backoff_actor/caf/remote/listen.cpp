#include "backoff_actor/caf/remote/listen.hpp"

#include "backoff_actor/caf/remote/internal/io_compat.hpp"
#include "backoff_actor/caf/remote/internal/node.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/check_span.hpp"
#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/net/internal/socket.hpp"

#include <system_error>
#include <utility>

namespace backoff_actor {

namespace {

constexpr std::uint32_t most_connections = 1'000'000;

constexpr auto longest_handshake = std::chrono::hours{1};

void tell(const door::Door& door, const NodeAddress& address, bool is_open_to_anybody) {
  const auto& on_event = door.options().on_event;
  if (is_open_to_anybody)
    on_event({NetworkEvent::Kind::open_to_anybody,
              to_string(address),
              {},
              "without TLS, everybody who reaches this port can use the node, and read and change "
              "what is on the way"});
  else
    on_event({NetworkEvent::Kind::listening, to_string(address), {}, {}});
}

// Only programs on this machine reach it.
bool is_loopback(const net::Address& address) {
  const auto host = address.host();
  return host.starts_with("127.") || host == "::1";
}

} // namespace

struct Listener::State {
  std::shared_ptr<NetworkNode> node;
  caf::actor broker;
  caf::actor published;
  door::Door::Gate gate{};
  bool is_open = true;
};

Problems check(const ListenOptions& options) {
  Problems problems{"ListenOptions"};
  if (options.address.empty())
    problems.add("address", "\"\"", "an address of this machine");
  detail::check_span(problems, "handshake_timeout", options.handshake_timeout,
                     std::chrono::microseconds{1}, longest_handshake);
  detail::check_count(problems, "max_unauthenticated", options.max_unauthenticated, 1,
                      most_connections);
  detail::check_count(problems, "max_connections", options.max_connections, 1, most_connections);
  return problems;
}

Listener::Listener(std::unique_ptr<State> state) : state_(std::move(state)) {}
Listener::Listener(Listener&&) noexcept = default;

Listener& Listener::operator=(Listener&& other) noexcept {
  if (this != &other) {
    close();
    state_ = std::move(other.state_);
  }
  return *this;
}

Listener::~Listener() { close(); }

std::uint16_t Listener::port() const { return state_ ? state_->gate.address.port() : 0; }

void Listener::close() {
  if (!state_ || !std::exchange(state_->is_open, false))
    return;
  state_->node->door().close(state_->gate.number);
  if (state_->published)
    io_compat::unpublish(state_->broker, state_->published, port());
  state_->broker = {};
  state_->published = {};
}

Listener listen(caf::actor_system& system, ListenOptions options) {
  const auto node = NetworkNode::of(system);
  auto broker = io_compat::broker_of(system);
  auto problems = check(options);
  net::Address address;
  bool is_open_to_anybody = false;
  if (!options.address.empty()) {
    const auto resolved = net::resolve(options.address, options.port);
    if (resolved.ending == net::Wait::done) {
      address = resolved.addresses.front();
      is_open_to_anybody = !node->options().tls && !is_loopback(address);
    } else {
      problems.add("address", '"' + options.address + '"',
                   "an address of this machine: " + resolved.error);
    }
  }
  if (is_open_to_anybody && !options.plain_text_to_anybody)
    problems.add("address", '"' + options.address + '"',
                 "127.0.0.1 or ::1 without NetworkOptions::tls, unless plain_text_to_anybody is "
                 "true");
  problems.raise_if_any();

  auto state = std::make_unique<Listener::State>();
  auto& door = node->door();
  try {
    state->gate = door.open(
      address, {options.handshake_timeout, options.max_unauthenticated, options.max_connections},
      [&system, published = options.published](net::Descriptor caf, std::uint16_t port) {
        io_compat::accept_connection(system, std::move(caf), port, published);
      });
  } catch (const std::system_error& error) {
    throw std::system_error(
      error.code(), "cannot listen at " + to_string(NodeAddress{options.address, options.port}));
  }
  state->node = node;
  state->broker = std::move(broker);
  state->published = std::move(options.published);
  const auto& bound = state->gate.address;
  tell(door, {bound.host(), bound.port()}, is_open_to_anybody);
  return Listener{std::move(state)};
}

} // namespace backoff_actor
