#include "backoffctl/text/names.hpp"

#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/text/internal/advice.hpp"

#include <CLI/App.hpp>

#include <algorithm>
#include <string_view>
#include <vector>

namespace backoffctl {

namespace {

using backoff_actor::detail::one_line;

std::string advice(const std::string& given, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names{known.begin(), known.end()};
  return backoff_actor::detail::did_you_mean(given, names);
}

// Of the command and of those that lead to it, which also take theirs behind it.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> result;
  for (const auto* app = &command; app != nullptr; app = app->get_parent())
    for (const auto* option : app->get_options())
      for (const auto& name : option->get_lnames())
        result.push_back("--" + name);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end()); // all have --help
  return result;
}

} // namespace

std::string path_of(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return (parent ? path_of(*parent) + " " : "") + command.get_name();
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::string list;
  for (const auto* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
    list += (list.empty() ? "" : ", ") + names.back();
  }
  return (word.empty() ? "no command is given" : one_line(word) + ": unknown command")
         + ", allowed: " + list + advice(word, names);
}

std::string unexpected_argument(const CLI::App& command, const std::string& argument) {
  const auto text =
    (argument.empty() ? "''" : one_line(argument)) + std::string{": unexpected argument"};
  if (!argument.starts_with('-'))
    return text;
  const auto name = argument.substr(0, argument.find('='));
  const auto known = options_of(command);
  return text
         + (std::find(known.begin(), known.end(), name) == known.end()
              ? advice(name, known)
              : "; write it after " + path_of(command));
}

} // namespace backoffctl
