#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace benchmarks {

enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,
  exit_bad_input = 2,
};

/// The command line of a benchmark: numbers in ranges, texts, flags, and `--help`.
class CommandLine {
public:
  CommandLine(std::string name, const std::string& description, const std::string& footer);

  /// Declares an option that takes a number, whose default is what `value` holds; it must outlive
  /// this object.
  ///
  /// @range `from <= value <= to`, both given in the help
  void number(const std::string& field, std::uint64_t& value, std::uint64_t from, std::uint64_t to,
              const std::string& help);

  /// Declares an option without a value; `value` must outlive this object.
  void flag(const std::string& field, bool& value, const std::string& help);

  /// Declares an option that takes a text; `value` must outlive this object.
  void text(const std::string& field, std::string& value, const std::string& type,
            const std::string& help);

  /// Reads the command line. Where there is nothing to run, because help was asked for or the input
  /// is bad, that has been printed, and the exit code is returned.
  std::optional<int> parse(int argc, char** argv);

private:
  struct Number {
    std::string field;
    std::string given; // not yet looked at: so that one call can be told all that is wrong with it
    std::uint64_t* value;
    std::uint64_t from;
    std::uint64_t to;
  };

  CLI::App app_;
  std::deque<Number> numbers_; // which do not move
};

} // namespace benchmarks
