#pragma once

#include "fixture.hpp"

#include <caf/sec.hpp>

#include <stdexcept>

namespace backoff_actor::actor_test {

/// Keeps what it is given, and answers with it; dies of "crash", and quits when it is told to.
class BatchScribe : public caf::event_based_actor {
public:
  BatchScribe(caf::actor_config& config, std::shared_ptr<Strings> given)
    : caf::event_based_actor(config), given_(std::move(given)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) {
      given_->push_back(text);
      if (text == "crash" && given_->size() < 3)
        throw std::runtime_error("crash");
      if (text == "quit")
        quit();
      return text;
    }};
  }

private:
  std::shared_ptr<Strings> given_;
};

/// A sender, and a client that asks it for several things before it gets the floor.
class Batches : public SenderTest {
protected:
  /// Does all of it before the sender gets the floor.
  void at_once(Caller::Work work) { time.spawn<Caller>(std::move(work)); }

  /// Notes what comes back for a request.
  template <class... Ts>
  void request(caf::event_based_actor* self, Ts... content) {
    const auto place = answers->size();
    answers->emplace_back("nothing");
    compat::request(*self, sender, std::move(content)...)
      .then([answers = answers, place](const std::string& text) { (*answers)[place] = text; },
            [answers = answers, place](const caf::error& error) {
              (*answers)[place] = error == caf::sec::request_receiver_down     ? "gone"
                                  : error == make_error(SenderError::stopped)  ? "stopped"
                                  : error == make_error(SenderError::draining) ? "draining"
                                                                               : "an error";
            });
  }

  std::shared_ptr<Strings> given = std::make_shared<Strings>();
  std::shared_ptr<Strings> answers = std::make_shared<Strings>();
};

} // namespace backoff_actor::actor_test
