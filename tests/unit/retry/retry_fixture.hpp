#pragma once

#include "backoff_actor/testing/time/virtual_clock.hpp"

#include "backoff_actor/retry/retry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace backoff_actor::retry_test {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Delays of 1 s, 2 s, 4 s, and then 8 s for ever.
inline const Policy doubling = Exponential{.first = 1s, .factor = 2, .cap = 8s};

inline bool is_5xx(const int& status) { return status >= 500; }

inline std::string message_of(const std::exception_ptr& error) {
  return error ? detail::text_of(error) : "";
}

// Answers by script, and notes when it was asked.
class Service {
public:
  Service(testing::VirtualClock& clock, std::vector<int> answers)
    : clock_(clock), began_(clock.now()), answers_(std::move(answers)) {}

  int operator()() {
    calls.push_back(clock_.now() - began_);
    clock_.pass(takes);
    const auto answer = answers_.at(std::min(calls.size(), answers_.size()) - 1);
    if (answer == 0)
      throw std::runtime_error("connection refused");
    return answer;
  }

  std::vector<Duration> calls; // since it was made
  Duration takes{0};

private:
  testing::VirtualClock& clock_;
  Instant began_;
  std::vector<int> answers_;
};

class retry_call : public ::testing::Test {
protected:
  testing::VirtualClock clock;
};

} // namespace backoff_actor::retry_test
