#pragma once

/// @file
/// Everything that a program needs which guards workers.

/// @namespace backoff_actor
/// Supervision and reliable retry: workers may fail, messages may not.
///
/// What decides is pure and names no actor, clock, thread or random device: the backoff, the
/// outbox, the events and `SenderEngine`. What acts on CAF is `BackOffSender` and what belongs to
/// it.

#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/caf/back_off_sender.hpp"
#include "backoff_actor/caf/child.hpp"
#include "backoff_actor/caf/child_ref.hpp"
#include "backoff_actor/caf/control.hpp"
#include "backoff_actor/caf/dead_letter_record.hpp"
#include "backoff_actor/caf/durable_outbox.hpp"
#include "backoff_actor/caf/durable_types.hpp"
#include "backoff_actor/caf/error_predicate.hpp"
#include "backoff_actor/caf/guarded.hpp"
#include "backoff_actor/caf/held_back.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/retried_reply.hpp"
#include "backoff_actor/caf/retry_after.hpp"
#include "backoff_actor/caf/retry_request.hpp"
#include "backoff_actor/caf/sender_blueprint.hpp"
#include "backoff_actor/caf/sender_options.hpp"
#include "backoff_actor/caf/submission.hpp"
#include "backoff_actor/caf/supervisor.hpp"
#include "backoff_actor/caf/supervisor_control.hpp"
#include "backoff_actor/caf/supervisor_error.hpp"
#include "backoff_actor/caf/supervisor_options.hpp"
#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/delivery/deduplicator.hpp"
#include "backoff_actor/guard/parse_guard.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
