#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <string>
#include <vector>

namespace backoff_actor {

/// TLS between nodes, in which each side proves who it is: TLS 1.3, with a certificate on both
/// sides. All files are in PEM format.
///
/// The files may be replaced while the program runs. Each new connection takes what is in them
/// then, and open connections stay open. A program looks at the files at most once a second. Files
/// that cannot be used change nothing: the ones before stay in force, and an event says why.
struct Tls {
  /// The path of this node's certificate, followed by those of authorities in between, if any. If
  /// it says what it is for (extended key usage), it must be for servers and for clients.
  std::string certificate{};

  /// The path of the certificate's private key, without a passphrase.
  std::string key{};

  /// The path of the certificates of the authorities, one of which must have signed the other
  /// node's certificate.
  std::string authority{};

  /// Which nodes to talk to: one of these must be a name, or a numeric address, for which the other
  /// node's certificate was made. Empty: a node that connects here may have any certificate of the
  /// authority. A node that this one connects to must have one for its host, as `NodeAddress`
  /// spells it.
  std::vector<std::string> names{};
};

/// Returns all problems of the options: files that were not named or cannot be read, and a key that
/// does not fit its certificate.
BACKOFF_ACTOR_EXPORT Problems check(const Tls& tls);

} // namespace backoff_actor
