#pragma once

#include <backoff_actor/backoff_actor.hpp>

#include <caf/sec.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <utility>

namespace print {

/// Prints a page. It returns a receipt.
using Print = std::function<std::string(const std::string& page)>;

/// Prints a page once, however often this actor gets it.
class Printer : public caf::event_based_actor {
public:
  Printer(caf::actor_config& config, Print print)
    : caf::event_based_actor(config), print_(std::move(print)) {}

  caf::behavior make_behavior() override {
    return {[this](const backoff_actor::TrackedMsg& x) {
      if (!x.payload.match_elements<std::string>())
        return caf::make_message(
          backoff_actor::Reject{x.id, caf::make_error(caf::sec::unexpected_message)});
      if (const auto* known = seen_.find(x.origin, x.delivery)) // it was printed before
        return caf::make_message(backoff_actor::sent(x, *known));
      const auto receipt = print_(x.payload.get_as<std::string>(0));
      seen_.remember(x.origin, x.delivery, receipt);
      return caf::make_message(backoff_actor::sent(x, receipt));
    }};
  }

private:
  Print print_;
  backoff_actor::Deduplicator<std::string> seen_; // the receipts of the last 10,000 pages
};

/// How the program supervises it.
inline backoff_actor::SenderOptions supervision() {
  backoff_actor::SenderOptions options;
  options.acknowledgement = backoff_actor::Acknowledgement::by_sent; // a page is in a TrackedMsg
  options.ack_timeout = std::chrono::seconds{5};
  return options;
}

} // namespace print
