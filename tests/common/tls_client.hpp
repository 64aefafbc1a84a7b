#pragma once

#include <backoff_actor/net/internal/socket.hpp>

#include "common/patience.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace backoff_actor::test {

/// A client of OpenSSL alone at a port of 127.0.0.1, which does what it likes.
class TlsClient {
public:
  using Prepare = std::function<void(SSL_CTX*)>;

  TlsClient(std::uint16_t port, const Prepare& prepare)
    : socket_(net::connect(net::loopback(port), {net::Clock::now() + test::patience}).socket),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    SSL_CTX_set_security_level(context_.get(), 0);
    prepare(context_.get());
    ssl_.reset(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(ssl_.get(), socket_.get());
  }

  /// Lets the system keep no more than about so much that was not received.
  void keep_unread(int bytes) const {
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  }

  /// Whether a handshake succeeds, as far as the client can tell: with TLS 1.3, the server may
  /// refuse it later.
  bool shakes_hands(std::chrono::milliseconds limit = test::patience) {
    const net::Patience until{net::Clock::now() + limit};
    for (;;) {
      ERR_clear_error();
      const auto result = SSL_connect(ssl_.get());
      if (result == 1)
        return true;
      if (!waits(result, until))
        return false;
    }
  }

  /// Returns whether all was sent.
  bool send(std::string_view bytes) {
    const net::Patience until{net::Clock::now() + test::patience};
    for (;;) {
      ERR_clear_error();
      const auto result = SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (result == static_cast<int>(bytes.size()))
        return true;
      if (!waits(result, until))
        return false;
    }
  }

  /// Waits until `wanted` has come, or the end. Returns all that came in this call.
  std::string receive_until(std::string_view wanted) {
    const net::Patience until{net::Clock::now() + test::patience};
    std::string result;
    std::string bytes(65'536, '\0');
    while (wanted.empty() || result.find(wanted) == result.npos) {
      ERR_clear_error();
      const auto count = SSL_read(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count > 0)
        result.append(bytes, 0, static_cast<std::size_t>(count));
      else if (!waits(count, until))
        break;
    }
    return result;
  }

  /// Why the last call has failed, as OpenSSL says it; empty: it has not, or the server has ended
  /// the connection in order.
  const std::string& problem() const { return problem_; }

  SSL* ssl() const { return ssl_.get(); }

private:
  // Whether the call can be made again.
  bool waits(int result, const net::Patience& until) {
    const auto error = SSL_get_error(ssl_.get(), result);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
      return net::wait_for(socket_, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until)
             == net::Wait::done;
    const auto* const reason = ERR_reason_error_string(ERR_peek_error());
    if (error != SSL_ERROR_ZERO_RETURN)
      problem_ = reason != nullptr ? reason : "the connection was broken off";
    return false;
  }

  net::Descriptor socket_;
  std::shared_ptr<SSL_CTX> context_;
  std::shared_ptr<SSL> ssl_;
  std::string problem_;
};

} // namespace backoff_actor::test
