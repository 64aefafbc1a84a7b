#include "commands.hpp"

#include "common/arguments.hpp"
#include "ledger_worker.hpp"
#include "network.hpp"

#include "backoff_actor/process/stop_signals.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/io/middleman.hpp>
#include <caf/send.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <system_error>

namespace remote_worker {

namespace {

int refuse_address(const WorkerOptions& options) {
  backoff_actor::Problems problems;
  problems.add("--host, --port",
               to_string(backoff_actor::NodeAddress{options.host, options.port})
                 + ", where it cannot listen",
               "an address of this machine, and a port that nobody has, or 0 for any");
  example::complain("remote_worker", problems);
  return exit_bad_input;
}

} // namespace

int work(const WorkerOptions& options) {
  std::unique_ptr<Ledger> ledger;
  try {
    ledger.reset(new Ledger{example::LineFile{options.ledger}});
  } catch (const std::system_error& error) {
    return refuse_file("--ledger", options.ledger, error.code().message());
  }
  backoff_actor::StopSignals signals;
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  const auto worker =
    system.spawn<LedgerWorker, caf::detached>(options.name, options.work, ledger.get());
  // With SO_REUSEADDR: a worker that is started again takes the port of the one that was killed.
  const auto port = system.middleman().publish(worker, options.port, options.host.c_str(), true);
  if (port) {
    std::cout << "listening at " << to_string(backoff_actor::NodeAddress{options.host, *port})
              << std::endl;
    signals.wait();
  }
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  if (!port)
    return refuse_address(options);
  system.await_all_actors_done();
  std::cout << "executed " << ledger->executed << ", handed over again and recognised "
            << ledger->known << std::endl;
  // All is written. CAF 0.17.6 would now and then wait for ever for the worker's thread, if its
  // middleman sends heartbeats: the last word about the worker may be left in the mailbox of CAF's
  // broker, and holds the worker.
  std::_Exit(exit_done);
}

} // namespace remote_worker
