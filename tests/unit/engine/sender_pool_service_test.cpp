// Sixteen workers of a pool with a rate, and a service that asks for a pause now and then. In
// virtual time.

#include "guarded_sender.hpp"
#include "pool_driver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::engine_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint32_t workers = 16;
constexpr auto service_time = 90ms;
constexpr auto pause = 1s;
constexpr auto interval = 10ms; // of the rate
constexpr std::uint32_t burst = 5;

class PausingService {
public:
  PausingService() {
    auto options = pool_options({{{workers, workers}, 1}});
    options.guard = std::make_shared<CountingGuard>(
      GuardOptions{.rate = RateOptions{.calls = 100, .burst = burst}});
    options.backoff = BackOff{Fixed{10ms}};
    options.on_event = [this](const Event& event) { note(event); };
    engine_ =
      std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(std::move(options)));
    step(input::Start{});
    for (std::uint32_t i = 1; i <= workers; ++i)
      step(input::ChildStarted{i});
  }

  void submit(int messages) {
    for (; messages > 0; --messages)
      step(input::Submit{});
  }

  // Answers all calls, each after its service time, until nothing is owed.
  void work_off() {
    while (engine_->owed() > 0) {
      const auto answer = answers_.empty() ? Instant::never() : answers_.begin()->first;
      ASSERT_NE(std::min(answer, wake_at_), Instant::never());
      now_ = std::min(answer, wake_at_);
      if (answer <= wake_at_) {
        const auto id = answers_.begin()->second;
        answers_.erase(answers_.begin());
        reply(id);
      } else {
        wake_at_ = Instant::never();
        step(input::Wake{});
      }
    }
  }

  std::vector<Instant> calls;
  std::size_t refusals = 0;
  std::size_t too_early = 0;
  std::size_t most_in_flight = 0;

private:
  void reply(HandOverId id) {
    if (++replies_ % 37 == 0)
      step(input::Nacked{id, {7, "429"}, pause});
    else
      step(input::Acknowledged{id});
  }

  void note(const Event& event) {
    if (std::holds_alternative<event::HandedOver>(event)) {
      calls.push_back(time_of(event));
      too_early += time_of(event) < welcome_ ? 1U : 0U;
    } else if (std::holds_alternative<event::Refused>(event)) {
      ++refusals;
      welcome_ = std::max(welcome_, time_of(event) + pause);
    }
  }

  void step(const Input& input) {
    Effects effects;
    engine_->step(now_, input, effects);
    for (const auto& effect : effects) {
      if (const auto* const x = std::get_if<effect::HandOver>(&effect))
        answers_.emplace(now_ + service_time, x->hand_over);
      else if (const auto* const y = std::get_if<effect::WakeAt>(&effect))
        wake_at_ = y->at;
    }
    most_in_flight = std::max(most_in_flight, answers_.size());
  }

  std::unique_ptr<SenderEngine> engine_;
  std::multimap<Instant, HandOverId> answers_;
  Instant now_{};
  Instant wake_at_ = Instant::never();
  Instant welcome_{}; // from when the service wants calls again
  int replies_ = 0;
};

} // namespace

TEST(sender_pool_service, gets_no_call_before_its_time_and_never_more_than_the_rate) {
  PausingService service;
  service.submit(1'000);
  service.work_off();
  EXPECT_EQ(service.calls.size(), 1'000 + service.refusals);
  EXPECT_GE(service.refusals, 27u);
  EXPECT_EQ(service.too_early, 0u);
  EXPECT_LE(service.most_in_flight, workers);
  EXPECT_GE(service.most_in_flight, 10u) << "several workers are at work";
  const auto& calls = service.calls;
  std::size_t too_many = 0;
  for (std::size_t i = 0; i < calls.size(); ++i)
    for (std::size_t j = i; j < calls.size(); ++j)
      if (const auto allowed = burst + (calls[j] - calls[i]) / interval;
          static_cast<long>(j - i + 1) > allowed)
        ++too_many;
  EXPECT_EQ(too_many, 0u);
}

} // namespace backoff_actor::engine_test
