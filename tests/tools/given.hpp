#pragma once

#include "backoffctl/common/command.hpp"

// App.hpp alone declares a parser and leaves its parts to those who include the other two.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace backoffctl::test {

/// A command that has read its command line.
template <class C>
struct Given {
  explicit Given(std::vector<std::string> arguments) : command(app) {
    arguments.insert(arguments.begin(), command.parser().get_name());
    std::reverse(arguments.begin(), arguments.end()); // as the parser wants them
    app.parse(std::move(arguments));
    command.read(problems);
  }

  /// The fields of the problems, in order.
  std::vector<std::string> fields() const {
    std::vector<std::string> result;
    for (const auto& problem : problems.list())
      result.push_back(problem.field);
    return result;
  }

  CLI::App app;
  C command;
  Problems problems;
};

} // namespace backoffctl::test
