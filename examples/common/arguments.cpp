#include "common/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <system_error>

namespace example {

namespace {

std::string or_nothing(const std::string& given) { return given.empty() ? "nothing" : given; }

std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& name : names)
    result += name + ", ";
  return result + "--help";
}

} // namespace

Arguments read_arguments(int argc, char** argv, const std::vector<std::string>& names,
                         backoff_actor::Problems& problems) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      result.wants_help = true;
      continue;
    }
    if (!argument.starts_with('-')) {
      result.others.push_back(argument);
      continue;
    }
    const auto equals = argument.find('=');
    const auto name = argument.substr(0, equals);
    if (std::find(names.begin(), names.end(), name) == names.end())
      problems.add("option", argument, listed(names));
    else if (equals != std::string::npos)
      result.options[name] = argument.substr(equals + 1);
    else if (i + 1 < argc)
      result.options[name] = argv[++i];
    else
      problems.add(name, "nothing", "a value");
  }
  return result;
}

std::uint64_t read_number(const std::string& field, const std::string& given, std::uint64_t from,
                          std::uint64_t to, backoff_actor::Problems& problems) {
  std::uint64_t result = 0;
  const auto end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, result);
  if (error == std::errc{} && stop == end && result >= from && result <= to)
    return result;
  problems.add(field, or_nothing(given), std::to_string(from) + ".." + std::to_string(to));
  return 0;
}

void complain(const std::string& program, const backoff_actor::Problems& problems) {
  for (const auto& problem : problems.list())
    std::cerr << program << ": " << problem.field << ": got " << problem.given << ", allowed "
              << problem.allowed << '\n';
  std::cerr << program << " --help explains the options.\n";
}

} // namespace example
