#pragma once

// The files of `Tls`, read. Connections that were made before the files changed keep what was read
// before.

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/net/tls/tls.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <openssl/ssl.h>
#include <optional>
#include <string>
#include <vector>

namespace backoff_actor::net {

struct BACKOFF_ACTOR_EXPORT SslDeleter {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

using SslPtr = std::unique_ptr<SSL, SslDeleter>;
using SslContextPtr = std::unique_ptr<SSL_CTX, SslDeleter>;

/// Who is at the other end.
enum class TlsPeers : std::uint8_t {
  nodes,   ///< other nodes, which must prove who they are
  clients, ///< clients of a server, which must do so only if there is an authority
  server,  ///< a server, signed by the system's authorities if none is named; it may see no
           ///< certificate of this side
};

/// Returns all problems of the options.
BACKOFF_ACTOR_EXPORT Problems check_tls(const Tls& tls, TlsPeers peers);

/// Makes TLS sessions from the files of `Tls`.
///
/// @thread safe from any thread.
class BACKOFF_ACTOR_EXPORT TlsContext {
public:
  using Clock = std::chrono::steady_clock;

  /// Reads the files.
  ///
  /// @errors throws `InvalidArgument` naming the fields whose files cannot be used.
  explicit TlsContext(Tls tls, TlsPeers peers = TlsPeers::nodes);

  /// What came of looking at the files: nothing, or they were replaced. Then `problem` says why the
  /// new ones cannot be used; it is empty if they are in force.
  struct Reread {
    std::string problem;
  };

  /// Reads the files again if they have changed, and looks at them at most once a second.
  std::optional<Reread> refresh(Clock::time_point now);

  /// Returns a session that has not begun.
  ///
  /// @errors throws `std::bad_alloc`.
  SslPtr new_session() const;

  TlsPeers peers() const { return peers_; }

  /// As `Tls`.
  const std::vector<std::string>& names() const { return tls_.names; }

private:
  const Tls tls_;
  const TlsPeers peers_;
  mutable std::mutex mutex_;
  std::string stamps_; // of the files that were read last, also if in vain
  Clock::time_point looked_at_{};
  SslContextPtr context_;
};

} // namespace backoff_actor::net
