// Senders that share the guard of the service that their workers call.

#include "fixture.hpp"

#include <backoff_actor/retry/internal/guard_parts.hpp>

#include <caf/sec.hpp>

#include <algorithm>

namespace backoff_actor::actor_test {

namespace {

/// A service that is up or down, and those that were told to call it.
struct CountedService {
  bool is_up = false;
  std::vector<Instant> calls;
  std::size_t workers = 0;
};

/// A worker that calls the service, and answers with an error if it is down.
class ServiceCaller : public caf::event_based_actor {
public:
  ServiceCaller(caf::actor_config& config, VirtualTime* time, CountedService* service)
    : caf::event_based_actor(config), time_(time), service_(service) {
    ++service->workers;
  }

  caf::behavior make_behavior() override {
    return {[this](const std::string& text) -> caf::result<std::string> {
      service_->calls.push_back(time_->now());
      if (service_->is_up)
        return text;
      return caf::make_error(caf::sec::runtime_error, std::string{"the service is down"});
    }};
  }

private:
  VirtualTime* time_;
  CountedService* service_;
};

class Guards : public SenderTest {
protected:
  static GuardOptions after(std::uint32_t failures) {
    GuardOptions result;
    result.circuit_breaker.emplace();
    result.circuit_breaker->trip = ConsecutiveFailures{failures};
    return result;
  }

  SharedGuard guard_of(const GuardOptions& options) {
    return SharedGuard{options, 1, [this](const GuardEvent& event) {
                         story.push_back(to_string(time_of(event) - began) + " "
                                         + to_string(event));
                       }};
  }

  caf::actor add_sender(std::uint64_t stream) {
    auto options = default_options();
    options.stream = stream;
    options.guard = guard;
    options.decider = [](FailureKind, const caf::error&) { return Verdict::retry; };
    auto result = time.keep(spawn_back_off_sender(
      time.system(),
      [this](caf::event_based_actor* parent) {
        return caf::actor{parent->spawn<ServiceCaller>(&time, &service)};
      },
      options));
    return result;
  }

  std::size_t calls_between(Duration from, Duration to) const {
    return static_cast<std::size_t>(
      std::count_if(service.calls.begin(), service.calls.end(),
                    [&](Instant call) { return call - began >= from && call - began < to; }));
  }

