#include "live_commands.hpp"

#include "program.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

namespace backoffctl {

namespace {

struct LiveCommand {
  const char* name;
  const char* description;
};

constexpr std::array<LiveCommand, 3> live_commands{
  {{"serve", "Runs a real HTTP server that is slow under load."},
   {"load", "Runs a thousand real HTTP clients that retry."},
   {"outage", "Stops a real server under real load, and shows whether the clients recover."}}};

// Only reached where the command is not the first argument.
class Misplaced final : public Command {
public:
  using Command::Command;

  void check(backoff_actor::Problems& problems) override {
    problems.add(parser().get_name(), "must be the first argument", "");
  }

  std::string run() override { return {}; }
};

} // namespace

bool is_live_command(int argc, char** argv) {
  return argc > 1
         && std::any_of(live_commands.begin(), live_commands.end(),
                        [&](const auto& command) { return std::string{argv[1]} == command.name; });
}

int run_live_program(char** argv) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  const auto program = folder / "backoffctl-live";
  execv(program.c_str(), argv);
  const auto reason = std::generic_category().message(errno);
  std::cerr
    << "backoffctl: " << argv[1] << " needs the program " << program.string()
    << ", which cannot be started: " << reason
    << "\nbackoffctl's build makes it if libevent is installed: apt-get install libevent-dev\n";
  return exit_failed;
}

void add_live_commands(CLI::App& backoffctl, Commands& commands) {
  for (const auto& command : live_commands)
    commands.push_back(std::make_unique<Misplaced>(
      *backoffctl.add_subcommand(command.name, command.description)->allow_extras()));
}

} // namespace backoffctl
