#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "notes.hpp"
#include "worker_options.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/message.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cluster {

/// Makes children that do a job by a call of the service. They tell the service the epoch of the
/// owner, so that it can refuse an owner which was frozen. A job with several steps makes a call
/// for each, and a note of what it got, `began`, and of what it leaves, `said`.
backoff_actor::ChildFactory service_callers(const WorkerOptions& options,
                                            const std::shared_ptr<const NoteWriter>& notes);

/// Reads a job that another program has handed over: `{"order": 4711, ...}`.
///
/// @errors throws `std::invalid_argument`
caf::message read_order(std::span<const std::byte> json);

/// Reads a job of the calendar: the number of its entry.
///
/// @errors throws `std::invalid_argument`
caf::message read_entry(std::span<const std::byte> number);

/// Starts the client: it submits jobs to the sender, at the rate of the options while this process
/// owns the outbox, and a few otherwise, to see whether it does: the sender hands those over to the
/// owner. Each job that was confirmed is a note, `accepted`. Of each job that it cancels there is a
/// note before, `cancelling`, and one if it was in time, `gone`.
///
/// @param quiet while it is set, the client submits nothing. Must outlive the actor system.
caf::actor spawn_client(caf::actor_system& system, const caf::actor& sender,
                        const WorkerOptions& options, std::shared_ptr<const NoteWriter> notes,
                        const std::atomic<bool>& quiet);

} // namespace cluster
