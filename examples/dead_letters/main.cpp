// A message that the worker cannot bear costs a few crashes and becomes a dead letter, while the
// others get through. Once the worker is mended, the dead letter is submitted again. Dead letters
// that come while the program ends are kept, too.

#include <backoff_actor/backoff_actor.hpp>

#include <caf/scoped_actor.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

using namespace std::chrono_literals;

std::atomic<bool> is_mended = false;

class Parser : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;
  caf::behavior make_behavior() override {
    return {[](const std::string& order) {
      if (order == "poison" && !is_mended)
        throw std::runtime_error("cannot parse it");
      return order + " parsed";
    }};
  }
};

// What became of an order: the worker's answer, or the sender's error.
template <class Message>
std::string ask(caf::scoped_actor& self, const caf::actor& sender, const Message& message) {
  std::string result;
  self->request(sender, caf::infinite, message)
    .receive(
      [&](const std::string& answer) { result = answer; },
      [&](const caf::error& error) { result = backoff_actor::render(self->system(), error); });
  return result;
}

void run(const backoff_actor::SharedQueue<backoff_actor::DeadLetter>& letters) {
  caf::actor_system_config config;
  backoff_actor::init(config);
  caf::actor_system system{config};

  // [options]
  backoff_actor::SenderOptions options;
  options.backoff = backoff_actor::RandomSlots{.slot_time = 1ms};
  options.max_attempts = 3;                                    // then a delivery is given up
  options.charging = backoff_actor::Charging::every_failure(); // the parser calls no service
  options.ack_timeout = 5s;           // a silent child is ended and made again
  options.capacity = 10'000;          // more is refused, with `outbox_full`
  options.time_to_live = 1min;        // older deliveries are given up
  options.restart_limit = {50, 1min}; // a child that fails more often ends the sender
  options.on_dead_letter = letters.hook();
  // [options]
  const auto sender =
    backoff_actor::spawn_back_off_sender(system, backoff_actor::child_of<Parser>(), options);

  caf::scoped_actor self{system};
  for (const std::string order : {"first", "poison", "second"})
    std::cout << ask(self, sender, order) << '\n';

  // [resubmit]
  const backoff_actor::DeadLetter letter = letters.take().at(0);
  is_mended = true;
  std::cout << letter.attempts << " attempts, " << letter.cause << ": "
            << ask(self, sender, backoff_actor::resubmit(letter)) << '\n';
  // [resubmit]

  is_mended = false;
  for (int i = 0; i < 2; ++i)
    self->send(sender, std::string{"poison"});
} // the actor system waits here for the sender, which gives these two up

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: dead_letters\n";
    return 2;
  }
  // [queue]
  // Before the actor system: the queue gets also what the senders give up while the system ends.
  const backoff_actor::SharedQueue<backoff_actor::DeadLetter> letters;
  // [queue]
  run(letters);
  std::cout << letters.take().size() << " dead letters at the end of the actor system" << std::endl;
}
