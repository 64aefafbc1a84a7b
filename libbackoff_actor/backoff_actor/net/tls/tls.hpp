#pragma once

#include "backoff_actor/core/export.hpp"
#include "backoff_actor/core/problems.hpp"

#include <string>
#include <vector>

namespace backoff_actor {

/// TLS 1.3 with certificates. Between nodes, each side proves who it is. A web server proves who it
/// is to its clients, and they to it if there is an `authority`. All files are in PEM format.
///
/// The files may be replaced while the program runs. Each new connection takes what is in them
/// then, and open connections stay open. A program looks at the files at most once a second. Files
/// that cannot be used change nothing: the ones before stay in force, and an event says why.
struct Tls {
  /// The path of this node's certificate, followed by those of authorities in between, if any. If
  /// it says what it is for (extended key usage), it must be for servers, and between nodes for
  /// clients, too.
  std::string certificate{};

  /// The path of the certificate's private key, without a passphrase.
  std::string key{};

  /// The path of the certificates of the authorities, one of which must have signed the other
  /// side's certificate. Empty: clients of a web server need no certificate; nodes always do.
  std::string authority{};

  /// Whom to talk to: one of these must be a name, or a numeric address, for which the other side's
  /// certificate was made. Empty: who connects here may have any certificate of the authority. A
  /// node that this one connects to must have one for its host, as `NodeAddress` spells it.
  std::vector<std::string> names{};
};

/// Returns all problems of the options, between nodes: files that were not named or cannot be read,
/// and a key that does not fit its certificate.
BACKOFF_ACTOR_EXPORT Problems check(const Tls& tls);

} // namespace backoff_actor
