#pragma once

/// @file
/// Everything for a program that guards workers.

/// @namespace backoff_actor
/// Supervision and reliable retry: workers may fail, messages may not.
///
/// The parts that decide are pure and name no actor, clock, thread or random device: the backoff,
/// the outbox, the events and the engines. Senders and supervisors are the actors that carry out
/// the decisions.

#include "backoff_actor/backoff/by_reason.hpp"
#include "backoff_actor/backoff/http/http_answer.hpp"
#include "backoff_actor/backoff/like.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"
#include "backoff_actor/backoff/policy.hpp"
#include "backoff_actor/backoff/retry_after_header.hpp"
#include "backoff_actor/caf/actor/work_in_hand.hpp"
#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/child/child_ref.hpp"
#include "backoff_actor/caf/init.hpp"
#include "backoff_actor/caf/main/caf_log.hpp"
#include "backoff_actor/caf/main/caf_metrics.hpp"
#include "backoff_actor/caf/main/exit_report.hpp"
#include "backoff_actor/caf/main/graceful_shutdown.hpp"
#include "backoff_actor/caf/main/letter_writer.hpp"
#include "backoff_actor/caf/main/scheduler_watch.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/messages/error_predicate.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/caf/messages/retried_reply.hpp"
#include "backoff_actor/caf/messages/retry_after.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/caf/outbox/durable_outbox.hpp"
#include "backoff_actor/caf/outbox/durable_types.hpp"
#include "backoff_actor/caf/owned/owned_sender.hpp"
#include "backoff_actor/caf/request/guarded.hpp"
#include "backoff_actor/caf/request/retry_request.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/caf/supervisor/supervisor.hpp"
#include "backoff_actor/caf/supervisor/supervisor_messages.hpp"
#include "backoff_actor/caf/supervisor/supervisor_options.hpp"
#include "backoff_actor/core/node_address.hpp"
#include "backoff_actor/delivery/deduplicator.hpp"
#include "backoff_actor/guard/parse_guard.hpp"
#include "backoff_actor/observe/log_line.hpp"
#include "backoff_actor/observe/metrics/metrics.hpp"
#include "backoff_actor/observe/metrics/observed_status.hpp"
#include "backoff_actor/observe/sender_numbers.hpp"
#include "backoff_actor/retry/shared_guard.hpp"
#include "backoff_actor/sinks/log_writer.hpp"
#include "backoff_actor/sinks/observatory.hpp"
#include "backoff_actor/sinks/shared_queue.hpp"
#include "backoff_actor/supervision/blamed_error.hpp"
#include "backoff_actor/supervision/own_retries.hpp"
