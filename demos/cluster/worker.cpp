// cluster_worker: one of the processes that share an outbox in PostgreSQL. `cluster`, beside it,
// and the tests start it. SIGTERM ends it in order; SIGUSR1 ends its client.

#include "calendar.hpp"
#include "notes.hpp"
#include "worker_actors.hpp"
#include "worker_options.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/caf/offered/offer_workers.hpp>
#include <backoff_actor/caf/remote/listen.hpp>
#include <backoff_actor/caf/remote/network.hpp>
#include <backoff_actor/caf/remote/remote_child.hpp>
#include <backoff_actor/process/stop_signals.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <caf/scoped_actor.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace cluster {

namespace {

using namespace std::chrono_literals;

std::atomic<bool> is_quiet = false;

// The entries of the calendar name no zone.
backoff_actor::Zone only_utc(const std::string&) { return {}; }

backoff_actor::SharedOutbox outbox_of(const WorkerOptions& options,
                                      const std::shared_ptr<const NoteWriter>& notes) {
  backoff_actor::SharedOutbox outbox;
  outbox.store = backoff_actor::postgres_store(
    {options.connection, options.outbox}, {.lease = options.lease,
                                           .node = options.node,
                                           .find_zone = options.has_lives ? &only_utc : nullptr});
  outbox.types = backoff_actor::durable<std::uint64_t>();
  outbox.foreign("order.v1", read_order);
  outbox.foreign(Calendar::type, read_entry);
  outbox.options.on_error = [notes](const backoff_actor::StoreError& error) {
    notes->write("error", error.what());
  };
  return outbox;
}

backoff_actor::SenderOptions sender_options(const WorkerOptions& given,
                                            const std::shared_ptr<const NoteWriter>& notes) {
  backoff_actor::SenderOptions options;
  options.name = "jobs";
  options.acknowledgement = backoff_actor::Acknowledgement::by_sent; // the child gets the epoch
  options.ordering = backoff_actor::Ordering::per_key;
  options.pool.workers = {4, 4};
  if (!given.ports.empty())
    options.pool.offered.most = 64;
  options.ack_timeout = 30s;
  options.kill_grace = 1s;
  options.on_event = [notes](const backoff_actor::Event& event) {
    const auto* const notice = std::get_if<backoff_actor::event::StoreNotice>(&event);
    if (notice == nullptr)
      return;
    if (notice->text.ends_with("this process owns it now"))
      notes->write("owns");
    else if (notice->text.ends_with("this process owns it no longer"))
      notes->write("disowned");
    else
      notes->write("notice", notice->text);
  };
  return options;
}

// A process that is frozen is given up when its lease would be over.
backoff_actor::NetworkOptions network_options(const WorkerOptions& options,
                                              const std::shared_ptr<const NoteWriter>& notes) {
  return {.heartbeat_interval = options.lease / 4,
          .connection_timeout = options.lease,
          .on_event = [notes](const backoff_actor::NetworkEvent& event) {
            notes->write("network", to_string(event));
          }};
}

std::vector<backoff_actor::NodeAddress> nodes_of(const WorkerOptions& options) {
  std::vector<backoff_actor::NodeAddress> result;
  std::istringstream ports{options.ports};
  for (std::string port; std::getline(ports, port, ',');)
    result.push_back({"127.0.0.1", static_cast<std::uint16_t>(std::stoul(port))});
  return result;
}

// Works for whoever owns the outbox.
int offer(const WorkerOptions& options, const std::shared_ptr<const NoteWriter>& notes) {
  backoff_actor::StopSignals signals;
  caf::actor_system_config config;
  backoff_actor::init_network(config, network_options(options, notes));
  caf::actor_system system{config};
  const auto offer = backoff_actor::offer_workers(
    system, {.find_owner = backoff_actor::remote_child(nodes_of(options)),
             .make_child = service_callers(options, notes),
             .workers = 4,
             .on_notice = [notes](const std::string& text) {
               notes->write(text.ends_with("has taken the workers") ? "joined" : "alone", text);
             }});
  notes->write("up");
  signals.wait();
  caf::scoped_actor self{system};
  self->request(offer, caf::infinite, backoff_actor::Stop{5s})
    .receive([](const backoff_actor::Stopped&) {}, [](const caf::error&) {});
  notes->write("stopped");
  return 0;
}

int run(const WorkerOptions& options) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (static_cast<std::uint64_t>(getppid()) != options.parent)
    return 1; // it has ended before
  const auto notes = std::make_shared<const NoteWriter>(options.notes, options.node);
  const auto has_nodes = !options.ports.empty();
  if (has_nodes && options.port == 0)
    return offer(options, notes);
  caf::actor_system_config config;
  if (has_nodes)
    backoff_actor::init_network(config, network_options(options, notes));
  else
    backoff_actor::init(config);
  caf::actor_system system{config};
  backoff_actor::GracefulShutdown shutdown{
    system, {.grace = 5s, .force_end_after = 5s, .report = {.on_line = [](auto) {}}}};
  const auto sender =
    backoff_actor::spawn_owned_sender(system, service_callers(options, notes),
                                      sender_options(options, notes), outbox_of(options, notes));
  shutdown.add(sender);
  std::optional<backoff_actor::Listener> listener;
  if (has_nodes)
    listener = backoff_actor::listen(
      system, {.port = static_cast<std::uint16_t>(options.port), .published = sender});
  const auto client = spawn_client(system, sender, options, notes, is_quiet);
  notes->write("up");
  const auto code = shutdown.wait_and_stop();
  caf::anon_send_exit(client, caf::exit_reason::user_shutdown);
  notes->write("stopped");
  return code;
}

} // namespace

} // namespace cluster

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGUSR1, [](int) { cluster::is_quiet.store(true); });
  try {
    return cluster::run(cluster::read_worker_options(argc, argv));
  } catch (const std::exception& exception) {
    std::cerr << "cluster_worker: " << exception.what() << std::endl;
    return 2;
  }
}
