#include "live_commands.hpp"

#include "live_flags.hpp"
#include "live_help.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace backoffctl {

namespace {

constexpr std::array<std::string_view, 4> live_commands{"serve", "load", "outage", "top"};

std::filesystem::path live_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "backoffctl-live";
}

// Explains the command. It is done here only if the program that does it cannot be started.
class LiveCommand final : public Command {
public:
  template <class Flags, class Declare>
  LiveCommand(CLI::App& backoffctl, const char* name, const HelpText& help,
              const std::shared_ptr<Flags>& flags, Declare declare)
    : Command(add_subcommand(backoffctl, name, help.description), help.footer), name_(name),
      flags_(flags) {
    declare(*flags, flag_adder(), switch_adder());
  }

  void check(backoff_actor::Problems&) override {}

  std::string run() override {
    const auto program = live_program().string();
    const auto error = access(program.c_str(), X_OK) == 0 ? ENOEXEC : errno;
    throw std::runtime_error{name_ + " needs the program " + program + ", which cannot be started: "
                             + std::generic_category().message(error)
                             + "\nbackoffctl's build makes it if libevent and OpenSSL are "
                               "installed: apt-get install libevent-dev libssl-dev"};
  }

private:
  std::string name_;
  std::shared_ptr<void> flags_; // where the parser puts what is given
};

} // namespace

void become_live_program(int argc, char** argv) {
  if (argc < 2)
    return;
  for (const auto command : live_commands)
    if (command == argv[1])
      execv(live_program().c_str(), argv);
}

void add_live_commands(CLI::App& backoffctl, Commands& commands) {
  const auto add = [&](const char* name, const HelpText& help, auto flags, auto declare) {
    commands.push_back(std::make_unique<LiveCommand>(backoffctl, name, help, flags, declare));
  };
  add("serve", serve_help, std::make_shared<ServeFlags>(),
      [](auto& flags, auto add_flag, auto add_switch) {
        declare_serve(flags, add_flag, add_switch);
      });
  add(
    "load", load_help, std::make_shared<LoadFlags>(),
    [](auto& flags, auto add_flag, auto add_switch) { declare_load(flags, add_flag, add_switch); });
  add("outage", live_outage_help, std::make_shared<LiveOutageFlags>(),
      [](auto& flags, auto add_flag, auto add_switch) {
        declare_live_outage(flags, add_flag, add_switch);
      });
  add(
    "top", top_help, std::make_shared<TopFlags>(),
    [](auto& flags, auto add_flag, auto add_switch) { declare_top(flags, add_flag, add_switch); });
}

} // namespace backoffctl
