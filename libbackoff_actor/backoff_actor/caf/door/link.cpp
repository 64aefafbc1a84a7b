#include "backoff_actor/caf/door/internal/link.hpp"

#include <algorithm>
#include <cerrno>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <utility>

namespace backoff_actor::door {

namespace {

// After so many rounds others have their turn: at most 256 KiB in each direction.
constexpr int most_rounds = 4;

Speaker other(Speaker speaker) {
  return speaker == Speaker::client ? Speaker::server : Speaker::client;
}

} // namespace

void Link::Way::added(std::size_t count) {
  bytes.added(count);
  passed_count += check.pass(bytes.content().subspan(passed_count));
}

void Link::Way::removed(std::size_t count) {
  bytes.remove(count);
  passed_count -= count;
}

Link::Link(std::unique_ptr<net::Wire> wire, net::Descriptor caf, Speaker peer,
           std::uint32_t max_frame, std::span<const std::byte> greeting)
  : wire_(std::move(wire)), caf_(std::move(caf)), in_(peer, max_frame),
    out_(other(peer), max_frame) {
  if (greeting.empty())
    return;
  const auto room = in_.bytes.room();
  const auto count = std::min(room.size(), greeting.size());
  std::copy_n(greeting.begin(), count, room.begin());
  in_.added(count);
}

Link::State Link::move() {
  wire_wants_write_ = false;
  for (int round = 0; round != most_rounds; ++round) {
    bool has_moved = take_from_wire();
    has_moved |= give_to_caf();
    has_moved |= take_from_caf();
    has_moved |= give_to_wire();
    if (!in_.check.problem().empty())
      break_off(in_, "it ");
    else if (!out_.check.problem().empty())
      break_off(out_, "this node ");
    else if (wire_has_ended_ && in_.passed_count == 0)
      is_over_ = true;
    if (is_over_)
      return State::over;
    if (!has_moved)
      return State::waiting;
  }
  return State::busy;
}

void Link::break_off(const Way& way, const char* who) {
  problem_ = who + way.check.problem();
  is_broken_off_ = true;
  is_over_ = true;
}

bool Link::has_passed_all() const {
  int unacknowledged = 0;
  return has_said_end_ && ioctl(wire_descriptor(), SIOCOUTQ, &unacknowledged) == 0
         && unacknowledged == 0;
}

std::uint32_t Link::wire_events() const {
  if (wire_has_ended_)
    return 0;
  const auto reads = has_said_end_ || (!in_.bytes.is_full() && !caf_has_closed_);
  return (reads ? EPOLLIN : 0u) | (wire_wants_write_ ? EPOLLOUT : 0u);
}

std::uint32_t Link::caf_events() const {
  if (caf_has_ended_)
    return 0;
  const auto reads = !out_.bytes.is_full() && !wire_has_ended_;
  if (caf_has_closed_)
    return reads ? EPOLLIN : 0u;
  return EPOLLRDHUP | (reads ? EPOLLIN : 0u) | (in_.passed_count != 0 ? EPOLLOUT : 0u);
}

void Link::note(net::WireState state) {
  switch (state) {
  case net::WireState::ready:
  case net::WireState::wants_read:
    break;
  case net::WireState::wants_write:
    wire_wants_write_ = true;
    break;
  case net::WireState::ended:
    wire_has_ended_ = true;
    break;
  case net::WireState::failed:
    // What has come before may still be for CAF.
    wire_has_ended_ = true;
    problem_ = wire_->problem();
    break;
  }
}

bool Link::take_from_wire() {
  if (wire_has_ended_ || in_.bytes.is_full() || !in_.check.problem().empty())
    return false;
  const auto moved = wire_->read(in_.bytes.room());
  note(moved.state);
  if (moved.state != net::WireState::ready)
    return wire_has_ended_;
  if (caf_has_closed_) // nobody wants it
    return true;
  in_.added(moved.count);
  return true;
}

bool Link::give_to_caf() {
  if (in_.passed_count == 0)
    return false;
  if (caf_has_closed_) {
    in_.removed(in_.passed_count);
    return true;
  }
  const auto bytes = in_.passed();
  const auto count = send(caf_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count >= 0) {
    in_.removed(static_cast<std::size_t>(count));
    return count > 0;
  }
  if (errno == EAGAIN || errno == EINTR)
    return errno == EINTR;
  caf_has_closed_ = true;
  return true;
}

// While the node does not read, nothing is read from CAF either, so that its end would not be
// noticed.
void Link::see_whether_caf_has_closed() {
  pollfd caf{caf_.get(), POLLRDHUP, 0};
  if (!caf_has_closed_ && poll(&caf, 1, 0) > 0)
    caf_has_closed_ = true;
}

bool Link::take_from_caf() {
  if (caf_has_ended_ || wire_has_ended_ || !out_.check.problem().empty())
    return false;
  if (out_.bytes.is_full()) {
    see_whether_caf_has_closed();
    return false;
  }
  const auto room = out_.bytes.room();
  const auto count = recv(caf_.get(), room.data(), room.size(), MSG_DONTWAIT);
  if (count > 0) {
    out_.added(static_cast<std::size_t>(count));
    return true;
  }
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return errno == EINTR;
  caf_has_closed_ = caf_has_ended_ = true;
  return true;
}

bool Link::give_to_wire() {
  if (wire_has_ended_)
    return false;
  if (out_.passed_count == 0) {
    if (!caf_has_ended_ || has_said_end_)
      return false;
    // To close now would be to reset the connection if something comes from the node, and what the
    // kernel has not sent yet would be lost.
    wire_->say_end();
    has_said_end_ = true;
    return true;
  }
  const auto moved = wire_->write(out_.passed());
  note(moved.state);
  if (moved.state != net::WireState::ready)
    return wire_has_ended_;
  out_.removed(moved.count);
  return moved.count > 0;
}

} // namespace backoff_actor::door
