#include "backoff_actor/net/tls/internal/tls_session.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <new>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <system_error>
#include <utility>

namespace backoff_actor::net {

namespace {

int as_count(std::size_t size) { return static_cast<int>(std::min<std::size_t>(size, INT_MAX)); }

// A name of a certificate in one line, as RFC 2253 orders it, with what is no letter escaped.
std::string text_of(const X509_NAME* name) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), BIO_free};
  if (!out || name == nullptr || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_ONELINE) < 0)
    return {};
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// The names and addresses for which a certificate was made, separated by commas.
std::string names_of(X509* certificate) {
  std::string result;
  const auto add = [&](std::string_view name) {
    result.append(result.empty() ? "" : ", ").append(name);
  };
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> names{
    static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
    GENERAL_NAMES_free};
  for (int i = 0; names && i != sk_GENERAL_NAME_num(names.get()); ++i) {
    const auto* const name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      add({reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
           static_cast<std::size_t>(ASN1_STRING_length(name->d.dNSName))});
    } else if (name->type == GEN_IPADD && ASN1_STRING_length(name->d.iPAddress) == 4) {
      const auto* const bytes = ASN1_STRING_get0_data(name->d.iPAddress);
      add(std::to_string(bytes[0]) + "." + std::to_string(bytes[1]) + "." + std::to_string(bytes[2])
          + "." + std::to_string(bytes[3]));
    }
  }
  return result.empty() ? "none" : result;
}

bool is_made_for(X509* certificate, const std::string& name) {
  return X509_check_ip_asc(certificate, name.c_str(), 0) == 1
         || X509_check_host(certificate, name.data(), name.size(),
                            X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, nullptr)
              == 1;
}

std::string joined(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result.append(result.empty() ? "" : ", ").append(x);
  return result;
}

std::string time_text(const ASN1_TIME* time) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out{BIO_new(BIO_s_mem()), BIO_free};
  if (!out || time == nullptr || ASN1_TIME_print(out.get(), time) != 1)
    return "an unknown time";
  char* text = nullptr;
  const auto size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

// What is wrong with a certificate of the other node's chain.
std::string verify_problem(X509_STORE_CTX* store, TlsPeers peers) {
  auto* const certificate = X509_STORE_CTX_get_current_cert(store);
  const auto is_own = X509_STORE_CTX_get_error_depth(store) == 0;
  const std::string whose = is_own ? "its certificate" : "its authority's certificate";
  const auto error = X509_STORE_CTX_get_error(store);
  switch (error) {
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return whose + " has expired: it was valid until " + time_text(X509_get0_notAfter(certificate));
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return whose + " is not valid before " + time_text(X509_get0_notBefore(certificate))
           + ": compare the clocks of both machines";
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    return "its certificate was not signed by this node's authority, but by "
           + text_of(X509_get_issuer_name(certificate));
  case X509_V_ERR_INVALID_PURPOSE:
    return whose
           + (peers == TlsPeers::nodes ? " was not made for both servers and clients"
                                       : " was not made for clients");
  default:
    return whose + " is not right: " + X509_verify_cert_error_string(error);
  }
}

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
  : Wire(std::move(socket)), ssl_(context.new_session()), peers_(context.peers()),
    names_(std::move(names)) {
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
  if (auto* const own = X509_STORE_CTX_get0_cert(store); subject_.empty())
    subject_ = text_of(X509_get_subject_name(own));
  if (!is_right) {
    certificate_problem_ = verify_problem(store, peers_);
    return false;
  }
  if (X509_STORE_CTX_get_error_depth(store) != 0 || names_.empty())
    return true;
  auto* const certificate = X509_STORE_CTX_get_current_cert(store);
  if (std::ranges::any_of(names_, [&](const auto& x) { return is_made_for(certificate, x); }))
    return true;
  certificate_problem_ =
    "its certificate was made for " + names_of(certificate) + ", not for " + joined(names_);
  X509_STORE_CTX_set_error(store, X509_V_ERR_HOSTNAME_MISMATCH);
  return false;
}

} // namespace backoff_actor::net
