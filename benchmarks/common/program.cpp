#include "common/program.hpp"

#include <backoff_actor/core/problems.hpp>

#include <charconv>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>

namespace benchmarks {

namespace {

enum ExitCode : int { exit_done = 0, exit_failed = 1, exit_bad_input = 2 };

} // namespace

std::string folder_of_programs() {
  return std::filesystem::canonical("/proc/self/exe").parent_path().string();
}

Program::Program(const Words& words) : app_(words.description, words.name) {
  app_.footer("\nExamples:\n" + words.examples + "\nExit codes:\n  0    done\n  1    "
              + words.failures + "\n  2    bad input; nothing was run\n");
  app_.allow_extras();
  app_.get_formatter()->column_width(19);
  flag("--json", as_json_, "print JSON with the figures of every round");
}

void Program::checked(const std::string& field, std::string given, std::string allowed,
                      const std::string& type, const std::string& help,
                      std::function<bool(const std::string&)> takes) {
  auto& option =
    options_.emplace_back(Option{field, std::move(given), std::move(allowed), std::move(takes)});
  app_.add_option(field, option.given, help + ", " + option.allowed + "; default " + option.given)
    ->type_name(type);
}

void Program::number(const std::string& field, std::uint64_t& value, std::uint64_t from,
                     std::uint64_t to, const std::string& help) {
  checked(field, std::to_string(value), std::to_string(from) + ".." + std::to_string(to), "N", help,
          [&value, from, to](const std::string& given) {
            const auto end = given.data() + given.size();
            const auto [stop, error] = std::from_chars(given.data(), end, value);
            return error == std::errc{} && stop == end && value >= from && value <= to;
          });
}

void Program::time(const std::string& field, backoff_actor::Duration& value,
                   backoff_actor::Duration from, backoff_actor::Duration to,
                   const std::string& help) {
  using backoff_actor::to_string;
  checked(field, to_string(value), to_string(from) + ".." + to_string(to), "TIME", help,
          [&value, from, to](const std::string& given) {
            const auto parsed = backoff_actor::parse_duration(given);
            value = parsed.value_or(value);
            return parsed && value >= from && value <= to;
          });
}

void Program::flag(const std::string& field, bool& value, const std::string& help) {
  app_.add_flag(field, value, help);
}

void Program::text(const std::string& field, std::string& value, const std::string& type,
                   const std::string& help) {
  app_.add_option(field, value, help)->type_name(type);
}

int Program::fail(int code, const std::string& line) const {
  std::cerr << app_.get_name() << ": " << line << '\n';
  if (code == exit_bad_input)
    std::cerr << app_.get_name() << " --help explains the options.\n";
  return code;
}

int Program::run(int argc, char** argv, const std::function<Report()>& measure) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp& call) {
    return app_.exit(call);
  } catch (const CLI::ParseError& error) {
    return fail(exit_bad_input, error.what());
  }
  backoff_actor::Problems problems{app_.get_name()};
  for (const auto& argument : app_.remaining())
    problems.add(argument, "unexpected argument", "");
  for (const auto& [field, given, allowed, takes] : options_)
    if (!takes(given))
      problems.add(field, given.empty() ? "nothing" : given, allowed);
  if (!problems.empty()) {
    std::cerr << to_string(problems) << '\n';
    std::cerr << app_.get_name() << " --help explains the options.\n";
    return exit_bad_input;
  }
  try {
    auto report = measure();
    report.json["benchmark"] = app_.get_name();
    std::cout << (as_json_ ? report.json.dump(2) + '\n' : report.text);
    return report.is_good ? exit_done : exit_failed;
  } catch (const BadInput& error) {
    return fail(exit_bad_input, error.what());
  } catch (const std::exception& error) {
    return fail(exit_failed, error.what());
  }
}

} // namespace benchmarks
