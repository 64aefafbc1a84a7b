#include "backoff_actor/lab/internal/recovery_advice.hpp"

#include <tuple>

namespace backoff_actor {

namespace {

// Whether `a`, which recovers, is better than `b`, which does, too.
bool is_better(const RecoveryFigures& a, const RecoveryFigures& b, double most_bearable) {
  const auto is_bearable = a.times_the_calls <= most_bearable;
  if (a.dead_letters != b.dead_letters)
    return a.dead_letters < b.dead_letters;
  if (is_bearable != (b.times_the_calls <= most_bearable))
    return is_bearable;
  if (is_bearable)
    return std::tie(*a.recover_s, a.times_the_calls) < std::tie(*b.recover_s, b.times_the_calls);
  return std::tie(a.times_the_calls, *a.recover_s) < std::tie(b.times_the_calls, *b.recover_s);
}

} // namespace

std::optional<RecoveryAdvice> recovery_advice(const std::vector<RecoveryFigures>& ways,
                                              double most_bearable) {
  std::optional<RecoveryAdvice> result;
  for (std::size_t i = 0; i < ways.size(); ++i)
    if (ways[i].recover_s && (!result || is_better(ways[i], ways[result->best], most_bearable)))
      result = {i, ways[i].times_the_calls <= most_bearable};
  return result;
}

} // namespace backoff_actor
