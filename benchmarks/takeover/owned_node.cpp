#include "takeover/owned_node.hpp"

#include <backoff_actor/backoff_actor.hpp>
#include <backoff_actor/store/postgres/postgres_store.hpp>

#include <caf/scoped_actor.hpp>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace takeover {

namespace {

using namespace backoff_actor;
using namespace std::chrono_literals;

class SilentWorker : public caf::event_based_actor {
public:
  SilentWorker(caf::actor_config& config, Teller tell)
    : caf::event_based_actor(config), tell_(std::move(tell)) {}

  caf::behavior make_behavior() override {
    return {[this](const TrackedMsg&) { tell_(News::owns); }};
  }

private:
  Teller tell_;
};

} // namespace

void be_owned_node(const NodeOptions& options, const Teller& tell) {
  caf::actor_system_config config;
  init(config);
  caf::actor_system system{config};
  SharedOutbox outbox;
  outbox.store = postgres_store({options.connection, options.outbox},
                                {.lease = options.lease, .node = options.name});
  outbox.types = durable<std::string>();
  SenderOptions sender_options;
  sender_options.acknowledgement = Acknowledgement::by_sent;
  sender_options.ack_timeout = 1h;
  tell(News::waits);
  const auto sender = spawn_owned_sender(system, child_of<SilentWorker>(tell),
                                         std::move(sender_options), std::move(outbox));
  // A node that does not own the outbox yet refuses. What is accepted is owed for ever.
  caf::scoped_actor self{system};
  for (auto is_accepted = !options.is_first; !is_accepted;) {
    self
      ->request(
        sender, caf::infinite,
        Submit{.message = caf::make_message(std::string{"owed"}), .answer_when_accepted = true})
      .receive([&is_accepted](const Accepted&) { is_accepted = true; }, [](const caf::error&) {});
    std::this_thread::sleep_for(20ms);
  }
  tell(News::works);
  for (;;)
    std::this_thread::sleep_for(1h);
}

} // namespace takeover
