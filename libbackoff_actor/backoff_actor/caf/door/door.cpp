#include "backoff_actor/caf/door/internal/door.hpp"

#include "backoff_actor/caf/door/internal/door_loop.hpp"

#include <utility>

namespace backoff_actor::door {

Door::Door(DoorOptions options) : loop_(std::make_shared<Loop>(std::move(options))) {}

Door::~Door() = default;

Door::Gate Door::open(const net::Address& address, GateOptions options, Admit admit) {
  return loop_->open(address, options, std::move(admit));
}

void Door::close(std::uint64_t gate) { loop_->close(gate); }

std::unique_ptr<net::Wire> Door::wire_to(net::Descriptor socket, const std::string& host) const {
  return loop_->wire_on(std::move(socket), net::TlsSession::Role::connects, loop_->names_for(host));
}

net::Descriptor Door::join(std::unique_ptr<net::Wire> wire, std::span<const std::byte> greeting) {
  return loop_->join(std::move(wire), greeting);
}

const DoorOptions& Door::options() const { return loop_->options(); }

} // namespace backoff_actor::door
