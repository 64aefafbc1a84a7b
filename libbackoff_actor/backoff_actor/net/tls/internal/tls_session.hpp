#pragma once

#include "backoff_actor/net/internal/wire.hpp"
#include "backoff_actor/net/tls/internal/peer_certificate.hpp"
#include "backoff_actor/net/tls/internal/tls_context.hpp"

#include <openssl/x509.h>
#include <string>
#include <vector>

namespace backoff_actor::net {

/// TLS on a connected socket.
class BACKOFF_ACTOR_EXPORT TlsSession final : public Wire {
public:
  /// Which side this node is on.
  enum class Role : std::uint8_t { connects, accepts };

  /// `names`: the other node's certificate must be made for one of these names or numeric
  /// addresses. Empty: any certificate of the authority is right.
  TlsSession(const TlsContext& context, Descriptor socket, Role role,
             std::vector<std::string> names);

  WireState handshake() override;
  Moved read(std::span<std::byte> bytes) override;
  Moved write(std::span<const std::byte> bytes) override;
  void say_end() override;
  const std::string& subject() const override { return subject_; }

  /// Is called by OpenSSL for each certificate of the other node, whose own has depth 0.
  static int on_certificate(int is_right, X509_STORE_CTX* store);

private:
  WireState state_after(int result);
  bool check_certificate(bool is_right, X509_STORE_CTX* store);
  std::string closed_text() const;
  std::string failure() const;

  SslPtr ssl_;
  WantedCertificate wanted_;
  std::string subject_;
  std::string certificate_problem_; // of the other node's certificate
};

} // namespace backoff_actor::net
