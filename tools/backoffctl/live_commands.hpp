#pragma once

#include "command.hpp"

namespace backoffctl {

/// Becomes the program `backoffctl-live` beside this one, with the same arguments, if the command
/// line is for `serve`, `load` or `outage`. That program has what these need: threads, sockets and
/// actors. Returns if the command is another, or if the program is missing.
void become_live_program(int argc, char** argv);

/// Adds the three, with their help. Whoever runs one here is told that its program is missing.
void add_live_commands(CLI::App& backoffctl, Commands& commands);

} // namespace backoffctl
