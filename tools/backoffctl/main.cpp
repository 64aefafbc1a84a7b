// backoffctl: questions about backoffs, answered at the console.

#include "command.hpp"
#include "flag_values.hpp"
#include "plan_command.hpp"
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

using Commands = std::vector<std::unique_ptr<Command>>;

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

int refuse(const std::vector<std::string>& complaints, const std::string& program) {
  for (const auto& complaint : complaints)
    std::cerr << "backoffctl: " << complaint << '\n';
  std::cerr << program << " --help tells what can be given.\n";
  return exit_bad_input;
}

int refuse_command(const CLI::App& app, const Commands& commands) {
  std::string known;
  for (const auto& command : commands)
    known += (known.empty() ? "" : ", ") + command->parser().get_name();
  const auto unknown = app.remaining();
  if (unknown.empty())
    return refuse({"no command is given, allowed: " + known}, "backoffctl");
  return refuse({printable(unknown.front()) + ": unknown command, allowed: " + known},
                "backoffctl");
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
    return refuse(complaints, "backoffctl " + command.parser().get_name());
  std::cout << command.run();
  return code_of_output();
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
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help_or_version) {
    app.exit(asked_for_help_or_version);
    return code_of_output();
  } catch (const CLI::ParseError& error) {
    const auto used = app.get_subcommands();
    return refuse({error.what()}, "backoffctl" + (used.empty() ? "" : " " + used[0]->get_name()));
  }
  const auto used = std::find_if(commands.begin(), commands.end(),
                                 [](const auto& command) { return command->parser().parsed(); });
  return used == commands.end() ? refuse_command(app, commands) : run(app, **used);
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
