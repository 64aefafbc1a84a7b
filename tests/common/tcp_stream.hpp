#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
  static constexpr std::chrono::milliseconds patience{10'000};

  TcpStream() = default;
  /// Takes over a connected socket.
  explicit TcpStream(int socket) : socket_(socket) {}
  TcpStream(TcpStream&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), is_reset_(other.is_reset_) {}
  TcpStream& operator=(TcpStream&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(is_reset_, other.is_reset_);
    return *this;
  }
  ~TcpStream();

  /// Connects to 127.0.0.1.
  ///
  /// @errors throws `std::system_error`
  static TcpStream connect(std::uint16_t port);

  /// Whether there is a connection.
  explicit operator bool() const { return socket_ >= 0; }

  /// Returns whether all was sent; not if it takes too long or the connection was reset.
  bool send(std::string_view bytes, std::chrono::milliseconds limit = patience);

  /// Waits for as many bytes, or the end.
  Received receive(std::size_t count, std::chrono::milliseconds limit = patience);

  /// Waits for the end.
  Received receive_all(std::chrono::milliseconds limit = patience);

  /// Sends the end.
  void end_sending();

  /// Its destructor will close it by RST.
  void end_by_reset();

  /// Its socket.
  int get() const { return socket_; }

private:
  bool wait_for(short events, std::chrono::steady_clock::time_point deadline) const;

  int socket_ = -1;
  bool is_reset_ = false; // as sending found out: receiving would find an ordinary end
};

/// Listens at a free port of 127.0.0.1.
///
/// @errors throws `std::system_error`
std::pair<int, std::uint16_t> listen_at_free_port();

} // namespace backoff_actor::test
