#pragma once

// Everything that a test needs which makes workers fail.

#include "backoff_actor/testing/dangerous_actor.hpp"
#include "backoff_actor/testing/event_log.hpp"
#include "backoff_actor/testing/fault_script.hpp"
#include "backoff_actor/testing/virtual_time.hpp"
