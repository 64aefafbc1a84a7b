#pragma once

#include "options.hpp"

namespace remote_worker {

/// Works until it is told to end. Returns the exit code, as do the others.
int work(const WorkerOptions& options);

/// Has all numbers done.
int send(const SendOptions& options);

/// Compares what the sender and the workers have written.
int account(const AccountOptions& options);

} // namespace remote_worker
