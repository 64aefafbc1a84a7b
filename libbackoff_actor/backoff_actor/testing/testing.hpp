#pragma once

/// @file
/// Everything that a test needs which makes workers fail.

/// @namespace backoff_actor::testing
/// The test kit: virtual time, workers that fail by a plan, a record of what happened.
///
/// It belongs to no test framework. Link `backoff_actor::testing`.

#include "backoff_actor/testing/connection_plan.hpp"
#include "backoff_actor/testing/dangerous_actor.hpp"
#include "backoff_actor/testing/event_log.hpp"
#include "backoff_actor/testing/fault_plan.hpp"
#include "backoff_actor/testing/faults.hpp"
#include "backoff_actor/testing/faulty_actor.hpp"
#include "backoff_actor/testing/faulty_function.hpp"
#include "backoff_actor/testing/flaky_channel.hpp"
#include "backoff_actor/testing/tcp_proxy.hpp"
#include "backoff_actor/testing/virtual_clock.hpp"
#include "backoff_actor/testing/virtual_time.hpp"
