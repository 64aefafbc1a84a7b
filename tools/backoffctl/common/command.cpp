#include "command.hpp"

#include <CLI/App.hpp>

namespace backoffctl {

CLI::App& add_subcommand(CLI::App& parent, const std::string& name,
                         const std::string& description) {
  return *parent.add_subcommand(name, description);
}

CLI::App& add_subcommand(CLI::App& parent, const std::string& name, const std::string& description,
                         const std::string& footer) {
  auto& result = add_subcommand(parent, name, description);
  result.footer(footer);
  result.require_subcommand(0, 1);
  return result;
}

Command::Command(CLI::App& parser, const std::string& footer) : parser_(parser) {
  parser.footer(footer);
}

void Command::add_flag(const std::string& name, std::optional<std::string>& given,
                       const std::string& type, const std::string& help) {
  parser_.add_option(name, given, help)
    ->type_name(type)
    ->expected(name.starts_with('-') ? 0 : 1, 1)
    ->join(' ');
}

void Command::add_flag(const std::string& name, std::vector<std::string>& given,
                       const std::string& type, const std::string& help) {
  parser_.add_option(name, given, help)->type_name(type)->expected(0, -1);
}

void Command::add_value(const std::string& name, std::optional<std::string>& given,
                        const std::string& help) {
  parser_.add_option(name, given, help)->type_name("")->expected(1);
}

void Command::add_values(const std::string& name, std::vector<std::string>& given,
                         const std::string& help, bool may_be_none) {
  auto* const result = parser_.add_option(name, given, help)->type_name("");
  if (may_be_none)
    result->expected(0, -1);
}

void Command::add_switch(const std::string& name, bool& given, const std::string& help) {
  parser_.add_flag(name, given, help)->disable_flag_override();
}

} // namespace backoffctl
