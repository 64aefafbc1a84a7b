#pragma once

#include "command.hpp"

namespace backoffctl {

/// Whether the command line is for `serve`, `load` or `outage`, which have threads, sockets and actors, and
/// are in a program of their own: `backoffctl-live`, beside this one.
bool is_live_command(int argc, char** argv);

/// Becomes that program, with the same arguments. Returns an exit code if it is not there.
int run_live_program(char** argv);

/// Adds the three to the list of commands in the help.
void add_live_commands(CLI::App& backoffctl, Commands& commands);

} // namespace backoffctl
