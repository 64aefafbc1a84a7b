// backoffctl-live: the commands of backoffctl that need sockets, threads and actors. backoffctl
// starts it.

#include "load_command.hpp"
#include "outage_command.hpp"
#include "serve_command.hpp"
#include "top/top_command.hpp"

#include "backoffctl/program.hpp"

namespace backoffctl {

namespace {

constexpr auto description = R"(The commands of backoffctl that need sockets, threads and actors.
)";

constexpr auto footer = R"(
backoffctl starts this program; backoffctl --help tells all its commands.
)";

void add_commands(CLI::App& program, Commands& commands) {
  commands.push_back(add_serve_command(program));
  commands.push_back(add_load_command(program));
  commands.push_back(add_live_outage_command(program));
  commands.push_back(add_top_command(program));
}

} // namespace

} // namespace backoffctl

int main(int argc, char** argv) {
  return backoffctl::run_program(
    argc, argv, {backoffctl::description, backoffctl::footer, &backoffctl::add_commands});
}
