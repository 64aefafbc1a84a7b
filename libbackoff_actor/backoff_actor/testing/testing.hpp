#pragma once

/// @file
/// Everything that a test needs which makes workers fail.

/// @namespace backoff_actor::testing
/// The test kit: virtual time, workers that fail by a plan, a record of what happened.
///
/// It belongs to no test framework; for GoogleTest there are testing/gtest.hpp, a fixture, and
/// testing/gmock.hpp, matchers. Link `backoff_actor::testing`.

#include "backoff_actor/testing/answer.hpp"
#include "backoff_actor/testing/connection_plan.hpp"
#include "backoff_actor/testing/dangerous_actor.hpp"
#include "backoff_actor/testing/event_claims.hpp"
#include "backoff_actor/testing/event_log.hpp"
#include "backoff_actor/testing/event_pattern.hpp"
#include "backoff_actor/testing/event_patterns.hpp"
#include "backoff_actor/testing/fault_plan.hpp"
#include "backoff_actor/testing/faults.hpp"
#include "backoff_actor/testing/faulty_actor.hpp"
#include "backoff_actor/testing/faulty_function.hpp"
#include "backoff_actor/testing/flaky_channel.hpp"
#include "backoff_actor/testing/ledger.hpp"
#include "backoff_actor/testing/memory_store.hpp"
#include "backoff_actor/testing/request_and_note.hpp"
#include "backoff_actor/testing/store_in_front.hpp"
#include "backoff_actor/testing/tcp_proxy.hpp"
#include "backoff_actor/testing/virtual_clock.hpp"
#include "backoff_actor/testing/virtual_time.hpp"
