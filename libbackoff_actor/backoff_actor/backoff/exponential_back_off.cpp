#include "backoff_actor/backoff/exponential_back_off.hpp"

#include "backoff_actor/core/unit_random.hpp"

namespace backoff_actor {

namespace {

constexpr Duration max_slot_time = std::chrono::hours{24};
constexpr int max_ceiling = 62; // 2^62 - 1 still fits into the 63 bits of a duration

constexpr std::int64_t slots_of(int exp) { return (std::int64_t{1} << exp) - 1; }

const ExponentialBackOffSpec& checked(const ExponentialBackOffSpec& spec) {
  check(spec).raise_if_any();
  return spec;
}

} // namespace

Problems check(const ExponentialBackOffSpec& spec) {
  Problems problems;
  const auto slot_time_ok = spec.slot_time > Duration::zero() && spec.slot_time <= max_slot_time;
  if (!slot_time_ok)
    problems.add("slot_time", to_string(spec.slot_time), "1ns..24h");
  const auto ceiling_ok = spec.ceiling >= 1 && spec.ceiling <= max_ceiling;
  if (!ceiling_ok)
    problems.add("ceiling", std::to_string(spec.ceiling), "1..62");
  if (slot_time_ok && ceiling_ok) {
    auto allowed = spec.ceiling;
    while (slots_of(allowed) > Duration::max() / spec.slot_time)
      --allowed;
    if (allowed < spec.ceiling)
      problems.add("ceiling", std::to_string(spec.ceiling),
                   "1.." + std::to_string(allowed) + " with a slot_time of "
                     + to_string(spec.slot_time) + ", for waits below 292 years");
  }
  return problems;
}

ExponentialBackOff::ExponentialBackOff(const ExponentialBackOffSpec& spec)
  : slot_time_(checked(spec).slot_time), seed_(spec.seed.value_or(0)),
    stream_(spec.stream.value_or(0)), ceiling_(static_cast<std::uint8_t>(spec.ceiling)),
    stay_at_ceiling_(spec.stay_at_ceiling) {}

ExponentialBackOff ExponentialBackOff::next() const {
  return next(unit_random(seed_, stream_, total_retries_));
}

ExponentialBackOff ExponentialBackOff::next(double u) const {
  if (!(u >= 0.0 && u < 1.0)) { // NaN, too
    Problems problems;
    problems.add("u", std::to_string(u), "0 <= u < 1");
    problems.raise_if_any();
  }
  const auto at_ceiling = slot_ >= ceiling_;
  if (at_ceiling && !stay_at_ceiling_)
    return reset();
  auto result = *this;
  const auto exp = static_cast<int>(u * (slot_ + 1));
  result.wait_time_ = slot_time_ * slots_of(exp);
  if (!at_ceiling)
    ++result.slot_;
  if (result.retries_ != UINT32_MAX)
    ++result.retries_;
  ++result.total_retries_;
  return result;
}

ExponentialBackOff ExponentialBackOff::with_stream(std::uint64_t stream) const {
  auto result = *this;
  result.stream_ = stream;
  return result;
}

ExponentialBackOff ExponentialBackOff::reset() const {
  auto result = *this;
  result.slot_ = 1;
  result.wait_time_ = Duration::zero();
  result.retries_ = 0;
  ++result.resets_;
  return result;
}

std::string to_string(const ExponentialBackOff& backoff) {
  auto result = "slot " + std::to_string(backoff.slot()) + "/" + std::to_string(backoff.ceiling())
                + ", wait " + to_string(backoff.wait_time()) + ", retries "
                + std::to_string(backoff.retries()) + ", resets " + std::to_string(backoff.resets())
                + ", total_retries " + std::to_string(backoff.total_retries());
  if (backoff.is_started())
    result += ", draw (seed " + std::to_string(backoff.seed()) + ", stream "
              + std::to_string(backoff.stream()) + ", n "
              + std::to_string(backoff.total_retries() - 1) + ")";
  return result;
}

} // namespace backoff_actor
