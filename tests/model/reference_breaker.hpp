#pragma once

// The circuit breaker in the most obvious way: it keeps every call that it ever let through, with
// what it knows of it, and looks all of them through whenever it is asked.

#include "backoff_actor/guard/guard_options.hpp"
#include "backoff_actor/guard/guard_status.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::model_test {

class ReferenceBreaker {
public:
  explicit ReferenceBreaker(const CircuitBreakerOptions& options) : options_(options) {}

  /// "call 7", "probe 7", or why not. What is said of when to come back is judged elsewhere.
  std::string ask(Instant now) {
    if (state_ == "open" && now >= opened_ + open_for_)
      begin("half_open", now);
    if (state_ == "isolated")
      return "isolated_breaker";
    if (state_ == "open")
      return "open_breaker";
    if (state_ == "half_open" && places_taken(now) >= options_.probes)
      return "probe";
    calls_.push_back({era_, now, std::nullopt, false, false, {}});
    return (state_ == "half_open" ? "probe " : "call ") + std::to_string(calls_.size() - 1);
  }

  void tell(std::size_t number, bool has_failed, Instant now) {
    auto& call = calls_.at(number);
    if (call.era != era_ || call.is_forgotten || call.has_lost_place
        || (state_ == "half_open" && call.has_failed))
      return;
    if (state_ == "closed") {
      outcomes_.push_back({has_failed, now});
      if (is_tripped(now))
        open(now);
      return;
    }
    if (state_ != "half_open")
      return;
    call.has_failed = has_failed;
    if (has_failed)
      return open(now);
    if (static_cast<std::uint32_t>(count_succeeded()) >= options_.probes)
      close(now);
  }

  void forget(std::size_t number) {
    auto& call = calls_.at(number);
    if (call.era == era_ && !call.has_failed)
      call.is_forgotten = true;
  }

  void isolate(Instant now) { begin("isolated", now); }

  void close(Instant now) {
    begin("closed", now);
    openings_ = 0;
    outcomes_.clear();
  }

  const std::string& state() const { return state_; }

  std::optional<Instant> open_until() const {
    return state_ == "open" ? std::optional{opened_ + open_for_} : std::nullopt;
  }

  std::uint32_t failures_in_a_row() const {
    const auto last = std::find_if(outcomes_.rbegin(), outcomes_.rend(),
                                   [](const auto& x) { return !x.has_failed; });
    return static_cast<std::uint32_t>(last - outcomes_.rbegin());
  }

  /// Of those that the trip looks at.
  CallCounts counts(Instant now) const {
    CallCounts result;
    for (std::size_t i = 0; i < outcomes_.size(); ++i)
      if (is_looked_at(i, now)) {
        ++result.calls;
        result.failures += outcomes_[i].has_failed ? 1U : 0U;
      }
    return result;
  }

private:
  struct CallMade {
    std::uint32_t era;
    Instant began;
    std::optional<bool> has_failed; // of a probe: how it ended
    bool is_forgotten;
    bool has_lost_place;
    Instant ended;
  };

  struct Outcome {
    bool has_failed;
    Instant at;
  };

  void begin(const std::string& state, Instant now) {
    state_ = state;
    ++era_;
    opened_ = now;
  }

  // The n-th opening without a closing in between lasts n times the delay of the linear policy.
  void open(Instant now) {
    begin("open", now);
    open_for_ = ++openings_ * std::get<Linear>(options_.open.formula()).first;
  }

  std::uint32_t places_taken(Instant now) {
    std::uint32_t result = 0;
    for (auto& call : calls_) {
      if (call.era != era_ || call.is_forgotten || call.has_lost_place)
        continue;
      if (!call.has_failed && now - call.began >= options_.probe_timeout)
        call.has_lost_place = true;
      else
        ++result;
    }
    return result;
  }

  std::ptrdiff_t count_succeeded() const {
    return std::count_if(calls_.begin(), calls_.end(), [&](const CallMade& call) {
      return call.era == era_ && call.has_failed == false;
    });
  }

  bool is_looked_at(std::size_t number, Instant now) const {
    if (const auto* last = std::get_if<FailureRatioOfCalls>(&options_.trip))
      return number + last->calls >= outcomes_.size();
    if (const auto* late = std::get_if<FailureRatioOfTime>(&options_.trip)) {
      const auto tenth = late->within / 10;
      return outcomes_[number].at.since_origin / tenth > now.since_origin / tenth - 10;
    }
    return false;
  }

  bool is_tripped(Instant now) const {
    if (const auto* row = std::get_if<ConsecutiveFailures>(&options_.trip))
      return failures_in_a_row() >= row->failures;
    const auto [calls, failures] = counts(now);
    const auto is_too_much = [calls = calls, failures = failures](double ratio,
                                                                  std::uint32_t minimum) {
      return calls >= minimum && failures > 0
             && static_cast<double>(failures) / static_cast<double>(calls) >= ratio - 1e-9;
    };
    if (const auto* last = std::get_if<FailureRatioOfCalls>(&options_.trip))
      return is_too_much(last->ratio, last->minimum_calls);
    const auto& late = std::get<FailureRatioOfTime>(options_.trip);
    return is_too_much(late.ratio, late.minimum_calls);
  }

  CircuitBreakerOptions options_;
  std::string state_ = "closed";
  std::uint32_t era_ = 0;
  Instant opened_{};
  Duration open_for_{0};
  int openings_ = 0;
  std::vector<CallMade> calls_{};   // ever
  std::vector<Outcome> outcomes_{}; // since it closed, of calls that began since
};

} // namespace backoff_actor::model_test
