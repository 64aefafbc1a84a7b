#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <stdexcept>
#include <string>

namespace mail {

/// Sends mails, one after the other. It contains no retry code.
class Mailer : public caf::event_based_actor {
public:
  using caf::event_based_actor::event_based_actor;

  caf::behavior make_behavior() override {
    return {
      [](const std::string& address) {
        if (address.find('@') == std::string::npos)
          throw std::invalid_argument("no address: " + address);
        return "sent to " + address; // a real worker would call the mail server here
      },
    };
  }
};

/// How the program supervises it: at most three attempts, each of at most 30 s.
inline backoff_actor::SenderOptions supervision() {
  using namespace std::chrono_literals;
  backoff_actor::SenderOptions options;
  options.backoff = backoff_actor::Exponential{.first = 1s, .factor = 2, .cap = 1min};
  options.ack_timeout = 30s;
  options.max_attempts = 3;
  options.charging = backoff_actor::Charging::every_failure();
  return options;
}

} // namespace mail
