// Policies composed at random: what is promised of all of them.

#include "policy_series.hpp"

#include "backoff_actor/backoff/parse_policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace backoff_actor::policy_test {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t seed = 20264;
constexpr std::uint64_t texts = 20'000;
constexpr std::size_t retries = 40;

// Chooses parts by the draws of one stream, one after the other.
class Choice {
public:
  explicit Choice(std::uint64_t stream) : draws_(seed, stream) {}

  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(draws_(n_++) * static_cast<double>(count));
  }

  std::string of(const std::vector<std::string>& parts) { return parts[below(parts.size())]; }

private:
  Draws draws_;
  std::uint64_t n_ = 0;
};

std::string composed(Choice& choice) {
  const auto formula = choice.of({"fixed", "linear", "exponential", "polynomial", "steps"});
  const auto first = choice.of({"1ms", "250ms", "1s", "90s"});
  auto text = formula + "(" + first;
  if (formula == "steps")
    text += choice.of({"", ", 3s", ", 3s, 1s", ", 0ms, 7s, 7s, 20min"});
  if (formula == "linear" || formula == "polynomial")
    text += choice.of({", +0s", ", +1s", ", +333ms"});
  if (formula == "polynomial")
    text += choice.of({", ^1", ", ^2", ", ^10"});
  if (formula == "exponential")
    text += choice.of({", x1", ", x1.5", ", x2", ", x1000"}) + choice.of({"", ", exponent 3"});
  if (formula != "fixed" && formula != "steps")
    text += choice.of({"", ", cap 2min", ", cap 90s"});
  text += ")";
  const auto more = choice.of({"", "carried", "cap_first", "cap_last", "carried, cap_last"});
  switch (choice.below(7)) {
  case 0:
    break;
  case 1:
    text += " | full_jitter" + (more.empty() ? "" : "(" + more + ")");
    break;
  case 2:
    text += " | equal_jitter" + (more.empty() ? "" : "(" + more + ")");
    break;
  case 3:
    text += " | additive_jitter(9s, per_retry, cap_last)";
    break;
  default:
    text += " | "
            + choice.of({"proportional_jitter(20%", "additive_jitter(30%", "additive_jitter(500ms",
                         "gaussian_jitter(10%"})
            + (more.empty() ? "" : ", " + more) + ")";
  }
  text += choice.of({"", "", " | first_wait(0s)", " | first_wait(1s, times 5)"});
  return text + choice.of({"", "", " | whole_seconds"});
}

// Nothing: the parts do not go together.
std::optional<Policy> policy_of(const std::string& text) {
  try {
    return parse_policy(text);
  } catch (const ParseError&) {
    return std::nullopt;
  }
}

Duration cap_of(const Policy& policy) {
  return std::visit(
    [&](const auto& x) {
      if constexpr (requires { x.cap; })
        return x.cap;
      else
        return policy.longest();
    },
    policy.formula());
}

bool is_random_or_a_table(const Policy& policy) {
  return policy.is_random() || std::holds_alternative<Steps>(policy.formula())
         || policy.first_wait() != no_first_wait;
}

void expect_promises(const Policy& policy, const std::vector<Duration>& given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    ASSERT_GE(given[i], 0ns) << i + 1;
    ASSERT_LE(given[i], policy.longest()) << i + 1;
    if (policy.jitter().order != CapOrder::cap_first) {
      ASSERT_LE(given[i], cap_of(policy)) << i + 1;
    }
    if (policy.seconds() == Seconds::whole) {
      ASSERT_EQ(given[i] % 1s, 0s) << i + 1;
    }
    if (i > 0 && !is_random_or_a_table(policy)) {
      ASSERT_GE(given[i], given[i - 1]) << i + 1;
    }
    if (i < static_cast<std::size_t>(policy.first_wait().times)) {
      ASSERT_EQ(given[i], policy.first_wait().wait) << i + 1;
    }
  }
}

TEST(policy_walk, every_composition_keeps_what_is_promised) {
  std::uint64_t taken = 0;
  for (std::uint64_t stream = 0; stream < texts; ++stream) {
    Choice choice{stream};
    const auto text = composed(choice);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", stream " + std::to_string(stream) + ": "
                 + text);
    const auto policy = policy_of(text);
    if (!policy)
      continue;
    ++taken;
    ASSERT_EQ(parse_policy(to_string(*policy)), *policy);
    for (const auto u : {0.0, 0.5, greatest_u})
      ASSERT_NO_FATAL_FAILURE(expect_promises(*policy, delays(*policy, retries, u)));
    ASSERT_NO_FATAL_FAILURE(
      expect_promises(*policy, drawn_delays(*policy, retries, Draws{seed, stream})));
    const auto shortest = delays(*policy, retries, 0);
    const auto longest = delays(*policy, retries, greatest_u);
    for (std::size_t i = 0; i < retries; ++i) {
      ASSERT_LE(shortest[i], longest[i]); // a larger draw never waits less
    }
    const auto* const growing = std::get_if<Exponential>(&policy->formula());
    const auto is_carried_to_the_cap =
      growing != nullptr && growing->exponent == 0 && growing->cap < max_delay
      && policy->jitter().is_carried && policy->jitter().order == CapOrder::cap_last
      && policy->first_wait() == no_first_wait && policy->seconds() == Seconds::any;
    if (is_carried_to_the_cap) {
      const auto drawn = drawn_delays(*policy, retries, Draws{seed, stream});
      ASSERT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
    }
  }
  EXPECT_GT(taken, texts / 3);
}

} // namespace

} // namespace backoff_actor::policy_test
