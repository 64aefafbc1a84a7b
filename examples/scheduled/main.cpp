// A message that waits for its time: a reminder that goes out later, while others go at once, and
// whose text changes meanwhile.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <string>

using namespace std::chrono_literals;

namespace {

// Sends a mail. The library recreates it if it fails.
caf::behavior mailer() {
  return {[](const std::string& mail) { return "sent: " + mail; }};
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: scheduled\n";
    return 2;
  }
  using namespace backoff_actor;
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};

  SenderOptions options;
  options.ordering = Ordering::unordered; // a reminder holds up nothing
  options.on_event = [](const Event& event) {
    if (std::holds_alternative<event::Scheduled>(event))
      std::cout << to_string(event) << '\n';
  };
  const auto sender = spawn_back_off_sender(system, child_of(mailer), options);
  caf::scoped_actor self{system};
  const auto print = [](const std::string& receipt) { std::cout << receipt << '\n'; };
  const auto fail = [&](const caf::error& error) { std::cerr << render(system, error) << '\n'; };

  // [delay]
  const Submit reminder{.message = caf::make_message(std::string{"your trial ends tomorrow"}),
                        .delay = 200ms,
                        .idempotency_key = "trial-12"};
  // [delay]
  auto later = self->request(sender, 10s, reminder);
  self->request(sender, 10s, std::string{"welcome"}).receive(print, fail);
  // [replace]
  const Replace other{.idempotency_key = "trial-12",
                      .payload = caf::make_message(std::string{"your trial ends in a week"})};
  self->request(sender, 10s, other)
    .receive([](const CancelAnswer& x) { std::cout << "it was " << to_string(x.found) << '\n'; },
             fail);
  // [replace]
  later.receive(print, fail);
  self->send(sender, Stop{});
}
