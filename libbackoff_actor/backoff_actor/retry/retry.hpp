#pragma once

/// @file
/// Everything for a program that retries function calls: `retry`, policies and their texts, limits,
/// guards, and the header `Retry-After`. Needs no CAF; link `backoff_actor::core`.

#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/http/http_answer.hpp"
#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/backoff/limits.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/backoff/retry_after_header.hpp"
#include "backoff_actor/guard/parse_guard.hpp"
#include "backoff_actor/retry/retry_function.hpp"
#include "backoff_actor/retry/retry_options.hpp"
#include "backoff_actor/retry/retry_result.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
#include "backoff_actor/retry/steady_clock.hpp"
