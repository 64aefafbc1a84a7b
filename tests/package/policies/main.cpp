#include <backoff_actor/backoff/exponential_back_off.hpp>
#include <backoff_actor/backoff/parse_policy.hpp>
#include <backoff_actor/lab/plan.hpp>

#include <iostream>

int main() {
  auto backoff = backoff_actor::ExponentialBackOff{{.seed = 1}};
  for (int i = 0; i < 5; ++i) {
    backoff = backoff.next();
    std::cout << backoff_actor::to_string(backoff.wait_time()) << ' ';
  }
  std::cout << backoff_actor::plan(backoff_actor::parse_policy("exponential(100ms, x2, cap 30s)"), 3).back().max_s << '\n';
}
