// What is to be done again and again: the sender submits it at each time of a schedule.

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/zones/find_zone.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

namespace {

// Does what is due, and says so. The library recreates it if it fails.
caf::behavior clerk(caf::event_based_actor* self, const caf::actor& listener) {
  return {[=](const std::string& work) { self->send(listener, work + " done"); }};
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: repeated\n";
    return 2;
  }
  using namespace backoff_actor;
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  caf::scoped_actor self{system};

  SenderOptions options;
  options.rare.find_zone = find_zone;
  const auto sender = spawn_back_off_sender(system, child_of(clerk, caf::actor{self}), options);

  // [repeat]
  const Repeat report{.name = "report",
                      .schedule = "at(02:30, Europe/Berlin)",
                      .message = caf::make_message(std::string{"report"}),
                      .missed = Missed::run_all};
  const Repeat pulse{
    .name = "pulse", .schedule = "every(1s)", .message = caf::make_message(std::string{"pulse"})};
  for (const auto& entry : {report, pulse, pulse})
    self->request(sender, 10s, entry)
      .receive(
        [&](const RepeatAnswer& x) {
          std::cout << entry.name << ' ' << to_string(x.change) << '\n';
        },
        [&](const caf::error& error) { std::cerr << render(system, error) << '\n'; });
  // [repeat]
  self->receive([](const std::string& done) { std::cout << done << '\n'; });
  // [cancel]
  self->send(sender, Cancel{.idempotency_key = entry_key("pulse")});
  // [cancel]
  self->send(sender, Stop{});
}
