// What becomes of a connection: a stranger, admitted, connected, ended.

#include "backoff_actor/caf/door/internal/door_loop.hpp"

#include "backoff_actor/core/node_address.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <new>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <utility>

namespace backoff_actor::door {

namespace {

using namespace std::chrono_literals;

// Of a gate in a row; then others have their turn.
constexpr int most_accepted = 4;

// How long what CAF has sent last and the node's end may take, after CAF has closed its own.
constexpr auto patience_at_end = 5s;

std::string text_of(const net::Address& address) {
  return to_string(NodeAddress{address.host(), address.port()});
}

} // namespace

// -- strangers ----------------------------------------------------------------------

void Door::Loop::accept_some(const GatePtr& gate) {
  for (int i = 0; i != most_accepted; ++i) {
    auto arrival = net::accept_at(gate->socket);
    if (arrival.socket)
      take_stranger(gate, std::move(arrival));
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      return refuse_without_descriptor(*gate);
    else if (errno != ECONNABORTED && errno != EINTR)
      return; // nobody waits
  }
}

// Closes whoever waits first. Otherwise it would wait for a descriptor without a word, and the
// gate would be ready at once, again and again.
void Door::Loop::refuse_without_descriptor(const OpenGate& gate) {
  spare_.close();
  std::string peer;
  if (const auto arrival = net::accept_at(gate.socket); arrival.socket)
    peer = text_of(arrival.peer);
  spare_ = net::Descriptor{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
  tell(Kind::no_descriptors, peer, {},
       "the process has no descriptor left for another connection: raise its limit, "
       "or lower max_connections");
}

void Door::Loop::take_stranger(const GatePtr& gate, net::Arrival arrival) try {
  auto& socket = arrival.socket;
  auto peer = text_of(arrival.peer);
  if (gate->connections >= gate->options.max_connections)
    return tell(Kind::refused, peer, {},
                "there are max_connections, " + std::to_string(gate->options.max_connections)
                  + ", already");
  if (gate->strangers.size() >= gate->options.max_unauthenticated)
    refuse(*gate->strangers.begin(), "it had not proved who it is when max_unauthenticated, "
                                       + std::to_string(gate->options.max_unauthenticated)
                                       + ", others had come after it");
  net::send_at_once(socket);
  const auto names = tls_ ? tls_->names() : std::vector<std::string>{};
  auto wire = wire_on(std::move(socket), net::TlsSession::Role::accepts, names);
  const auto number = ++last_;
  gate->strangers.insert(number);
  ++gate->connections;
  strangers_.emplace(number, Stranger{gate, std::move(wire), std::move(peer),
                                      Clock::now() + gate->options.handshake_timeout});
  advance(number);
} catch (const std::bad_alloc&) { // the socket is closed
}

void Door::Loop::advance(Number number) {
  auto& stranger = strangers_.at(number);
  switch (const auto state = stranger.wire->handshake()) {
  case net::WireState::ready:
    return admit(number);
  case net::WireState::wants_read:
  case net::WireState::wants_write:
    return watch(stranger.wire->socket().get(), number,
                 state == net::WireState::wants_read ? EPOLLIN : EPOLLOUT, stranger.events);
  case net::WireState::ended:
    return refuse(number, "it closed the connection");
  case net::WireState::failed:
    return refuse(number, std::string{stranger.wire->problem()});
  }
}

void Door::Loop::admit(Number number) {
  std::array<int, 2> pair{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0) {
    tell(Kind::no_descriptors, strangers_.at(number).peer, {},
         "the process has no descriptors left to connect it with CAF");
    return refuse(number, "no descriptor is left");
  }
  net::Descriptor own{pair[0]};
  net::Descriptor caf{pair[1]};
  const auto gate = strangers_.at(number).gate;
  try {
    const auto admit = gate->admit; // a copy: the gate may be closed meanwhile
    admit(std::move(caf), gate->port);
  } catch (const std::exception& exception) {
    return refuse(number, std::string{"this node failed: "} + exception.what());
  }
  auto stranger = std::move(strangers_.at(number));
  strangers_.erase(number);
  if (tls_)
    gate->strangers.erase(number);
  std::uint32_t none = 0;
  watch(stranger.wire->socket().get(), number, none, stranger.events);
  add(
    number,
    Joined{gate,
           Link{std::move(stranger.wire), std::move(own), Speaker::client, options_.max_frame, {}},
           std::move(stranger.peer), stranger.due});
}

void Door::Loop::refuse(Number number, const std::string& why) {
  if (joined_.contains(number))
    return end(number, Kind::refused, why);
  const auto found = strangers_.find(number);
  const auto stranger = std::move(found->second);
  strangers_.erase(found);
  leave_gate(stranger.gate, number);
  tell(Kind::refused, stranger.peer, stranger.wire->subject(), why);
}

// -- those who were admitted --------------------------------------------------------

void Door::Loop::add(Number number, Joined joined) {
  joined_.emplace(number, std::move(joined));
  limited_.insert(number);
  move(number);
}

void Door::Loop::move(Number number) {
  const auto found = joined_.find(number);
  if (found == joined_.end())
    return;
  auto& joined = found->second;
  const auto state = joined.link.move();
  if (!joined.is_connected && joined.link.has_handshake()) {
    joined.is_connected = true;
    limited_.erase(number);
    if (joined.gate)
      joined.gate->strangers.erase(number);
    tell(Kind::connected, joined.peer, joined.link.subject(), {});
  }
  if (state == Link::State::over) {
    const auto kind = joined.link.is_broken_off() ? Kind::broken_off
                      : joined.is_connected       ? Kind::ended
                                                  : Kind::refused;
    return end(number, kind, std::string{joined.link.problem()});
  }
  if (joined.link.is_ending() && !joined.is_ending) {
    joined.is_ending = true;
    limited_.insert(number);
    joined.due = Clock::now() + patience_at_end;
  }
  watch(joined.link.wire_descriptor(), number, joined.link.wire_events(), joined.wire_events);
  watch(joined.link.caf_descriptor(), number, joined.link.caf_events(), joined.caf_events);
  if (state == Link::State::busy)
    busy_.insert(number);
}

void Door::Loop::end(Number number, Kind kind, const std::string& why) {
  const auto found = joined_.find(number);
  const auto joined = std::move(found->second);
  joined_.erase(found);
  busy_.erase(number);
  limited_.erase(number);
  if (joined.gate)
    leave_gate(joined.gate, number);
  tell(kind, joined.peer, joined.link.subject(), why);
}

void Door::Loop::leave_gate(const GatePtr& gate, Number number) {
  gate->strangers.erase(number);
  --gate->connections;
}

} // namespace backoff_actor::door
