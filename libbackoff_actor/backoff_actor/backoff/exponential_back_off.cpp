#include "backoff_actor/backoff/exponential_back_off.hpp"

namespace backoff_actor {

namespace {

RandomSlots formula_of(const ExponentialBackOffSpec& spec) {
  return {spec.slot_time, spec.ceiling, spec.stay_at_ceiling};
}

} // namespace

Problems check(const ExponentialBackOffSpec& spec) { return check(formula_of(spec)); }

ExponentialBackOff::ExponentialBackOff(const ExponentialBackOffSpec& spec)
  : backoff_(formula_of(spec), spec.seed, spec.stream) {}

} // namespace backoff_actor