  CountedService service;
  Strings story;
  Instant began{time.now()};
  SharedGuard guard = guard_of(after(5));
};

} // namespace

TEST_F(Guards, of_a_thousand_senders_only_probes_call_a_service_that_is_down) {
  std::vector<caf::actor> senders;
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (std::uint64_t i = 0; i < 1000; ++i)
    senders.push_back(add_sender(i));
  time.run();
  for (const auto& one : senders) {
    answers.push_back(time.ask<std::string>(one, std::string{"hello"}));
    time.run();
  }
  EXPECT_EQ(service.calls.size(), 5) << "the fifth failure opened the breaker";
  time.advance(60s - 1ns);
  EXPECT_EQ(service.calls.size(), 5 + 11) << "one probe every five seconds";
  EXPECT_EQ(service.workers, 1000);

  service.is_up = true;
  time.advance(1ns + 30s);
  for (const auto& answer : answers)
    EXPECT_EQ(answer->value, "hello");
  EXPECT_EQ(guard.status(time.now()).breaker, BreakerState::closed);
}

TEST_F(Guards, a_thousand_senders_that_share_a_rate_keep_to_it) {
  guard = guard_of({.rate = RateOptions{.calls = 100, .burst = 10}});
  service.is_up = true;
  std::vector<caf::actor> senders;
  for (std::uint64_t i = 0; i < 1000; ++i)
    senders.push_back(add_sender(i));
  time.run();
  for (const auto& one : senders)
    time.ask<std::string>(one, std::string{"hello"});
  time.run();
  EXPECT_EQ(service.calls.size(), 10u);
  time.advance(9900ms);

  const auto& calls = service.calls;
  ASSERT_EQ(calls.size(), 1000u) << "no call that was allowed was left out";
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (auto j = i; j < calls.size(); ++j)
      ASSERT_LE(static_cast<Duration::rep>(j - i + 1), 10 + (calls[j] - calls[i]) / 10ms);
  EXPECT_THAT(story, ElementsAre("0ns rate reached"));
}

TEST_F(Guards, when_the_breaker_closes_they_come_back_spread_out) {
  std::vector<caf::actor> senders;
  for (std::uint64_t i = 0; i < 1000; ++i)
    senders.push_back(add_sender(i));
  time.run();
  std::vector<std::shared_ptr<testing::Answer<std::string>>> answers;
  for (const auto& one : senders)
    answers.push_back(time.ask<std::string>(one, std::string{"hello"}));
  time.run();
  service.is_up = true;
  time.advance(11s);

  EXPECT_THAT(story, ElementsAre("0ns circuit breaker open for 5s",
                                 "5s circuit breaker half open, a probe goes",
                                 "5s circuit breaker closed"));
  for (Duration second = 5s; second < 10s; second += 1s) {
    EXPECT_GT(calls_between(second, second + 1s), 100) << "of 200";
    EXPECT_LT(calls_between(second, second + 1s), 300) << "of 200";
  }
  EXPECT_EQ(calls_between(1ns, 11s), 1000);
}

TEST_F(Guards, a_guard_that_is_closed_by_hand_calls_its_senders_back_over_the_spread) {
  std::vector<caf::actor> senders;
  for (std::uint64_t i = 0; i < 1000; ++i)
    senders.push_back(add_sender(i));
  guard.isolate(time.now());
  for (const auto& one : senders)
    time.tell(one, std::string{"hello"});
  time.advance(1h);
  EXPECT_THAT(service.calls, IsEmpty());

  service.is_up = true;
  began = time.now();
  guard.close(time.now());
  time.advance(5s);
  EXPECT_EQ(service.calls.size(), 1000);
  EXPECT_LT(calls_between(0s, 1s), 300) << "of 200";
  EXPECT_LT(calls_between(4s, 5s), 300) << "of 200";
}

TEST_F(Guards, a_guard_does_not_keep_its_senders_alive) {
  auto options = default_options();
  options.guard = guard;
  auto one = spawn_back_off_sender(
    time.system(),
    [this](caf::event_based_actor* parent) {
      return caf::actor{parent->spawn<ServiceCaller>(&time, &service)};
    },
    options);
  time.run();
  const caf::actor_addr address{one.address()};
  one = nullptr; // the last handle: the sender owes nothing
  time.run();
  EXPECT_FALSE(caf::actor_cast<caf::actor>(address));
  guard.isolate(time.now());
  guard.close(time.now()); // tells nobody
  EXPECT_EQ(time.run(), 0);
}

TEST_F(Guards, a_final_error_that_could_have_been_retried_is_a_failure_of_the_service) {
  auto options = default_options();
  options.guard = guard;
  start_with(
    [this](caf::event_based_actor* parent) {
      return caf::actor{parent->spawn<ServiceCaller>(&time, &service)};
    },
    options);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(ask("a")->error);
  EXPECT_FALSE(detail::GuardParts::port(guard)->is_closed());
}

TEST_F(Guards, a_final_error_that_blames_its_message_is_an_answer_of_the_service) {
  auto options = default_options();
  options.guard = guard;
  options.decider = [](FailureKind, const caf::error&) {
    return Decision{Verdict::reject, Blame::message};
  };
  start_with(
    [this](caf::event_based_actor* parent) {
      return caf::actor{parent->spawn<ServiceCaller>(&time, &service)};
    },
    options);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(ask("a")->error);
  EXPECT_TRUE(detail::GuardParts::port(guard)->is_closed());
  EXPECT_EQ(guard.status(time.now()).counters.succeeded, 5);
}

TEST_F(Guards, a_final_error_that_blames_the_service_is_a_failure_of_it) {
  auto options = default_options();
  options.guard = guard;
  options.decider = [](FailureKind, const caf::error&) { return Verdict::reject; };
  start_with(
    [](caf::event_based_actor* parent) {
      return caf::actor{parent->spawn([](caf::event_based_actor*) -> caf::behavior {
        return {[](const std::string&) -> caf::result<std::string> {
          return blame_service(caf::sec::unexpected_message, "out of stock");
        }};
      })};
    },
    options);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(ask("a")->error);
  EXPECT_EQ(guard.status(time.now()).counters.failed, 5);
  EXPECT_FALSE(detail::GuardParts::port(guard)->is_closed());
}

} // namespace backoff_actor::actor_test
