#pragma once

#include "common/becomes_true.hpp"
#include "common/certificates.hpp"
#include "common/frames.hpp"
#include "common/tcp_stream.hpp"

#include <backoff_actor/caf/door/internal/door.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::door {

using namespace std::chrono_literals;
using namespace test;
using ::testing::HasSubstr;
using Kind = NetworkEvent::Kind;
using Ending = TcpStream::Ending;

/// Gives nobody up: a busy machine is no failure.
inline constexpr GateOptions patient_gate{.handshake_timeout = 1h};

/// What a door has told.
class Events {
public:
  NetworkEventHook hook() {
    return [this](const NetworkEvent& event) {
      const std::lock_guard lock{mutex_};
      list_.push_back(event);
    };
  }

  std::size_t count(Kind kind) const {
    const std::lock_guard lock{mutex_};
    std::size_t result = 0;
    for (const auto& x : list_)
      result += x.kind == kind ? 1 : 0;
    return result;
  }

  /// Waits for an event of that kind, and returns the last one; an empty one if none comes.
  NetworkEvent last(Kind kind) const {
    becomes_true([&] { return count(kind) != 0; });
    const std::lock_guard lock{mutex_};
    for (auto x = list_.rbegin(); x != list_.rend(); ++x)
      if (x->kind == kind)
        return *x;
    return {kind, {}, {}, "there was no such event"};
  }

  /// Waits until as many have come.
  // The text of the last event of this kind about this node; waits for it.
  std::string text_about(Kind kind, const std::string& subject) const {
    std::string result = "there was no such event";
    becomes_true([&] {
      const std::lock_guard lock{mutex_};
      for (const auto& x : list_)
        if (x.kind == kind && x.subject == subject)
          result = x.text;
      return result != "there was no such event";
    });
    return result;
  }

  bool has(Kind kind, std::size_t expected) const {
    return becomes_true([&] { return count(kind) >= expected; }) && count(kind) == expected;
  }

private:
  mutable std::mutex mutex_;
  std::vector<NetworkEvent> list_;
};

/// The ends of connections that CAF would have.
class Ends {
public:
  Door::Admit admit() {
    return [this, held = held_](net::Descriptor caf, std::uint16_t) {
      const std::lock_guard lock{mutex_};
      list_.emplace_back(std::move(caf));
    };
  }

  /// Whether a function that `admit` has returned is still there.
  bool is_admit_kept() const { return held_.use_count() > 1; }

  std::size_t count() const {
    const std::lock_guard lock{mutex_};
    return list_.size();
  }

  /// Waits for the next one, and takes it; none if none comes.
  TcpStream take() {
    becomes_true([&] { return count() != 0; });
    const std::lock_guard lock{mutex_};
    if (list_.empty())
      return {};
    auto result = std::move(list_.front());
    list_.pop_front();
    return result;
  }

private:
  mutable std::mutex mutex_;
  std::deque<TcpStream> list_;
  std::shared_ptr<int> held_ = std::make_shared<int>(); // by each function that `admit` returns
};

/// Moves all of `bytes` over the wire, or to the end of the connection; not if that takes too long.
inline bool send_all(net::Wire& wire, std::string_view bytes) {
  const net::Patience until{net::Clock::now() + patience};
  while (!bytes.empty()) {
    const auto moved = wire.write(std::as_bytes(std::span{bytes}));
    if (moved.state == net::WireState::ready)
      bytes.remove_prefix(moved.count);
    else if (moved.state == net::WireState::ended || moved.state == net::WireState::failed
             || net::wait_for(wire.socket(),
                              moved.state == net::WireState::wants_read ? POLLIN : POLLOUT, until)
                  != net::Wait::done)
      return false;
  }
  return true;
}

/// What has come over a wire, and how that ended.
struct Come {
  std::string bytes;
  net::WireState state; ///< `wants_read`: no more came
};

inline Come receive(net::Wire& wire, std::size_t count,
                    std::chrono::milliseconds limit = patience) {
  const net::Patience until{net::Clock::now() + limit};
  Come result{{}, net::WireState::ready};
  std::vector<std::byte> buffer(65'536);
  while (result.bytes.size() < count) {
    const auto moved =
      wire.read(std::span{buffer}.first(std::min(buffer.size(), count - result.bytes.size())));
    result.bytes.append(reinterpret_cast<const char*>(buffer.data()), moved.count);
    result.state = moved.state;
    if (moved.state == net::WireState::ended || moved.state == net::WireState::failed)
      break;
    if (moved.state != net::WireState::ready
        && net::wait_for(wire.socket(),
                         moved.state == net::WireState::wants_write ? POLLOUT : POLLIN, until)
             != net::Wait::done)
      break;
  }
  return result;
}

/// Goes through the handshake of a wire, to its end, or as long as a test waits.
inline net::WireState shake_hands(net::Wire& wire) {
  const net::Patience until{net::Clock::now() + patience};
  for (;;) {
    const auto state = wire.handshake();
    if ((state != net::WireState::wants_read && state != net::WireState::wants_write)
        || net::wait_for(wire.socket(), state == net::WireState::wants_read ? POLLIN : POLLOUT,
                         until)
             != net::Wait::done)
      return state;
  }
}

inline net::Descriptor connect_to(std::uint16_t port) {
  return net::connect(net::loopback(port), {net::Clock::now() + patience}).socket;
}

} // namespace backoff_actor::door
