#pragma once

#include "command.hpp"

namespace backoffctl {

/// How the program ends.
enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_bad_input = 2, exit_not_recovered = 3 };

/// A program of commands.
struct Program {
  const char* description; ///< the first lines of its help
  const char* footer;      ///< and the last
  void (*add_commands)(CLI::App& program, Commands& commands);
};

/// Does what the command line asks for, and returns the exit code. Bad input is refused, all of it
/// at once, before anything is done.
int run_program(int argc, char** argv, const Program& program);

} // namespace backoffctl
