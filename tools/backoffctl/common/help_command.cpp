#include "commands.hpp"

#include "backoffctl/text/names.hpp"

#include <CLI/App.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace backoffctl {

namespace {

constexpr auto help_description = R"(Explains a command, as COMMAND --help does.
)";

constexpr auto help_footer = R"(
Examples:
  backoffctl help
      list the commands
  backoffctl help plan
      explain a command
  backoffctl help simulate outage
      explain a command of a command
)";

class HelpCommand final : public Command {
public:
  explicit HelpCommand(CLI::App& program)
    : Command(program, "help", help_description, help_footer), explained_(&program) {
    add_values("COMMAND", words_, "the command, in one or more words; default all", true);
  }

  void check(Problems& problems) override {
    for (const auto& word : words_) {
      const auto commands = explained_->get_subcommands({});
      const auto next = std::find_if(commands.begin(), commands.end(), [&](const auto* command) {
        return command->get_name() == word;
      });
      if (next == commands.end()) {
        problems.add("COMMAND", unknown_command(*explained_, word), "");
        return;
      }
      explained_ = *next;
    }
  }

  // The formatter itself, for the app would explain the command that was given: this one.
  std::string run() override {
    return explained_->get_formatter()->make_help(explained_, path_of(*explained_),
                                                  CLI::AppFormatMode::Normal);
  }

private:
  std::vector<std::string> words_;
  const CLI::App* explained_;
};

} // namespace

void add_help_command(CLI::App& program, Commands& commands) {
  add_command<HelpCommand>(program, commands);
}

} // namespace backoffctl
