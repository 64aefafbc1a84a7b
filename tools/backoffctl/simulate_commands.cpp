#include "simulate_commands.hpp"

#include "contention_command.hpp"
#include "outage_command.hpp"

namespace backoffctl {

namespace {

constexpr auto simulate_description = R"(Experiments with many clients, in virtual time.

Each client goes by a policy, with the code that the library's own senders use. Time is virtual: an
hour takes as long as it takes to compute, and a --seed gives the same figures again; those of
an outage may differ where the C library rounds powers otherwise.
)";

constexpr auto simulate_footer = R"(
Examples:
  backoffctl simulate contention --clients 100
      a hundred clients want the same row: what jitter is good for
  backoffctl simulate outage
      a service stops and comes back: with which clients does it recover?
  backoffctl simulate outage --help
      all about this experiment

backoffctl simulate COMMAND --help explains an experiment, with examples.
)";

} // namespace

void add_simulate_commands(CLI::App& backoffctl, Commands& commands) {
  auto& simulate = *backoffctl.add_subcommand("simulate", simulate_description);
  simulate.footer(simulate_footer);
  simulate.allow_extras();
  simulate.require_subcommand(0, 1);
  commands.push_back(add_contention_command(simulate));
  commands.push_back(add_outage_command(simulate));
}

} // namespace backoffctl
