// backoffctl: questions about backoffs, answered at the console. Reads the command line, and does
// what it asks for. Bad input is refused, all of it at once, before anything is done.

#include "backoffctl/common/commands.hpp"
#include "backoffctl/common/secrets.hpp"
#include "backoffctl/plan/plan.hpp"
#include "backoffctl/text/colour.hpp"
#include "backoffctl/text/names.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace backoffctl {

namespace {

constexpr auto description =
  R"(Answers questions about backoff policies before you use them, and manages durable outboxes.
)";

constexpr auto footer = R"(
Examples:
  backoffctl plan 'exponential(100ms, x2, cap 30s) | full_jitter' 'fixed(5s)'
      compare two policies, retry by retry
  backoffctl plan --like celery
      see how another system waits
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      find the retry that is due 1023 s into an outage, and the delays around it
  backoffctl tune --ratio 0.1 --elapsed 1000s --json
      the same for a backoff whose delays are a tenth of the elapsed time, as JSON
  backoffctl simulate --help
      list the experiments that can be simulated
  backoffctl calendar next 'at(02:30, Europe/Berlin)'
      see when something is due that comes again and again
  backoffctl outbox --help
      learn how to inspect a durable outbox, in a file or on a server, and resubmit dead letters
  backoffctl top --help
      learn how to see what a running program owes, since when, and why
  backoffctl outage --help
      learn how to stop a real server while a thousand real clients call it

backoffctl COMMAND --help, or backoffctl help COMMAND, explains a command, with examples.

Exit codes:
  0  done
  1  failed, for example because the output cannot be written
  2  bad input; nothing was done
  3  of outage: done, but the clients did not recover
)";

void add_commands(CLI::App& program, Commands& commands) {
  add_command<PlanCommand>(program, commands);
  add_policies_command(program, commands);
  add_tune_command(program, commands);
  add_simulate_commands(program, commands);
  add_calendar_commands(program, commands);
  add_outbox_commands(program, commands);
  add_serve_command(program, commands);
  add_load_command(program, commands);
  add_live_outage_command(program, commands);
  add_top_command(program, commands);
  add_help_command(program, commands);
}

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

// What each line of a complaint begins with.
std::string complaint_label() {
  return coloured("backoffctl:", Colour::red, may_be_coloured(STDERR_FILENO)) + " ";
}

int refuse(const std::vector<std::string>& texts, const CLI::App& app,
           const Complaints& complaints) {
  for (const auto& text : texts)
    std::cerr << complaint_label() << complaints.text_of(text) << '\n';
  std::cerr << path_of(app) << " --help explains the options.\n";
  return exit_bad_input;
}

// For an app that has commands, none of which was given.
int refuse_command(const CLI::App& app, const Complaints& complaints) {
  const auto unknown = app.remaining();
  const auto word = unknown.empty() ? std::string{} : unknown.front();
  return refuse(
    {word.starts_with('-') ? unexpected_argument(app, word) : unknown_command(app, word)}, app,
    complaints);
}

int code_of_output() {
  if (std::cout.flush())
    return exit_done;
  std::cerr << complaint_label() << "the output cannot be written\n";
  return exit_failed;
}

int run(const CLI::App& app, Command& command, const Complaints& complaints) {
  std::vector<std::string> texts;
  for (const auto& argument : app.remaining(true))
    texts.push_back(unexpected_argument(command.parser(), argument));
  Problems problems;
  command.read(problems);
  for (const auto& problem : problems.list())
    texts.push_back(problem.field + ": "
                    + (problem.allowed.empty()
                         ? problem.given
                         : "got " + problem.given + ", allowed " + problem.allowed));
  if (!texts.empty())
    return refuse(texts, command.parser(), complaints);
  std::cout << command.run();
  const auto code = code_of_output();
  return code == exit_done ? command.exit_code() : code;
}

// The command that was given, or as much of it as there is.
const CLI::App& innermost(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return given.empty() ? app : innermost(*given.front());
}

int parse_and_run(int argc, char** argv, const Complaints& complaints) {
  CLI::App app{description, "backoffctl"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(24);
  app.footer(footer);
  app.set_version_flag("--version", "backoffctl " BACKOFFCTL_VERSION);
  app.allow_extras();
  app.require_subcommand(0, 1);
  Commands commands;
  add_commands(app, commands);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help_or_version) {
    app.exit(asked_for_help_or_version);
    return code_of_output();
  } catch (const CLI::ParseError& error) {
    return refuse({error.what()}, innermost(app), complaints);
  }
  std::for_each(argv, argv + argc, hide_secrets); // whoever needs them has copied them
  const auto& given = innermost(app);
  const auto used = std::find_if(commands.begin(), commands.end(),
                                 [&](const auto& command) { return &command->parser() == &given; });
  return used == commands.end() ? refuse_command(given, complaints) : run(app, **used, complaints);
}

} // namespace

} // namespace backoffctl

int main(int argc, char** argv) {
  using namespace backoffctl;
  const Complaints complaints{{argv, argv + argc}};
  try {
    return parse_and_run(argc, argv, complaints);
  } catch (const std::exception& exception) {
    std::cerr << complaint_label() << complaints.text_of(exception.what()) << '\n';
    return exit_failed;
  }
}
