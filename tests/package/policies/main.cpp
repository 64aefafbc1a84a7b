#include <backoff_actor/backoff/exponential_back_off.hpp>

#include <iostream>

int main() {
  auto backoff = backoff_actor::ExponentialBackOff{{.seed = 1}};
  for (int i = 0; i < 5; ++i) {
    backoff = backoff.next();
    std::cout << backoff_actor::to_string(backoff.wait_time()) << ' ';
  }
  std::cout << '\n';
}
