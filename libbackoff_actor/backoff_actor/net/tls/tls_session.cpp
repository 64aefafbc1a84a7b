#include "backoff_actor/net/tls/internal/tls_session.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <new>
#include <openssl/err.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace backoff_actor::net {

namespace {

int as_count(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

// What OpenSSL says of a handshake, in our words where there is more to say.
std::string reason_text(unsigned long error) {
  if (ERR_GET_LIB(error) == ERR_LIB_SSL) {
    switch (ERR_GET_REASON(error)) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it has shown no certificate";
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_UNEXPECTED_MESSAGE:
      return "it does not speak TLS";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "it does not speak TLS 1.3";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return "it refused this node's certificate: its authority has not signed it";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "it refused this node's certificate: it has expired or is not valid yet, "
             "or a clock is wrong";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
      return "it refused this node's certificate: it was made for none of the names "
             "that may connect, or is damaged";
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return "it refused this node's certificate: it was not made for both servers and clients";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
      return "it refused this node's certificate";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "it wants a certificate";
    default:
      break;
    }
  }
  const auto* const reason = ERR_reason_error_string(error);
  return std::string{"TLS failed: "} + (reason != nullptr ? reason : "unknown error");
}

} // namespace

TlsSession::TlsSession(const TlsContext& context, Descriptor socket, Role role,
                       std::vector<std::string> names)
  : Wire(std::move(socket)),
    ssl_(context.new_session()), wanted_{std::move(names), "this node's authority",
                                         context.peers() == TlsPeers::nodes
                                           ? "both servers and clients"
                                           : "clients"} {
  SSL_set_app_data(ssl_.get(), this);
  if (SSL_set_fd(ssl_.get(), this->socket().get()) != 1)
    throw std::bad_alloc{};
  if (role == Role::accepts)
    SSL_set_accept_state(ssl_.get());
  else
    SSL_set_connect_state(ssl_.get());
}

WireState TlsSession::handshake() {
  ERR_clear_error();
  return state_after(SSL_do_handshake(ssl_.get()));
}

Moved TlsSession::read(std::span<std::byte> bytes) {
  ERR_clear_error();
  const auto count = SSL_read(ssl_.get(), bytes.data(), as_count(bytes.size()));
  if (count > 0)
    return {WireState::ready, static_cast<std::size_t>(count)};
  return {state_after(count)};
}

Moved TlsSession::write(std::span<const std::byte> bytes) {
  ERR_clear_error();
  const auto count = SSL_write(ssl_.get(), bytes.data(), as_count(bytes.size()));
  if (count > 0)
    return {WireState::ready, static_cast<std::size_t>(count)};
  return {state_after(count)};
}

void TlsSession::say_end() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_.get()) != 1 || SSL_shutdown(ssl_.get()) < 0)
    shutdown(socket().get(), SHUT_WR); // without a word of TLS, but not without an end
  ERR_clear_error();
}

WireState TlsSession::state_after(int result) {
  if (result > 0)
    return WireState::ready;
  const auto system_error = errno;
  switch (SSL_get_error(ssl_.get(), result)) {
  case SSL_ERROR_WANT_READ:
    return WireState::wants_read;
  case SSL_ERROR_WANT_WRITE:
    return WireState::wants_write;
  case SSL_ERROR_ZERO_RETURN:
    return WireState::ended;
  case SSL_ERROR_SYSCALL:
    set_problem(system_error == 0 || system_error == ECONNRESET
                  ? closed_text()
                  : std::generic_category().message(system_error));
    break;
  default:
    set_problem(failure());
  }
  ERR_clear_error();
  return WireState::failed;
}

// The other node has closed the connection without a word of TLS.
std::string TlsSession::closed_text() const {
  return SSL_is_init_finished(ssl_.get()) == 1
           ? "it closed the connection"
           : "it closed the connection in the handshake of TLS: it may have none";
}

std::string TlsSession::failure() const {
  if (!certificate_problem_.empty())
    return certificate_problem_;
  const auto error = ERR_peek_error();
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
  if (ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
    return closed_text();
#endif
  return reason_text(error);
}

int TlsSession::on_certificate(int is_right, X509_STORE_CTX* store) {
  auto* const ssl =
    static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const session = static_cast<TlsSession*>(SSL_get_app_data(ssl));
  return session->check_certificate(is_right == 1, store) ? 1 : 0;
}

bool TlsSession::check_certificate(bool is_right, X509_STORE_CTX* store) {
  if (subject_.empty())
    subject_ = text_of(X509_get_subject_name(X509_STORE_CTX_get0_cert(store)));
  certificate_problem_ = certificate_problem(is_right, store, wanted_);
  return certificate_problem_.empty();
}

} // namespace backoff_actor::net
