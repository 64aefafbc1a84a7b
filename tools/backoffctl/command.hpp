#pragma once

#include "backoff_actor/core/problems.hpp"

#include <CLI/App.hpp>

#include <string>

namespace backoffctl {

/// One command of the program, `tune` for example.
class Command {
public:
  explicit Command(CLI::App& parser) : parser_(parser) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Where the command's flags are declared.
  CLI::App& parser() const { return parser_; }

  /// Notes all that is wrong with the flags, each under its own name. Nothing is done yet. A problem
  /// without `allowed` says all in `given`: where in a text something is wrong, for example.
  virtual void check(backoff_actor::Problems& problems) = 0;

  /// Does what is asked for, after a `check` without problems, and returns what is to be printed.
  virtual std::string run() = 0;

private:
  CLI::App& parser_;
};

} // namespace backoffctl
