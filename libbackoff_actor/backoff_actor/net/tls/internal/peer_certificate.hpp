#pragma once

// What is wrong with a certificate of the other side, in words.

#include "backoff_actor/core/export.hpp"

#include <openssl/x509.h>
#include <string>
#include <vector>

namespace backoff_actor::net {

/// What the other side's certificate must be, and how a sentence says so.
struct BACKOFF_ACTOR_EXPORT WantedCertificate {
  std::vector<std::string> names; ///< made for one of these names or numeric addresses; empty: any
  std::string signer;             ///< who must have signed it: "this node's authority"
  std::string purpose;            ///< whom it must be made for: "clients"
};

/// Renders a name of a certificate in one line, as RFC 2253 orders it, with what is no letter
/// escaped.
BACKOFF_ACTOR_EXPORT std::string text_of(const X509_NAME* name);

/// Says what is wrong with the present certificate of `store`: "its certificate was made for a.b,
/// not for c.d". Empty: nothing. For OpenSSL's callback, which has `is_right` from it, for each
/// certificate of the other side.
BACKOFF_ACTOR_EXPORT std::string certificate_problem(bool is_right, X509_STORE_CTX* store,
                                                     const WantedCertificate& wanted);

} // namespace backoff_actor::net
