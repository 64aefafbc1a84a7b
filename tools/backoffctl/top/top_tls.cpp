#include "top_source.hpp"

#include "backoffctl/common/flag_values.hpp"

#include "backoff_actor/net/internal/socket.hpp"
#include "backoff_actor/net/tls/internal/peer_certificate.hpp"
#include "backoff_actor/net/tls/internal/tls_context.hpp"

#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cerrno>
#include <memory>
#include <netdb.h>
#include <new>

namespace backoffctl {

namespace {

namespace net = backoff_actor::net;

constexpr auto closed_in_handshake =
  "it closed the connection in the handshake of TLS; if it has none, begin with http";

// What all connections have in common.
struct TopTls {
  net::TlsContext context;
  net::WantedCertificate wanted;
  std::string certificate; // the file of the own one; empty: none
};

// What a connection belongs to, and where its problem goes.
const TopTls& tls_of(const SSL* ssl) {
  return *static_cast<const TopTls*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}
std::string& tls_problem_of(const SSL* ssl) {
  return *static_cast<std::string*>(SSL_get_app_data(ssl));
}

// What the server has said before it ended the connection.
std::string alert_text(int alert, const std::string& certificate) {
  switch (alert) {
  case SSL_AD_CERTIFICATE_REQUIRED:
    return "it wants a certificate of its clients; give --certificate and --key";
  case SSL_AD_PROTOCOL_VERSION:
    return "it does not speak TLS 1.3";
  case SSL_AD_UNKNOWN_CA:
  case SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_UNSUPPORTED_CERTIFICATE:
    return "it refuses the certificate in " + certificate + ": "
           + SSL_alert_desc_string_long(alert);
  default:
    return std::string{"TLS failed: it says "} + SSL_alert_desc_string_long(alert);
  }
}

// Why the handshake has failed; empty: it has not, or not by TLS.
std::string handshake_text(const SSL* ssl, int result) {
  const auto system_error = errno;
  const auto error = ERR_peek_error();
  switch (SSL_get_error(ssl, result)) {
  case SSL_ERROR_SYSCALL:
    return system_error == 0 || system_error == ECONNRESET ? closed_in_handshake : "";
  case SSL_ERROR_SSL:
    break;
  default:
    return {};
  }
  switch (ERR_GET_REASON(error)) {
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
  case SSL_R_UNEXPECTED_EOF_WHILE_READING:
    return closed_in_handshake;
#endif
  case SSL_R_WRONG_VERSION_NUMBER:
  case SSL_R_PACKET_LENGTH_TOO_LONG:
  case SSL_R_UNEXPECTED_MESSAGE:
    return "it does not speak TLS; begin with http";
  case SSL_R_UNSUPPORTED_PROTOCOL:
    return "it does not speak TLS 1.3";
  default:
    break;
  }
  const auto* const reason = ERR_reason_error_string(error);
  return std::string{"TLS failed: "} + (reason ? reason : "unknown error");
}

int on_server_certificate(int is_right, X509_STORE_CTX* store) {
  const auto* const ssl = static_cast<const SSL*>(
    X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto& problem = tls_problem_of(ssl);
  problem = net::certificate_problem(is_right == 1, store, tls_of(ssl).wanted);
  return problem.empty() ? 1 : 0;
}

// OpenSSL tells each step here. The first problem is the cause of the others. libevent may end TLS
// after the call is gone, so other steps must not look at it.
void on_tls_step(const SSL* ssl, int where, int value) {
  const auto alert = value & 0xff;
  std::string text;
  if (where == SSL_CB_READ_ALERT && alert != SSL_AD_CLOSE_NOTIFY)
    text = alert_text(alert, tls_of(ssl).certificate);
  else if (where == SSL_CB_CONNECT_EXIT && value <= 0)
    text = handshake_text(ssl, value);
  if (!text.empty() && tls_problem_of(ssl).empty())
    tls_problem_of(ssl) = text;
}

bufferevent* tls_connection(event_base* base, TopTls& tls, std::string& problem) {
  auto ssl = tls.context.new_session();
  SSL_CTX_set_app_data(SSL_get_SSL_CTX(ssl.get()), &tls);
  SSL_set_app_data(ssl.get(), &problem);
  SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, on_server_certificate);
  SSL_set_info_callback(ssl.get(), on_tls_step);
  auto& host = tls.wanted.names.front();
  if (net::resolve(host, 0, AI_NUMERICHOST).addresses.empty()
      && SSL_ctrl(ssl.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, host.data())
           != 1)
    throw std::bad_alloc{};
  auto* const result = bufferevent_openssl_socket_new(
    base, -1, ssl.get(), BUFFEREVENT_SSL_CONNECTING, BEV_OPT_CLOSE_ON_FREE);
  if (!result)
    throw std::bad_alloc{};
  ssl.release(); // the connection has it
  return result;
}

} // namespace

MakeTls make_top_tls(const std::string& host, const backoff_actor::Tls& files,
                     backoff_actor::Problems& problems) {
  const auto wrong = net::check_tls(files, net::TlsPeers::server);
  for (const auto& x : wrong.list())
    problems.add("--" + x.field, quoted(x.given.substr(1, x.given.size() - 2)), x.allowed);
  if (!wrong.empty())
    return {};
  const auto signer = files.authority.empty()
                        ? "an authority that this machine knows (--authority FILE names others)"
                        : "an authority in " + files.authority;
  const std::shared_ptr<TopTls> tls{new TopTls{
    net::TlsContext{files, net::TlsPeers::server}, {{host}, signer, "servers"}, files.certificate}};
  return
    [tls](event_base* base, std::string& problem) { return tls_connection(base, *tls, problem); };
}

} // namespace backoffctl
