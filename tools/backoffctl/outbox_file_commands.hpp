#pragma once

#include "command.hpp"

namespace backoffctl {

/// Adds the commands for the file of an outbox as a whole, and for messages that stand in the way,
/// to `outbox`.
void add_outbox_file_commands(CLI::App& outbox, Commands& commands);

} // namespace backoffctl
