#pragma once

/// @file
/// Everything that a program needs which guards workers.

/// @namespace backoff_actor
/// Supervision and reliable retry: workers may fail, messages may not.
///
/// What decides is pure and names no actor, clock, thread or random device: the backoff, the
/// outbox, the events and `SenderEngine`. What acts on CAF is `BackOffSender` and what belongs to
/// it.

#include "backoff_actor/caf/back_off_sender.hpp"
#include "backoff_actor/caf/child.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages.hpp"
