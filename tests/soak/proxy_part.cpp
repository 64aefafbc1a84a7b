#include "proxy_part.hpp"

#include <string>

namespace backoff_actor::soak {

namespace {

// The bytes of an answer are eight.
testing::ConnectionPlan connections(std::uint64_t seed) {
  return testing::ConnectionPlan{
    "random(refuse 10%, drop 1%, cut 5%, cut(after 8000) 20%, cut(after 20ms) 10%, "
    "corrupt(every 5000) 10%, slow 1ms 10%, cut(after 100, slow 200us) 5%)"}
    .with_seed(seed);
}

} // namespace

ProxyPart::ProxyPart(Shared& shared)
  : service_(test::echo), proxy_("127.0.0.1", service_.port(), connections(shared.seed)),
    senders_(shared, calling_senders(proxy_.port(), shared.seed)) {}

void ProxyPart::disturb(double kind, double which) {
  if (kind < 0.2)
    proxy_.cut_all();
  else if (kind < 0.25)
    proxy_.go_down();
  else if (kind < 0.4)
    proxy_.go_up();
  else
    senders_.disturb((kind - 0.4) / 0.6, which);
}

void ProxyPart::calm_down() {
  proxy_.go_up();
  proxy_.set_plan("ok");
  proxy_.cut_all();
}

} // namespace backoff_actor::soak
