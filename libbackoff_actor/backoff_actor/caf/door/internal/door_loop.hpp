#pragma once

#include "backoff_actor/caf/door/internal/door.hpp"
#include "backoff_actor/caf/door/internal/link.hpp"
#include "backoff_actor/net/internal/signal.hpp"
#include "backoff_actor/net/tls/internal/tls_session.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace backoff_actor::door {

/// A door's thread, and all that is its own.
///
/// A connection is a stranger while it must prove itself by TLS. Then it is admitted: CAF has its
/// end, and the link is expected to bring CAF's handshake. Without TLS it is admitted at once, but
/// counts as a stranger until that handshake has come.
class BACKOFF_ACTOR_HIDDEN Door::Loop {
public:
  using Clock = net::Clock;

  explicit Loop(DoorOptions options);
  ~Loop();

  const DoorOptions& options() const { return options_; }

  /// Has the thread call this soon; it must not throw.
  void run_soon(std::function<void()> command);
  bool is_own_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

  Gate open(const net::Address& address, GateOptions options, Admit admit);
  void close(std::uint64_t number);
  std::unique_ptr<net::Wire> wire_on(net::Descriptor socket, net::TlsSession::Role role,
                                     std::vector<std::string> names);
  net::Descriptor join(std::unique_ptr<net::Wire> wire, std::span<const std::byte> greeting);
  std::vector<std::string> names_for(const std::string& host) const;

private:
  using Number = std::uint64_t; // of a gate or a connection; the older, the lower
  using Kind = NetworkEvent::Kind;

  struct OpenGate {
    net::Descriptor socket;
    std::uint16_t port;
    GateOptions options;
    Admit admit;
    std::set<Number> strangers{};
    std::uint32_t connections = 0; // strangers and others
  };
  using GatePtr = std::shared_ptr<OpenGate>;

  struct Stranger {
    GatePtr gate;
    std::unique_ptr<net::Wire> wire;
    std::string peer;
    Clock::time_point due;    // when it must have proved itself, and sent CAF's handshake
    std::uint32_t events = 0; // that epoll waits for
  };

  struct Joined {
    GatePtr gate; // none: this node has connected
    Link link;
    std::string peer;
    Clock::time_point due;     // of CAF's handshake, or of the end if that has begun
    bool is_connected = false; // CAF's handshake has come
    bool is_ending = false;    // CAF has closed it
    std::uint32_t wire_events = 0;
    std::uint32_t caf_events = 0;
  };

  void run();
  int time_to_wait() const; // milliseconds; negative: for ever
  void run_commands();
  void handle(Number number);
  void end_after_pause(Clock::duration pause);
  void end_what_is_due(Clock::time_point now);

  void accept_some(const GatePtr& gate);
  void refuse_without_descriptor(const OpenGate& gate);
  void take_stranger(const GatePtr& gate, net::Arrival arrival);
  void advance(Number number);
  void admit(Number number);
  void refuse(Number number, const std::string& why);

  void add(Number number, Joined joined);
  void move(Number number);
  void end(Number number, Kind kind, const std::string& why);
  void leave_gate(const GatePtr& gate, Number number);

  void watch(int descriptor, Number number, std::uint32_t wanted, std::uint32_t& current);
  void tell(Kind kind, const std::string& peer, const std::string& subject,
            const std::string& text) const noexcept;

  const DoorOptions options_;
  std::unique_ptr<net::TlsContext> tls_;
  net::Descriptor epoll_;
  net::Descriptor spare_; // given up for a moment when no other descriptor is left
  net::Signal has_commands_;

  detail::Mutex mutex_;
  std::vector<std::function<void()>> commands_ BACKOFF_ACTOR_GUARDED_BY(mutex_);

  // Of the thread alone:
  Number last_ = 0;
  std::unordered_map<Number, GatePtr> gates_;
  std::map<Number, Stranger> strangers_;
  std::unordered_map<Number, Joined> joined_;
  std::set<Number> busy_;    // that have more to move
  std::set<Number> limited_; // joined, whose `due` counts: not connected yet, or ending
  bool is_over_ = false;

  std::thread thread_;
};

} // namespace backoff_actor::door
