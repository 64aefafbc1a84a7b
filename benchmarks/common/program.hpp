#pragma once

#include "common/report.hpp"

#include <backoff_actor/core/time.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <string>

namespace benchmarks {

/// What `--help` says of a program.
struct Words {
  std::string name;
  std::string description;
  std::string examples; ///< one a line
  std::string failures = "failed";
};

/// Where the programs of the build are, those of the benchmarks.
std::string folder_of_programs();

/// The command line of a benchmark, and what follows it: `--json`, `--help`, exit codes.
///
/// An option's default is what its value holds; the value must outlive this object.
class Program {
public:
  explicit Program(const Words& words);

  /// Declares an option that takes a number.
  ///
  /// @range `from <= value <= to`, both given in the help
  void number(const std::string& field, std::uint64_t& value, std::uint64_t from, std::uint64_t to,
              const std::string& help);

  /// Declares an option that takes a time: `1s`.
  void time(const std::string& field, backoff_actor::Duration& value, backoff_actor::Duration from,
            backoff_actor::Duration to, const std::string& help);

  /// Declares an option without a value.
  void flag(const std::string& field, bool& value, const std::string& help);

  /// Declares an option that takes a text.
  void text(const std::string& field, std::string& value, const std::string& type,
            const std::string& help);

  /// Reads the command line, measures, and prints what that reports, as a text or as JSON.
  ///
  /// @returns the exit code: 0 done, 1 the report is not good or `measure` threw, 2 bad input, also
  ///          if `measure` threw `BadInput`
  int run(int argc, char** argv, const std::function<Report()>& measure);

private:
  struct Option {
    std::string field;
    std::string given; // not yet looked at: so that one call can be told all that is wrong with it
    std::string allowed;
    std::function<bool(const std::string&)> takes;
  };

  void checked(const std::string& field, std::string given, std::string allowed,
               const std::string& type, const std::string& help,
               std::function<bool(const std::string&)> takes);
  int fail(int code, const std::string& line) const;

  CLI::App app_;
  std::deque<Option> options_; // which do not move
  bool as_json_ = false;
};

/// Thrown for what only `measure` can see to be wrong with the command line.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace benchmarks
