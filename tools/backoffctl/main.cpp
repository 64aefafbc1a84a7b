// backoffctl: questions about backoffs, answered at the console.

#include "backoffctl/common/help_command.hpp"
#include "backoffctl/common/program.hpp"
#include "backoffctl/live/live.hpp"
#include "backoffctl/outbox/outbox.hpp"
#include "backoffctl/plan/plan.hpp"
#include "backoffctl/simulate/simulate_commands.hpp"
#include "backoffctl/top/top_command.hpp"
#include "backoffctl/tune/tune.hpp"

namespace backoffctl {

namespace {

constexpr auto description =
  R"(Answers questions about backoff policies before you use them, and manages durable outboxes.
)";

constexpr auto footer = R"(
Examples:
  backoffctl plan 'exponential(100ms, x2, cap 30s) | full_jitter' 'fixed(5s)'
      compare two policies, retry by retry
  backoffctl plan --like celery
      see how another system waits
  backoffctl tune --first 1s --factor 2 --elapsed 1023s
      find the retry that is due 1023 s into an outage, and the delays around it
  backoffctl tune --ratio 0.1 --elapsed 1000s --json
      the same for a backoff whose delays are a tenth of the elapsed time, as JSON
  backoffctl simulate --help
      list the experiments that can be simulated
  backoffctl outbox --help
      learn how to inspect a durable outbox, in a file or on a server, and resubmit dead letters
  backoffctl top --help
      learn how to see what a running program owes, since when, and why
  backoffctl outage --help
      learn how to stop a real server while a thousand real clients call it

backoffctl COMMAND --help, or backoffctl help COMMAND, explains a command, with examples.

Exit codes:
  0  done
  1  failed, for example because the output cannot be written
  2  bad input; nothing was done
  3  of outage: done, but the clients did not recover
)";

void add_commands(CLI::App& program, Commands& commands) {
  add_command<PlanCommand>(program, commands);
  add_policies_command(program, commands);
  add_tune_command(program, commands);
  add_simulate_commands(program, commands);
  add_outbox_commands(program, commands);
  add_serve_command(program, commands);
  add_load_command(program, commands);
  add_live_outage_command(program, commands);
  add_top_command(program, commands);
  add_help_command(program, commands);
}

} // namespace

} // namespace backoffctl

int main(int argc, char** argv) {
  return backoffctl::run_program(
    argc, argv, {backoffctl::description, backoffctl::footer, &backoffctl::add_commands});
}
