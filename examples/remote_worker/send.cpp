#include "commands.hpp"

#include "client.hpp"
#include "common/signals.hpp"
#include "network.hpp"

#include "backoff_actor/caf/remote/remote_child.hpp"
#include "backoff_actor/caf/sender/sender.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <iostream>
#include <optional>
#include <system_error>

namespace remote_worker {

namespace {

using namespace std::chrono_literals;

constexpr auto look_around = 50ms;
constexpr auto report_interval = 1s;

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
std::optional<int> look_on(const Desk& desk, std::uint64_t count, example::Signals& signals) {
  const auto begin = std::chrono::steady_clock::now();
  auto next = begin + report_interval;
  while (!desk.client_has_ended) {
    if (const auto signal = signals.wait(look_around))
      return signal;
    const auto now = std::chrono::steady_clock::now();
    if (now < next)
      continue;
    std::cerr << "sender: " << (now - begin) / 1s << " s: " << progress(desk.tally.counts(), count)
              << std::endl;
    next += report_interval;
  }
  return std::nullopt;
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
  example::Signals signals; // before any thread
  std::optional<int> signal;
  {
    caf::actor_system_config config;
    init(config);
    caf::actor_system system{config};
    // A node that is frozen still accepts connections, and says nothing.
    const auto sender = backoff_actor::spawn_back_off_sender(
      system, backoff_actor::remote_child(options.workers, {.step_timeout = connection_timeout}),
      sender_options(options, desk.tally));
    system.spawn<Client>(sender, options.count, 2 * std::uint64_t{options.window}, &desk);
    signal = look_on(desk, options.count, signals);
    caf::anon_send_exit(sender, caf::exit_reason::user_shutdown);
  }
  const auto counts = desk.tally.counts();
  if (counts.gave_up)
    std::cerr << "sender: gave up after " << backoff_actor::to_string(options.patience)
              << " without progress; the last failure: " << counts.last_failure << '\n';
  std::cout << summary(counts) << std::endl;
  if (signal)
    return 128 + *signal;
  return counts.acknowledged == options.count ? exit_done : exit_failed;
}

} // namespace remote_worker
