#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace mail {

// [mailer]
/// Sends mails, one after the other. Knows nothing of supervision.
class Mailer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {
      [](const std::string& address) {
        if (address.find('@') == std::string::npos)
          throw std::invalid_argument("no address: " + address);
        return "sent to " + address; // where yours would talk to its server
      },
    };
  }
};
// [mailer]

// [supervision]
/// How the program runs it: a mail is given three chances, of half a minute each.
inline backoff_actor::SenderOptions supervision() {
  using namespace std::chrono_literals;
  backoff_actor::SenderOptions options;
  options.backoff = backoff_actor::Exponential{.first = 1s, .cap = 1min};
  options.ack_timeout = 30s;
  options.max_attempts = 3;
  return options;
}
// [supervision]

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
