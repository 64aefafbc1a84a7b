#include "command.hpp"

#include <CLI/App.hpp>

#include <algorithm>
#include <utility>

namespace backoffctl {

namespace {

// The end of a command's help, for which a footer that has exit codes of its own has no use.
std::string with_exit_codes(const std::string& footer) {
  return footer.find("\nExit codes:") != footer.npos
           ? footer
           : footer + "\nExit codes: 0 done, 1 failed, 2 bad input and nothing was done.\n";
}

} // namespace

CLI::App& add_subcommand(CLI::App& parent, const std::string& name, const std::string& description,
                         const std::string& footer) {
  auto& result = *parent.add_subcommand(name, description);
  result.footer(with_exit_codes(footer));
  result.require_subcommand(0, 1);
  return result;
}

Command::Command(CLI::App& parent, const std::string& name, const std::string& description,
                 const std::string& footer)
  : Command(*parent.add_subcommand(name, description)) {
  parser_.footer(with_exit_codes(footer));
}

void Command::read(Problems& problems) {
  for (const auto& flag : flags_) {
    if (flag.given)
      flag.reader(flag.name, *flag.given, problems);
    if (!flag.list.empty())
      flag.list_reader(flag.name, flag.list, problems);
  }
  check(problems);
}

void Command::add_flag(const std::string& name, Reader reader, const std::string& type,
                       const std::string& help) {
  auto& flag = flags_.emplace_back(Flag{name, std::move(reader), {}});
  parser_.add_option(name, flag.given, help)->type_name(type)->expected(0, 1)->join(' ');
}

void Command::add_list(const std::string& name, ListReader reader, const std::string& type,
                       const std::string& help) {
  auto& flag = flags_.emplace_back(Flag{name, {}, std::move(reader)});
  parser_.add_option(name, flag.list, help)->type_name(type)->expected(0, -1);
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

bool Command::is_given(const std::string& name) const {
  return std::any_of(flags_.begin(), flags_.end(), [&](const Flag& flag) {
    return flag.name == name && (flag.given || !flag.list.empty());
  });
}

std::string Command::given(const std::string& name) const {
  const auto found =
    std::find_if(flags_.begin(), flags_.end(), [&](const Flag& flag) { return flag.name == name; });
  return found == flags_.end() ? std::string{} : found->given.value_or("");
}

} // namespace backoffctl
