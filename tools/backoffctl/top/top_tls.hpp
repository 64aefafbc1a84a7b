#pragma once

#include "backoffctl/live/http_caller.hpp"

#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/net/tls/tls.hpp"

#include <string>

namespace backoffctl {

/// Reads the files, and returns what makes connections by TLS to a host. The server's certificate
/// must be signed by one of the authorities, and made for the host: a name or a numeric address.
/// Nothing, and problems, if a file cannot be used.
MakeTls make_top_tls(const std::string& host, const backoff_actor::Tls& files,
                     backoff_actor::Problems& problems);

} // namespace backoffctl
