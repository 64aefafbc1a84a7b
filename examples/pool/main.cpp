// Eight workers share one outbox. One of them crashes at every message, and one hangs.
// The other six go on, and nothing is lost. The program draws who worked when.
//
//     pool                     a picture of letters, in the terminal
//     pool --svg FILE          a picture for a browser, too

#include "timeline.hpp"

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

using namespace std::chrono_literals;

namespace {

constexpr int customers = 40;
constexpr int orders = 400;

// [workers]
caf::behavior packer(caf::event_based_actor*) {
  return {[](const std::string& order) {
    std::this_thread::sleep_for(20ms);
    return "packed " + order;
  }};
}

caf::behavior clumsy_packer(caf::event_based_actor*) {
  return {[](const std::string&) -> std::string { throw std::runtime_error("dropped it"); }};
}

caf::behavior sleepy_packer(caf::event_based_actor*) {
  return {[](const std::string& order) {
    std::this_thread::sleep_for(1s);
    return "packed " + order;
  }};
}
// [workers]

// [options]
backoff_actor::SenderOptions packers() {
  using backoff_actor::child_of;
  backoff_actor::SenderOptions options;
  options.name = "packer";
  options.ordering = backoff_actor::Ordering::per_key; // one order of a customer at a time
  options.ack_timeout = 300ms;                         // who takes longer hangs
  options.pool.workers = {6, 6};
  options.pool.others = {{child_of<caf::detached>(clumsy_packer)},
                         {child_of<caf::detached>(sleepy_packer)}};
  return options;
}
// [options]

// Submits all orders, and waits until they are packed. Returns how many were.
int pack_all(caf::actor_system& system, const caf::actor& sender) {
  caf::scoped_actor self{system};
  for (int i = 0; i < orders; ++i)
    self->send(sender,
               backoff_actor::Submit{.message = caf::make_message("order " + std::to_string(i)),
                                     .key = "customer " + std::to_string(i % customers)});
  int packed = 0;
  for (int i = 0; i < orders; ++i)
    self->receive([&](const std::string&) { ++packed; });
  return packed;
}

// Returns how many orders were packed.
int run(Timeline& timeline) {
  const backoff_actor::SharedQueue<backoff_actor::Event> events{100'000};
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};
  auto options = packers();
  options.on_event = events.hook();
  const auto sender =
    spawn_back_off_sender(system, backoff_actor::child_of<caf::detached>(packer), options);
  const auto packed = pack_all(system, sender);
  for (const auto& event : events.take())
    timeline.add(event);
  return packed;
}

} // namespace

int main(int argc, char** argv) {
  const auto wants_svg = argc == 3 && std::string{argv[1]} == "--svg";
  if (argc != 1 && !wants_svg) {
    std::cerr << "usage: pool [--svg FILE]\n";
    return 2;
  }
  Timeline timeline;
  const auto packed = run(timeline);
  std::cout << timeline.as_text() << packed << " of " << orders << " orders packed\n";
  if (!wants_svg)
    return 0;
  std::ofstream file{argv[2]};
  file << timeline.as_svg() << std::flush;
  if (file)
    return 0;
  std::cerr << "pool: " << argv[2] << " cannot be written\n";
  return 1;
}
