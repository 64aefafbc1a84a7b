#pragma once

// `RequestingActor` and `Word`, as the version of CAF wants them.

#include <caf/config.hpp>

// CAF_VERSION itself must not be tested on 1.x: in 1.1.0 it is an octal literal.
#if defined(CAF_VERSION_MAJOR) && CAF_VERSION_MAJOR == 1
#include "backoff_actor/caf/actor/internal/v1/requesting_actor_1.hpp"
#elif !defined(CAF_VERSION_MAJOR) && CAF_VERSION >= 1706 && CAF_VERSION < 1800
#include "backoff_actor/caf/actor/internal/v0_17/requesting_actor_0_17.hpp"
#else
#error "backoff_actor needs CAF 0.17.6 or 1.x"
#endif
