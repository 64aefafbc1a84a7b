#include "commands.hpp"

#include "common/arguments.hpp"
#include "ledger_worker.hpp"
#include "network.hpp"

#include "backoff_actor/caf/remote/listen.hpp"
#include "backoff_actor/process/stop_signals.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>

namespace remote_worker {

namespace {

// Listens, or says why it cannot.
std::optional<backoff_actor::Listener> listen(caf::actor_system& system, const caf::actor& worker,
                                              const WorkerOptions& options) {
  backoff_actor::Problems problems;
  try {
    // [listen]
    return backoff_actor::listen(
      system, {.address = options.host, .port = options.port, .published = worker});
    // [listen]
  } catch (const backoff_actor::InvalidArgument&) {
    problems.add("--host", options.host,
                 "an address of this machine, and without --tls one that only this machine "
                 "reaches, such as 127.0.0.1");
  } catch (const std::system_error&) {
    problems.add("--host, --port",
                 to_string(backoff_actor::NodeAddress{options.host, options.port})
                   + ", where it cannot listen",
                 "an address of this machine, and a port that nobody has, or 0 for any");
  }
  example::complain("remote_worker", problems);
  return std::nullopt;
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
  init(config, options.tls);
  caf::actor_system system{config};
  const auto worker =
    system.spawn<LedgerWorker, caf::detached>(options.name, options.work, ledger.get());
  auto listener = listen(system, worker, options);
  if (listener) {
    std::cout << "listening at "
              << to_string(backoff_actor::NodeAddress{options.host, listener->port()}) << std::endl;
    signals.wait();
    listener->close();
  }
  caf::anon_send_exit(worker, caf::exit_reason::kill);
  if (!listener)
    return exit_bad_input;
  system.await_all_actors_done();
  std::cout << "executed " << ledger->executed << ", handed over again and recognised "
            << ledger->known << std::endl;
  // All is written. CAF 0.17.6 would now and then wait for ever for the worker's thread, if its
  // middleman sends heartbeats: the last word about the worker may be left in the mailbox of CAF's
  // broker, and holds the worker.
  std::_Exit(exit_done);
}

} // namespace remote_worker
