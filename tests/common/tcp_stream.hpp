#pragma once

#include <backoff_actor/net/internal/socket.hpp>

#include "common/patience.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace backoff_actor::test {

/// A TCP connection of a test, whose calls block, but for a limited time.
class TcpStream {
public:
  /// How a connection stands after something was received.
  enum class Ending {
    open,   ///< all that was asked for has come
    closed, ///< the peer sends no more
    reset,  ///< the peer has reset it
    silent, ///< nothing came for the time allowed
  };

  /// What came, and how it ended.
  struct Received {
    std::string bytes;
    Ending ending;
  };

  /// How long a call may take if it does not say.
  static constexpr std::chrono::milliseconds patience = test::patience;

  TcpStream() = default;
  /// Takes over a connected socket.
  explicit TcpStream(net::Descriptor socket) : socket_(std::move(socket)) {}

  /// Connects to 127.0.0.1. The kernel keeps up to about `unread_bytes` that were not received, as
  /// many as it likes if there is no number.
  ///
  /// @errors throws `std::system_error`
  static TcpStream connect(std::uint16_t port, std::optional<int> unread_bytes = {});

  /// Whether there is a connection.
  explicit operator bool() const { return bool{socket_}; }

  /// Returns whether all was sent; not if it takes too long or the connection was reset.
  bool send(std::string_view bytes, std::chrono::milliseconds limit = patience);

  /// Waits for as many bytes, or the end.
  Received receive(std::size_t count, std::chrono::milliseconds limit = patience);

  /// Waits for the end.
  Received receive_all(std::chrono::milliseconds limit = patience);

  /// Sends the end.
  void end_sending();

  /// Its destructor will close it by RST.
  void end_by_reset() { net::reset_when_closed(socket_); }

  /// Its socket.
  int get() const { return socket_.get(); }

private:
  net::Descriptor socket_;
  bool is_reset_ = false; // as sending found out: receiving would find an ordinary end
};

/// A port of 127.0.0.1 where nobody listens, for now.
inline std::uint16_t free_port() { return net::port_of(net::bind_to_loopback(0)); }

} // namespace backoff_actor::test
