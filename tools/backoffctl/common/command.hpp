#pragma once

#include "backoff_actor/core/problems.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// Commands need not see the parser's templates, which take a compiler seconds for each file.
namespace CLI {
class App;
}

namespace backoffctl {

/// Declares a command of `parent`: of the program, or of a command that leads to others.
CLI::App& add_subcommand(CLI::App& parent, const std::string& name, const std::string& description);

/// Declares a command that only leads to others.
CLI::App& add_subcommand(CLI::App& parent, const std::string& name, const std::string& description,
                         const std::string& footer);

/// One command of the program, `tune` for example. One that only leads to others, as `simulate`
/// does, is none.
class Command {
public:
  explicit Command(CLI::App& parser) : parser_(parser) {}
  /// The footer is what stands at the end of the command's help.
  Command(CLI::App& parser, const std::string& footer);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Where the command's flags are declared.
  CLI::App& parser() const { return parser_; }

  /// Notes all that is wrong with the flags, each under its own name. Nothing is done yet. A
  /// problem without `allowed` says all in `given`: where in a text something is wrong, for
  /// example.
  virtual void check(backoff_actor::Problems& problems) = 0;

  /// Does what is asked for, after a `check` without problems, and returns what is to be printed.
  virtual std::string run() = 0;

  /// The program's exit code after `run`, if nothing failed.
  virtual int exit_code() const { return 0; }

protected:
  /// Declares a flag with a value. What is given is left as it is, so that also a flag without a
  /// value, or one that is given twice, has a value that `check` refuses with all the others. A
  /// name without dashes is that of a value without a flag.
  void add_flag(const std::string& name, std::optional<std::string>& given, const std::string& type,
                const std::string& help);

  /// Declares a flag with one value or several.
  void add_flag(const std::string& name, std::vector<std::string>& given, const std::string& type,
                const std::string& help);

  /// Declares a value without a flag.
  void add_value(const std::string& name, std::optional<std::string>& given,
                 const std::string& help);

  /// Declares values without a flag, any number of them if `may_be_none`, else one at least.
  void add_values(const std::string& name, std::vector<std::string>& given, const std::string& help,
                  bool may_be_none);

  /// Declares a flag without a value.
  void add_switch(const std::string& name, bool& given, const std::string& help);

  /// The two as functions, for flags that several commands have in common.
  auto flag_adder() {
    return
      [this](const std::string& name, std::optional<std::string>& given, const std::string& type,
             const std::string& help) { add_flag(name, given, type, help); };
  }

  /// The two as functions, for flags that several commands have in common.
  auto switch_adder() {
    return [this](const std::string& name, bool& given, const std::string& help) {
      add_switch(name, given, help);
    };
  }

private:
  CLI::App& parser_;
};

/// All commands of the program, in the order of its help.
using Commands = std::vector<std::unique_ptr<Command>>;

} // namespace backoffctl
