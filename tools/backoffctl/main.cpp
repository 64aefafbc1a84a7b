// backoffctl: questions about backoffs, answered at the console.

#include "command.hpp"
#include "flag_values.hpp"
#include "plan_command.hpp"
#include "simulate_commands.hpp"
#include "tune_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace backoffctl {

namespace {

enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_bad_input = 2 };

constexpr auto description = R"(Answers questions about backoffs, before they are in production.
)";

constexpr auto footer = R"(
Examples:
  backoffctl plan 'exponential(100ms, x2, cap 30s) | full_jitter' 'fixed(5s)'
      what is to be expected of two policies, retry by retry
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      which retry is due 1023 s into an outage, and the delays around it
  backoffctl tune --ratio 0.1 --elapsed 1000s --json
      the same of a backoff whose delays are a tenth of the elapsed time, as JSON
  backoffctl simulate --help
      which experiments can be simulated

backoffctl COMMAND --help explains a command, with examples.

Exit codes:
  0  done
  1  failed, for example because the output cannot be written
  2  bad input; nothing was done
)";

// In the list of commands each has one line, the first of its description.
class HelpFormatter final : public CLI::Formatter {
  std::string make_subcommand(const CLI::App* command) const override {
    const auto text = command->get_description();
    std::ostringstream line;
    CLI::detail::format_help(line, command->get_display_name(), text.substr(0, text.find('\n')),
                             get_column_width());
    return line.str();
  }
};

// The words that lead to a command: `backoffctl plan`.
std::string path_of(const CLI::App& app) {
  const auto* parent = app.get_parent();
  return (parent ? path_of(*parent) + " " : "") + app.get_name();
}

int refuse(const std::vector<std::string>& complaints, const CLI::App& app) {
  for (const auto& complaint : complaints)
    std::cerr << "backoffctl: " << complaint << '\n';
  std::cerr << path_of(app) << " --help tells what can be given.\n";
  return exit_bad_input;
}

// For an app that has commands, none of which was given.
int refuse_command(const CLI::App& app) {
  std::string known;
  for (const auto* command : app.get_subcommands({}))
    known += (known.empty() ? "" : ", ") + command->get_name();
  const auto unknown = app.remaining();
  return refuse(
    {(unknown.empty() ? "no command is given" : printable(unknown.front()) + ": unknown command")
     + ", allowed: " + known},
    app);
}

int code_of_output() {
  if (std::cout.flush())
    return exit_done;
  std::cerr << "backoffctl: the output cannot be written\n";
  return exit_failed;
}

int run(const CLI::App& app, Command& command) {
  std::vector<std::string> complaints;
  for (const auto& argument : app.remaining(true))
    complaints.push_back((argument.empty() ? "''" : printable(argument)) + ": unexpected argument");
  backoff_actor::Problems problems;
  command.check(problems);
  for (const auto& problem : problems.list())
    complaints.push_back(problem.field + ": "
                         + (problem.allowed.empty()
                              ? problem.given
                              : "got " + problem.given + ", allowed " + problem.allowed));
  if (!complaints.empty())
    return refuse(complaints, command.parser());
  std::cout << command.run();
  return code_of_output();
}

// The command that was given, or as much of it as there is.
const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

int main(int argc, char** argv) {
  CLI::App app{description, "backoffctl"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(24);
  app.footer(footer);
  app.set_version_flag("--version", "backoffctl " BACKOFFCTL_VERSION);
  app.allow_extras();
  app.require_subcommand(0, 1);
  Commands commands;
  commands.push_back(add_plan_command(app));
  commands.push_back(add_tune_command(app));
  add_simulate_commands(app, commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help_or_version) {
    app.exit(asked_for_help_or_version);
    return code_of_output();
  } catch (const CLI::ParseError& error) {
    return refuse({error.what()}, innermost(app));
  }
  const auto& given = innermost(app);
  const auto used = std::find_if(commands.begin(), commands.end(),
                                 [&](const auto& command) { return &command->parser() == &given; });
  return used == commands.end() ? refuse_command(given) : run(app, **used);
}

} // namespace

} // namespace backoffctl

int main(int argc, char** argv) {
  try {
    return backoffctl::main(argc, argv);
  } catch (const std::exception& exception) {
    std::cerr << "backoffctl: " << exception.what() << '\n';
    return backoffctl::exit_failed;
  }
}
