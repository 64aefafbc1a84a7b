#pragma once

#include <backoff_actor/net/internal/socket.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <openssl/ssl.h>
#include <poll.h>

namespace backoff_actor::test {

/// A client of OpenSSL alone at a port of 127.0.0.1, which does what it likes.
class TlsClient {
public:
  using Prepare = std::function<void(SSL_CTX*)>;

  TlsClient(std::uint16_t port, const Prepare& prepare)
    : socket_(
      net::connect(net::loopback(port), {net::Clock::now() + std::chrono::seconds{10}}).socket),
      context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    SSL_CTX_set_security_level(context_.get(), 0);
    prepare(context_.get());
    ssl_.reset(SSL_new(context_.get()), SSL_free);
    SSL_set_fd(ssl_.get(), socket_.get());
  }

  /// Whether a handshake succeeds, as far as the client can tell: with TLS 1.3, the server may
  /// refuse it later.
  bool shakes_hands(std::chrono::milliseconds limit = std::chrono::seconds{10}) {
    const net::Patience patience{net::Clock::now() + limit};
    for (;;) {
      const auto result = SSL_connect(ssl_.get());
      if (result == 1)
        return true;
      const auto error = SSL_get_error(ssl_.get(), result);
      if ((error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
          || net::wait_for(socket_, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, patience)
               != net::Wait::done)
        return false;
    }
  }

  SSL* ssl() const { return ssl_.get(); }

private:
  net::Descriptor socket_;
  std::shared_ptr<SSL_CTX> context_;
  std::shared_ptr<SSL> ssl_;
};

} // namespace backoff_actor::test
