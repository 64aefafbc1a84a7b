#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <functional>
#include <string>
#include <utility>

namespace mail {

// [courier]
/// Hands a mail to its server, and returns the server's answer. It may block until then.
using Server = std::function<std::string(const std::string& address)>;

/// Waits for its server. The program runs it in a thread of its own.
class Courier : public caf::event_based_actor {
public:
  Courier(caf::actor_config& config, Server server)
    : caf::event_based_actor(config), server_(std::move(server)) {}

  caf::behavior make_behavior() override {
    return {[this](const std::string& address) { return server_(address); }};
  }

private:
  Server server_;
};

inline backoff_actor::ChildFactory couriers(Server server) {
  return backoff_actor::child_of<Courier, caf::detached>(std::move(server));
}
// [courier]

} // namespace mail
