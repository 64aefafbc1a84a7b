#pragma once

// A service that is down at times, and messages that always fail: what becomes of them, in virtual
// time, with a sender's engine.

#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/guard/admission.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

/// How a call fails.
enum class FailsBy { crash, error_answer, refusal, hang };

/// What happens. Messages have the numbers 1, 2, 3 ...
struct ServiceStory {
  EngineOptions options{};
  FailsBy fails_by = FailsBy::crash;
  int messages = 500;
  Duration between{0};                             // two messages
  std::uint64_t keys = 0;                          // 0: no message has a key
  Duration takes = std::chrono::milliseconds{100}; // a call
  std::set<std::uint64_t> poison{};
  std::vector<std::pair<Duration, Duration>> outages{}; // from, until
  double random_failures = 0; // the part of the calls that fails, until `calm_at`
  Duration calm_at{0};
  std::vector<Duration> restarts{}; // of the process; only with `persist`
  std::function<Blame(std::uint64_t message, bool is_down)> word{}; // empty: nobody says
  // Others share the guard, and call the same service: how often, and until when.
  std::optional<Duration> others_call_each{};
  Duration others_call_until{0};
  Duration until = std::chrono::hours{24 * 30};
};

/// What became of it.
struct Outcome {
  std::map<std::uint64_t, std::pair<DeadLetterReason, std::uint32_t>> dead; // and its charges
  std::map<std::uint64_t, Duration> died_at;
  std::map<std::uint64_t, int> failed; // how often
  std::map<std::uint64_t, std::vector<Duration>> failed_at;
  std::size_t done = 0;
  Duration all_done_at{0}; // what did not die
  std::size_t left = 0;
};

class StoryTeller {
public:
  explicit StoryTeller(ServiceStory story) : story_(std::move(story)) { begin(); }

  Outcome tell() {
    for (int i = 0; i < story_.messages; ++i)
      at(story_.between * i, [this, i] { submit(static_cast<std::uint64_t>(i) + 1); });
    if (story_.others_call_each)
      at({}, [this] { let_others_call(); });
    for (const auto& restart : story_.restarts)
      at(restart, [this] { begin(); });
    while (!events_.empty() && events_.top().at.since_origin <= story_.until) {
      const auto event = events_.top();
      events_.pop();
      now_ = event.at;
      event.happens();
    }
    outcome_.left = engine_->owed();
    return outcome_;
  }

private:
  struct Happening {
    Instant at;
    std::uint64_t number; // of those at the same time, the first goes first
    std::function<void()> happens;
    friend bool operator<(const Happening& a, const Happening& b) {
      return std::pair{b.at, b.number} < std::pair{a.at, a.number};
    }
  };

  struct Stored {
    std::uint32_t attempts;
    Instant submitted_at;
    std::uint64_t key;
  };

  void at(Duration when, std::function<void()> happens) {
    events_.push({Instant{when}, ++number_, std::move(happens)});
  }
  void in(Duration span, std::function<void()> happens) {
    at((now_ + span).since_origin, std::move(happens));
  }

  // A process starts, and an earlier one has died.
  void begin() {
    ++process_;
    ++wake_;
    engine_ = std::make_unique<SenderEngine>(std::make_shared<const EngineOptions>(story_.options));
    for (const auto& [id, x] : stored_)
      step(input::Restore{
        .delivery = id, .attempts = x.attempts, .submitted_at = x.submitted_at, .key = x.key});
    step(input::Start{last_});
  }

  std::uint64_t key_of(std::uint64_t id) const {
    return story_.keys == 0 ? 0 : 1 + id % story_.keys;
  }

  void submit(std::uint64_t id) {
    last_ = id;
    if (story_.options.persist)
      stored_[id] = {0, now_, key_of(id)};
    step(input::Submit{.key = key_of(id)});
  }

  bool is_down() const {
    return std::any_of(story_.outages.begin(), story_.outages.end(), [&](const auto& outage) {
      return outage.first <= now_.since_origin && now_.since_origin < outage.second;
    });
  }

