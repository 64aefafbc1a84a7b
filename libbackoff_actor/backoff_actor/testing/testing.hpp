#pragma once

/// @file
/// Everything for tests with workers that fail.

/// @namespace backoff_actor::testing
/// The test kit: virtual time, workers that fail by a plan, a record of what happened.
///
/// It needs no test framework. For GoogleTest there are a fixture, testing/gtest.hpp, and matchers,
/// testing/gmock.hpp. Link `backoff_actor::testing`.

#include "backoff_actor/testing/faults/dangerous_actor.hpp"
#include "backoff_actor/testing/faults/fault_plan.hpp"
#include "backoff_actor/testing/faults/faults.hpp"
#include "backoff_actor/testing/faults/faulty_actor.hpp"
#include "backoff_actor/testing/faults/faulty_function.hpp"
#include "backoff_actor/testing/faults/flaky_channel.hpp"
#include "backoff_actor/testing/proxy/connection_plan.hpp"
#include "backoff_actor/testing/proxy/tcp_proxy.hpp"
#include "backoff_actor/testing/record/event_claims.hpp"
#include "backoff_actor/testing/record/event_log.hpp"
#include "backoff_actor/testing/record/event_pattern.hpp"
#include "backoff_actor/testing/record/event_patterns.hpp"
#include "backoff_actor/testing/record/ledger.hpp"
#include "backoff_actor/testing/record/request_and_note.hpp"
#include "backoff_actor/testing/stores/memory_server.hpp"
#include "backoff_actor/testing/stores/memory_store.hpp"
#include "backoff_actor/testing/stores/store_in_front.hpp"
#include "backoff_actor/testing/time/answer.hpp"
#include "backoff_actor/testing/time/virtual_clock.hpp"
#include "backoff_actor/testing/time/virtual_time.hpp"
