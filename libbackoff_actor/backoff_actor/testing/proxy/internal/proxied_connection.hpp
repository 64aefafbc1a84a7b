#pragma once

// Inside of the TCP proxy; not for its users. One connection through it.
//
//   client ── request: Stream ──▶ service
//   client ◀── answer: Stream ─── service
//
// Both sockets are registered with epoll once, edge-triggered: an event sets what a socket is ready
// for, and a system call that would block clears it. Data from one socket waits in the ring of its
// stream until it is due, and then goes to the other socket. When its source has come to an end, a
// stream passes this on after the last byte: an end as an end, a reset as a reset.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/proxy/internal/proxy_socket.hpp"
#include "backoff_actor/testing/proxy/tcp_proxy.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace backoff_actor::testing::detail {

using ProxyTime = std::chrono::steady_clock::time_point;

// A ring of bytes in flight, with a fixed capacity.
class BACKOFF_ACTOR_HIDDEN Ring {
public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) {}

  std::size_t size() const { return size_; }
  bool is_full() const { return size_ == capacity_; }

  // `room` is the next free bytes, `front` the next bytes to send, each as far as contiguous.
  std::span<char> room();
  std::span<const char> front() const;

  void added(std::size_t count) { size_ += count; }
  void removed(std::size_t count);
  void clear() { begin_ = size_ = 0; }

private:
  std::size_t capacity_;
  std::vector<char> bytes_; // allocated for the first data
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

class BACKOFF_ACTOR_HIDDEN ProxiedConnection {
public:
  enum class Side : std::uint8_t { client, service };

  // The state of the connection.
  enum class State : std::uint8_t {
    waits, // for an event, or until `wake_at`
    ready, // it has more work at once
    ended,
  };

  // Begins to connect to the first of the addresses. They must outlive this object.
  ProxiedConnection(std::uint64_t number, Descriptor client, const ConnectionFault& fault,
                    const std::vector<net::Address>& addresses, std::size_t buffer_bytes, int epoll,
                    ProxyTime now);

  // Notes an event of one socket, given as epoll's flags.
  void note(Side side, std::uint32_t events);

  // Does all or much of the work that is possible now.
  State go_on(ProxyTime now, TcpProxyStatistics& statistics);

  // The time at which the connection has work even without an event.
  std::optional<ProxyTime> wake_at() const { return wake_at_; }

  // Resets both sockets, which ends the connection.
  State reset_both();

  // The identifier of a socket for epoll.
  static std::uint64_t epoll_name(std::uint64_t number, Side side) {
    return number * 2 + static_cast<std::uint64_t>(side);
  }

private:
  struct Socket {
    Descriptor descriptor{};
    bool can_read = false;
    bool can_write = false;
    bool is_over = false;   // epoll says: broken, or both directions have ended
    bool is_broken = false; // a system call said: the peer has reset it
  };

  enum class Source : std::uint8_t {
    open,
    ended,     // after the last byte, the end is passed on
    broken,    // after the last byte, a reset is passed on
    exhausted, // the same, because the plan cuts the connection
  };

  // Bytes that came together, and so are due together.
  struct Batch {
    ProxyTime due;
    std::size_t bytes;
  };

  struct Stream {
    Socket& from;
    Socket& to;
    Ring bytes;
    std::deque<Batch> batches{}; // only of a slow connection
    std::uint64_t taken = 0;     // all bytes from the source so far
    Source source = Source::open;
    ProxyTime end_due{}; // when the end of the source is passed on
    bool is_done = false;
  };

  bool register_with_epoll(const Socket& socket, Side side) const;
  bool connect_to_next();
  bool connect();
  State swallow();
  bool take(Stream& stream, ProxyTime now, TcpProxyStatistics& statistics);
  void corrupt(std::span<char> fresh, TcpProxyStatistics& statistics) const;
  bool pass_on(Stream& stream, ProxyTime now, std::uint64_t& passed);
  std::size_t due_bytes(const Stream& stream, ProxyTime now);
  static void sent(Stream& stream, std::size_t count);
  bool is_to_be_reset(const Stream& stream, ProxyTime now);
  void wake_by(ProxyTime time);

  const std::uint64_t number_;
  const ConnectionFault fault_;
  const std::vector<net::Address>& addresses_;
  const int epoll_;
  const std::optional<ProxyTime> cut_at_;
  Socket client_;
  Socket service_;
  Stream request_;
  Stream answer_;
  std::size_t next_address_ = 0;
  bool has_news_of_service_ = false; // an event while the connection is being made
  bool is_connected_ = false;
  std::optional<ProxyTime> wake_at_;
};

} // namespace backoff_actor::testing::detail
