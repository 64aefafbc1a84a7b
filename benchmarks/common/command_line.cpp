#include "common/command_line.hpp"

#include "backoff_actor/core/problems.hpp"

#include <charconv>
#include <iostream>
#include <system_error>

namespace benchmarks {

CommandLine::CommandLine(std::string name, const std::string& description,
                         const std::string& footer)
  : app_(description, std::move(name)) {
  app_.footer(footer);
  app_.allow_extras();
  app_.get_formatter()->column_width(19);
}

void CommandLine::number(const std::string& field, std::uint64_t& value, std::uint64_t from,
                         std::uint64_t to, const std::string& help) {
  auto& number = numbers_.emplace_back(Number{field, std::to_string(value), &value, from, to});
  app_
    .add_option(field, number.given,
                help + ", " + std::to_string(from) + ".." + std::to_string(to) + "; default "
                  + number.given)
    ->type_name("N");
}

void CommandLine::flag(const std::string& field, bool& value, const std::string& help) {
  app_.add_flag(field, value, help);
}

void CommandLine::text(const std::string& field, std::string& value, const std::string& type,
                       const std::string& help) {
  app_.add_option(field, value, help)->type_name(type);
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  const auto name = app_.get_name();
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app_.exit(call);
  } catch (const CLI::ParseError& error) {
    std::cerr << name << ": " << error.what() << '\n' << name << " --help explains the options.\n";
    return exit_bad_input;
  }

  backoff_actor::Problems problems;
  for (const auto& [field, given, value, from, to] : numbers_) {
    const auto end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, *value);
    if (error != std::errc{} || stop != end || *value < from || *value > to)
      problems.add(field, given.empty() ? "nothing" : given,
                   std::to_string(from) + ".." + std::to_string(to));
  }
  const auto unknown = app_.remaining();
  if (problems.empty() && unknown.empty())
    return std::nullopt;
  for (const auto& argument : unknown)
    std::cerr << name << ": " << argument << ": unexpected argument\n";
  for (const auto& problem : problems.list())
    std::cerr << name << ": " << problem.field << ": got " << problem.given << ", allowed "
              << problem.allowed << '\n';
  std::cerr << name << " --help explains the options.\n";
  return exit_bad_input;
}

} // namespace benchmarks
