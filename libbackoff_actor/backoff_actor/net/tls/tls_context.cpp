#include "backoff_actor/net/tls/internal/tls_context.hpp"

#include "backoff_actor/net/tls/internal/tls_session.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <openssl/err.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace backoff_actor::net {

namespace {

// Bytes of the certificates that a peer may send, which take memory before it is known.
constexpr long largest_certificates = 32'768;

// What differs if a file was replaced, or written to.
std::string stamp_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0)
    return "none ";
  std::string result;
  for (const auto part :
       {static_cast<long long>(about.st_dev),
        static_cast<long long>(about.st_ino), //
        static_cast<long long>(about.st_size), static_cast<long long>(about.st_mtim.tv_sec),
        static_cast<long long>(about.st_mtim.tv_nsec)})
    result.append(std::to_string(part)).append(" ");
  return result;
}

std::string stamps_of(const Tls& tls) {
  return stamp_of(tls.certificate) + stamp_of(tls.key) + stamp_of(tls.authority);
}

// Why a file cannot be opened; empty if it can.
std::string file_problem(const std::string& path) {
  if (path.empty())
    return "the path of a file";
  const auto file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return "a file that can be read: " + std::generic_category().message(errno);
  close(file);
  return {};
}

// The oldest error of OpenSSL, which is the cause of the later ones. Removes all.
std::string openssl_error() {
  const auto* const reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown error";
}

int no_passphrase(char*, int, int, void*) { return -1; }

struct Loaded {
  SslContextPtr context;
  Problems problems{"Tls"};
};

Loaded load(const Tls& tls, TlsPeers peers) {
  Loaded result;
  // A web server may have an authority for its clients, and they a certificate for it.
  const auto verifies = peers != TlsPeers::clients || !tls.authority.empty();
  const auto has_authority = peers == TlsPeers::nodes || !tls.authority.empty();
  const auto shows_one = peers != TlsPeers::server || !tls.certificate.empty() || !tls.key.empty();
  const auto check_file = [&](const char* field, const std::string& path) {
    if (const auto problem = file_problem(path); !problem.empty())
      result.problems.add(field, '"' + path + '"', problem);
  };
  if (shows_one) {
    check_file("certificate", tls.certificate);
    check_file("key", tls.key);
  }
  if (has_authority)
    check_file("authority", tls.authority);
  else if (!verifies && !tls.names.empty())
    result.problems.add("names", std::to_string(tls.names.size()) + " names",
                        "none, because without an authority clients show no certificate");
  for (std::size_t i = 0; i != tls.names.size(); ++i)
    if (tls.names[i].empty())
      result.problems.add("names[" + std::to_string(i) + "]", "\"\"", "a name or an address");
  if (!result.problems.empty())
    return result;

  ERR_clear_error();
  result.context.reset(SSL_CTX_new(TLS_method()));
  auto* const context = result.context.get();
  if (context == nullptr)
    throw std::bad_alloc{};
  SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0); // each connection proves anew who it is
  SSL_CTX_set_max_cert_list(context, largest_certificates);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
                              | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (verifies)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       TlsSession::on_certificate);

  const auto add = [&](const char* field, const std::string& path, const char* allowed) {
    result.problems.add(field, '"' + path + '"', std::string{allowed} + ": " + openssl_error());
  };
  const auto has_certificate =
    shows_one && SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str()) == 1;
  if (shows_one && !has_certificate)
    add("certificate", tls.certificate, "a certificate in PEM format");
  // Checks that it fits the certificate, if there is one.
  if (shows_one && SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM) != 1)
    add("key", tls.key,
        has_certificate ? "the certificate's key in PEM format, without a passphrase"
                        : "a key in PEM format, without a passphrase");
  if (has_authority && SSL_CTX_load_verify_locations(context, tls.authority.c_str(), nullptr) != 1)
    add("authority", tls.authority, "certificates in PEM format");
  if (verifies && !has_authority)
    SSL_CTX_set_default_verify_paths(context);
  ERR_clear_error();
  return result;
}

} // namespace

TlsContext::TlsContext(Tls tls, TlsPeers peers)
  : tls_(std::move(tls)), peers_(peers), stamps_(stamps_of(tls_)) {
  auto loaded = load(tls_, peers_);
  loaded.problems.raise_if_any();
  context_ = std::move(loaded.context);
}

std::optional<TlsContext::Reread> TlsContext::refresh(Clock::time_point now) {
  const std::lock_guard lock{mutex_};
  if (now - looked_at_ < std::chrono::seconds{1})
    return std::nullopt;
  looked_at_ = now;
  auto stamps = stamps_of(tls_);
  if (stamps == stamps_)
    return std::nullopt;
  stamps_ = std::move(stamps);
  auto loaded = load(tls_, peers_);
  if (!loaded.problems.empty()) {
    // One line: an event has no more.
    std::string problem;
    for (const auto& x : loaded.problems.list())
      problem.append(problem.empty() ? "" : "; ")
        .append(x.field)
        .append(": got ")
        .append(x.given)
        .append(", allowed ")
        .append(x.allowed);
    return Reread{std::move(problem)};
  }
  context_ = std::move(loaded.context);
  return Reread{};
}

Problems check_tls(const Tls& tls, TlsPeers peers) { return load(tls, peers).problems; }

SslPtr TlsContext::new_session() const {
  const std::lock_guard lock{mutex_};
  SslPtr result{SSL_new(context_.get())};
  if (!result)
    throw std::bad_alloc{};
  return result;
}

} // namespace backoff_actor::net

namespace backoff_actor {

Problems check(const Tls& tls) { return net::check_tls(tls, net::TlsPeers::nodes); }

} // namespace backoff_actor
