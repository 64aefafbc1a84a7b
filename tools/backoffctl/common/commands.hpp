#pragma once

#include "command.hpp"

namespace backoffctl {

/// Each adds a command of the program, or one that leads to several.
/// @{
void add_policies_command(CLI::App& program, Commands& commands);
void add_tune_command(CLI::App& program, Commands& commands);
void add_simulate_commands(CLI::App& program, Commands& commands);
void add_calendar_commands(CLI::App& program, Commands& commands);
void add_outbox_commands(CLI::App& program, Commands& commands);
void add_serve_command(CLI::App& program, Commands& commands);
void add_load_command(CLI::App& program, Commands& commands);
void add_live_outage_command(CLI::App& program, Commands& commands);
void add_top_command(CLI::App& program, Commands& commands);
/// @}

/// Each adds an experiment to `simulate`.
/// @{
void add_dead_letters_command(CLI::App& simulate, Commands& commands);
void add_outage_command(CLI::App& simulate, Commands& commands);
/// @}

/// Adds `help`, which explains all commands that are added, before it or after it.
void add_help_command(CLI::App& program, Commands& commands);

} // namespace backoffctl
