#pragma once

#include "fixture.hpp"

#include <backoff_actor/caf/compat/internal/caf_parts.hpp>

#include <caf/sec.hpp>

#include <stdexcept>
#include <variant>

namespace backoff_actor::actor_test {

/// A service in virtual time: "ok" is answered, "no" fails, "bad" fails for good, "wait" is
/// answered after 2 s, "never" not at all, "crash" ends it, a number is answered with nothing.
class Service : public caf::event_based_actor {
public:
  Service(caf::actor_config& config, std::shared_ptr<Strings> seen)
    : caf::event_based_actor(config), seen_(std::move(seen)) {
    compat::keep_cause(*this);
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& word) -> caf::result<caf::message> {
              seen_->push_back(word);
              if (word == "no")
                return caf::make_error(caf::sec::runtime_error, std::string{"down"});
              if (word == "bad")
                return caf::make_error(caf::sec::unexpected_message);
              if (word == "crash")
                throw std::runtime_error("too hot");
              if (word == "wait" || word == "never") {
                owed_.push_back(make_response_promise());
                if (word != "never")
                  compat::send_later(*this, 2s, std::uint64_t{owed_.size() - 1});
                return caf::delegated<caf::message>{};
              }
              return caf::make_message(word + " done");
            },
            [this](std::uint64_t number) {
              compat::answer(owed_.at(number), caf::make_message(std::string{"late"}));
            },
            [this](std::int32_t number) { seen_->push_back(std::to_string(number)); }};
  }

  void on_exit() override { owed_.clear(); }

private:
  std::shared_ptr<Strings> seen_;
  std::vector<caf::response_promise> owed_;
};

class Guarded : public ::testing::Test {
protected:
  static SharedGuard breaker(std::uint32_t failures, Duration open = 5s) {
    CircuitBreakerOptions options;
    options.trip = ConsecutiveFailures{failures};
    options.open = Fixed{open};
    options.spread = 0s;
    return SharedGuard{{options, {}}, 1};
  }

  void start(GuardedOptions options = {}) {
    service = time.keep(time.system().spawn<Service>(seen));
    front = time.keep(guarded(service, guard, std::move(options)));
    time.run();
  }

  template <class... Ts>
  std::shared_ptr<testing::Answer<std::string>> ask(Ts... values) {
    auto answer = time.ask<std::string>(front, values...);
    time.run();
    return answer;
  }

  std::shared_ptr<testing::Answer<std::string>> ask(const char* word) {
    return ask(std::string{word});
  }

  /// What has come: the text, the error, or "nothing".
  std::string got(const std::shared_ptr<testing::Answer<std::string>>& answer) {
    return answer->value   ? *answer->value
           : answer->error ? render(time.system(), *answer->error)
                           : "nothing";
  }

  GuardCounters counters() { return guard.status(time.now()).counters; }

  void open() { guard.failed(std::get<Permit>(guard.admit(time.now(), Call::first)), time.now()); }

  std::shared_ptr<std::optional<caf::error>> watch(const caf::actor& whom) {
    auto reason = std::make_shared<std::optional<caf::error>>();
    time.keep(time.system().spawn<Watcher>(whom, reason));
    time.run();
    return reason;
  }

  VirtualTime time{register_test_types};
  std::shared_ptr<Strings> seen = std::make_shared<Strings>();
  SharedGuard guard = breaker(1);
  caf::actor service;
  caf::actor front;
};

} // namespace backoff_actor::actor_test
