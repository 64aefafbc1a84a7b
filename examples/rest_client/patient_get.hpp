#pragma once

#include "http_get.hpp"

#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/backoff/policies/memorystore.hpp"
#include "backoff_actor/retry/retry_result.hpp"

#include <string>

namespace rest_client {

/// Makes a GET request as the documentation of Memorystore prescribes it: answers of 5xx and 429,
/// and no answer at all, are tried again after `min(2^n s + up to 1000 ms, maximum)`, or after the
/// time that the server asks for if that is longer. Each retry is announced on stderr.
backoff_actor::RetryResult<Response> patient_get(const std::string& url,
                                                 const backoff_actor::Memorystore& backoff,
                                                 const backoff_actor::Limits& limits);

/// Renders what became of it in one line: `GET http://...: HTTP 200, succeeded after 3 attempts in
/// 4.312s`.
std::string to_string(const std::string& url, const backoff_actor::RetryResult<Response>& result);

} // namespace rest_client
