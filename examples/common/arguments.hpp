#pragma once

#include "backoff_actor/core/problems.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace example {

/// What was given on the command line, and not yet looked at.
struct Arguments {
  std::map<std::string, std::string> options; ///< `--max 64s` and `--max=64s` are "--max" and "64s"
  std::vector<std::string> others;            ///< what belongs to no option, in order
  bool wants_help = false;                    ///< `--help` or `-h`
};

/// Reads a command line, and notes what is no option and what has no value.
///
/// @param names of the options, each of which takes a value
Arguments read_arguments(int argc, char** argv, const std::vector<std::string>& names,
                         backoff_actor::Problems& problems);

/// Reads a whole number, or notes why it is none; 0 then.
std::uint64_t read_number(const std::string& field, const std::string& given, std::uint64_t from,
                          std::uint64_t to, backoff_actor::Problems& problems);

/// Says on stderr what is wrong with the command line.
void complain(const std::string& program, const backoff_actor::Problems& problems);

} // namespace example