  void let_others_call() {
    auto& guard = *story_.options.guard;
    const auto answer = guard.admit(now_, Call::first);
    if (const auto* const permit = std::get_if<Permit>(&answer))
      is_down() ? guard.failed(*permit, now_) : guard.succeeded(*permit, now_);
    if (now_.since_origin < story_.others_call_until)
      in(*story_.others_call_each, [this] { let_others_call(); });
  }

  bool fails(std::uint64_t id) {
    if (is_down() || story_.poison.count(id) != 0)
      return true;
    return now_.since_origin < story_.calm_at
           && unit_random(7, 7, ++draws_) < story_.random_failures;
  }

  void step(const Input& input) {
    Effects effects;
    engine_->step(now_, input, effects);
    for (const auto& effect : effects)
      std::visit([this](const auto& x) { carry_out(x); }, effect);
  }

  // Gives the input later, unless the process has died by then.
  void later(Duration span, Input input) {
    in(span, [this, process = process_, input = std::move(input)] {
      if (process == process_)
        step(input);
    });
  }

  void carry_out(const effect::StartChild& x) { later({}, input::ChildStarted{x.incarnation}); }
  void carry_out(const effect::TellToEnd& x) { later({}, input::ChildDown{x.incarnation, {}}); }
  void carry_out(const effect::Probe& x) { later({}, input::ChildAlive{x.incarnation, x.probe}); }
  void carry_out(const effect::WakeAt& x) {
    if (x.at == Instant::never())
      return;
    in(std::max(x.at - now_, Duration::zero()), [this, wake = ++wake_] {
      if (wake == wake_)
        step(input::Wake{});
    });
  }
  void carry_out(const effect::Persist& x) { later({}, input::Persisted{x.slot, x.delivery}); }
  void carry_out(const effect::CountAttempts& x) { stored_.at(x.delivery).attempts = x.attempts; }

  void carry_out(const effect::HandOver& x) {
    in(story_.takes, [this, process = process_, x] {
      if (process == process_)
        answer(x);
    });
  }

  void answer(const effect::HandOver& x) {
    if (!fails(x.delivery))
      return step(input::Acknowledged{x.hand_over});
    ++outcome_.failed[x.delivery];
    outcome_.failed_at[x.delivery].push_back(now_.since_origin);
    const Cause cause{7, "it failed"};
    const auto fault = story_.word ? story_.word(x.delivery, is_down()) : Blame::unknown;
    const Decision decision{Verdict::retry, fault};
    switch (story_.fails_by) {
    case FailsBy::crash:
      return step(input::ChildDown{x.incarnation, cause, decision});
    case FailsBy::error_answer:
      return step(input::ErrorAnswer{x.hand_over, cause, false, false, decision});
    case FailsBy::refusal:
      return step(input::Nacked{x.hand_over, cause, {}, fault});
    case FailsBy::hang:
      return; // says nothing
    }
  }

  void carry_out(const effect::Acknowledge& x) {
    stored_.erase(x.delivery);
    ++outcome_.done;
    outcome_.all_done_at = now_.since_origin;
  }

  void carry_out(const effect::DeadLetter& x) {
    stored_.erase(x.delivery);
    outcome_.dead[x.delivery] = {x.reason, x.attempts};
    outcome_.died_at[x.delivery] = now_.since_origin;
  }

  template <class T>
  void carry_out(const T&) {}

  ServiceStory story_;
  std::unique_ptr<SenderEngine> engine_;
  std::priority_queue<Happening> events_;
  std::map<std::uint64_t, Stored> stored_;
  Outcome outcome_;
  Instant now_{};
  std::uint64_t number_ = 0;
  std::uint64_t last_ = 0;
  std::uint32_t draws_ = 0;
  int process_ = 0;
  int wake_ = 0; // the last that was asked for
};

} // namespace backoff_actor::model_test
