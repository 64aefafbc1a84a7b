#include "contention.hpp"

#include "backoffctl/common/commands.hpp"

namespace backoffctl {

namespace {

constexpr auto simulate_description = R"(Experiments with many clients, in virtual time.

Each client follows a policy and runs the code of the library's own senders. Time is virtual: an
hour takes only as long as its computation. The same --seed gives the same figures again. Only the
figures of an outage may differ between machines whose C libraries round powers differently.
)";

constexpr auto simulate_footer = R"(
Examples:
  backoffctl simulate contention --clients 100
      a hundred clients write the same row: see what jitter does
  backoffctl simulate outage
      a service stops and comes back: see which clients let it recover
  backoffctl simulate dead-letters
      a service is down for an hour: see which messages of an outbox die
  backoffctl simulate outage --help
      explain this experiment

backoffctl simulate COMMAND --help explains an experiment, with examples.
)";

} // namespace

void add_simulate_commands(CLI::App& backoffctl, Commands& commands) {
  auto& simulate = add_subcommand(backoffctl, "simulate", simulate_description, simulate_footer);
  add_command<ContentionCommand>(simulate, commands);
  add_dead_letters_command(simulate, commands);
  add_outage_command(simulate, commands);
}

} // namespace backoffctl
