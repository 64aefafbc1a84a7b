// What has become of an order: asked for while it is worked on, and its result after that.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>

using namespace std::chrono_literals;
using namespace backoff_actor;

namespace {

// Packs each order, which takes a while, and answers where the parcel is.
caf::behavior packer() {
  return {[](const std::string& order) {
    std::this_thread::sleep_for(100ms);
    return "shelf 7 has " + order;
  }};
}

} // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: asked\n";
    return 2;
  }
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  // [keep]
  SenderOptions options;
  options.rare.largest_kept_answer = 1000; // bytes
  // [keep]
  const auto sender = spawn_back_off_sender(
    system, [](caf::event_based_actor* self) { return self->spawn(packer); }, options);
  caf::scoped_actor self{system};
  const auto fail = [&](const caf::error& error) { std::cout << render(system, error) << '\n'; };
  self->send(sender, Submit{.message = caf::make_message(std::string{"4711"}),
                            .idempotency_key = "order-4711",
                            .answer_when_accepted = true});
  // [ask]
  self->request(sender, 10s, Ask{.idempotency_key = "order-4711"})
    .receive([](const AskAnswer& x) { std::cout << "it is " << to_string(x.state) << '\n'; }, fail);
  // [ask]
  // [wait]
  self->request(sender, 40s, Ask{.idempotency_key = "order-4711", .within = 30s})
    .receive(
      [](const AskAnswer& x) {
        std::cout << to_string(x.state) << ": " << to_string(x.answer) << '\n';
      },
      fail);
  // [wait]
  self->send(sender, Stop{});
}
