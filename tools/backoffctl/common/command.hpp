#pragma once

#include "backoff_actor/core/problems.hpp"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Commands need not see the parser's templates, which take a compiler seconds for each file.
namespace CLI {
class App;
}

namespace backoffctl {

using backoff_actor::Problems;

/// How the program ends.
enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_bad_input = 2, exit_not_recovered = 3 };

/// Reads what was given for a flag into a value, or notes under the flag's name what is wrong with
/// it. `flag_values.hpp` makes them.
using Reader =
  std::function<void(const std::string& flag, const std::string& given, Problems& problems)>;

/// The same for a flag with several values.
using ListReader = std::function<void(const std::string& flag,
                                      const std::vector<std::string>& given, Problems& problems)>;

/// Declares a command that only leads to others.
CLI::App& add_subcommand(CLI::App& parent, const std::string& name, const std::string& description,
                         const std::string& footer);

/// One command of the program, `tune` for example. One that only leads to others, as `simulate`
/// does, is none.
class Command {
public:
  explicit Command(CLI::App& parser) : parser_(parser) {}

  /// Declares a command of `parent`: of the program, or of a command that leads to others. The
  /// footer is what stands at the end of its help, before the exit codes that most have in common.
  Command(CLI::App& parent, const std::string& name, const std::string& description,
          const std::string& footer);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  CLI::App& parser() const { return parser_; }

  /// Reads all flags, in the order of their declaration, and then checks. Notes all that is wrong,
  /// each under its own name. Nothing is done yet. A problem without `allowed` says all in `given`:
  /// where in a text something is wrong, for example.
  void read(Problems& problems);

  /// Does what is asked for, after a `read` without problems, and returns what is to be printed.
  virtual std::string run() = 0;

  /// The program's exit code after `run`, if nothing failed.
  int exit_code() const { return exit_code_; }

  /// Declares a flag with a value. Only `read` reads what is given. So a flag without a value, and
  /// one that is given twice, are refused together with all other faults.
  void add_flag(const std::string& name, Reader reader, const std::string& type,
                const std::string& help);

  /// Declares a flag with one value or several. A name without dashes is that of values without a
  /// flag.
  void add_list(const std::string& name, ListReader reader, const std::string& type,
                const std::string& help);

  /// Declares a value without a flag.
  void add_value(const std::string& name, std::optional<std::string>& given,
                 const std::string& help);

  /// Declares values without a flag, any number of them if `may_be_none`, else one at least.
  void add_values(const std::string& name, std::vector<std::string>& given, const std::string& help,
                  bool may_be_none);

  /// Declares a flag without a value.
  void add_switch(const std::string& name, bool& given, const std::string& help);

  /// Whether a flag with values was given, be it wrong.
  bool is_given(const std::string& name) const;

  /// What was given for a flag with a value; empty if it was not.
  std::string given(const std::string& name) const;

protected:
  /// Notes what is wrong with the flags together.
  virtual void check(Problems&) {}

  int exit_code_ = exit_done;

private:
  struct Flag {
    std::string name;
    Reader reader;
    ListReader list_reader;
    std::optional<std::string> given{};
    std::vector<std::string> list{};
  };

  CLI::App& parser_;
  std::deque<Flag> flags_; // the parser refers to them
};

/// All commands of the program, in the order of its help.
using Commands = std::vector<std::unique_ptr<Command>>;

/// Adds a command to `parent`.
template <class C>
void add_command(CLI::App& parent, Commands& commands) {
  commands.push_back(std::make_unique<C>(parent));
}

} // namespace backoffctl
