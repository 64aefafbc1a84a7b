#include "commands.hpp"

#include "client.hpp"
#include "network.hpp"

#include "backoff_actor/caf/main/graceful_shutdown.hpp"
#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <iostream>
#include <system_error>

namespace remote_worker {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 50ms;
constexpr auto report_interval = 1s;
constexpr auto grace = 2s; // twice the time to acknowledge

backoff_actor::SenderOptions sender_options(const SendOptions& options, Tally& tally) {
  backoff_actor::SenderOptions result;
  result.acknowledgement = backoff_actor::Acknowledgement::by_sent;
  result.backoff = backoff_actor::Exponential{.first = 20ms, .factor = 2, .cap = 500ms}
                   | backoff_actor::full_jitter;
  result.seed = options.seed;
  result.stream = 0;
  result.max_in_flight = options.window;
  // What is lost on the way is reported by nobody.
  result.ack_timeout = 1s;
  result.max_elapsed = options.patience;
  result.on_event = [&tally](const backoff_actor::Event& event) { tally.on_event(event); };
  return result;
}

// Tells once a second how far it is, until the client has ended or a signal comes.
void look_on(const Desk& desk, std::uint64_t count, backoff_actor::GracefulShutdown& shutdown) {
  const auto begin = std::chrono::steady_clock::now();
  auto next = begin + report_interval;
  while (!desk.client_has_ended && !shutdown.wait_for(look_around)) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next)
      continue;
    std::cerr << "sender: " << (now - begin) / 1s << " s: " << progress(desk.tally.counts(), count)
              << std::endl;
    next += report_interval;
  }
}

} // namespace

int send(const SendOptions& options) {
  Desk desk;
  if (!options.acknowledged.empty())
    try {
      desk.acknowledged.emplace(options.acknowledged, example::LineFile::Begin::without_them);
    } catch (const std::system_error& error) {
      return refuse_file("--acknowledged", options.acknowledged, error.code().message());
    }
  int signal = 0;
  {
    caf::actor_system_config config;
    init(config, options.tls);
    caf::actor_system system{config};
    backoff_actor::GracefulShutdown shutdown{system, {.grace = grace}};
    // A node that is frozen still accepts connections, and says nothing.
    const auto sender = backoff_actor::spawn_back_off_sender(
      system, backoff_actor::remote_child(options.workers, {.step_timeout = connection_timeout}),
      sender_options(options, desk.tally));
    system.spawn<Client>(sender, options.count, 2 * std::uint64_t{options.window}, &desk);
    shutdown.add(sender);
    look_on(desk, options.count, shutdown);
    signal = shutdown.signal();
    shutdown.stop();
  }
  const auto counts = desk.tally.counts();
  if (counts.gave_up)
    std::cerr << "sender: gave up after " << backoff_actor::to_string(options.patience)
              << " without progress; the last failure: " << counts.last_failure << '\n';
  std::cout << summary(counts) << std::endl;
  if (signal != 0)
    return 128 + signal;
  return counts.acknowledged == options.count ? exit_done : exit_failed;
}

} // namespace remote_worker
