#pragma once

#include <string>

namespace CLI {
class App;
}

namespace backoffctl {

/// Returns the words that lead to a command: `backoffctl simulate outage`.
std::string path_of(const CLI::App& command);

/// Returns the complaint about a word where a command of `app` should stand; if it is empty, none
/// was given. Lists the commands, and suggests the one that was likely meant.
std::string unknown_command(const CLI::App& app, const std::string& word);

/// Returns the complaint about an argument that a command does not take. For an option, suggests
/// the one that was likely meant, or the place where it belongs.
std::string unexpected_argument(const CLI::App& command, const std::string& argument);

} // namespace backoffctl
