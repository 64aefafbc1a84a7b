#pragma once

// Everything that a program needs which guards workers.

#include "backoff_actor/caf/back_off_sender.hpp"
#include "backoff_actor/caf/child.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages.hpp"
