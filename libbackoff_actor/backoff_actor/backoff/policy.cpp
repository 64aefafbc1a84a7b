#include "backoff_actor/backoff/policy.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"

#include <cmath>

namespace backoff_actor {

namespace {

constexpr Duration max_slot_time = std::chrono::hours{24};
constexpr double greatest_factor = 1000;
constexpr double greatest_z = 8.3; // the largest that a draw of 53 bits can give

template <class F>
constexpr bool takes_jitter = requires(const F& x) {
  detail::growth_of(x);
};

void require_span(Problems& problems, const char* field, Duration given, Duration least,
                  const std::string& least_name = {}) {
  if (given < least || given > max_delay)
    problems.add(field, to_string(given),
                 to_string(least) + (least_name.empty() ? "" : " (" + least_name + ")") + ".."
                   + to_string(max_delay));
}

std::string text_of_factor(double factor) {
  return std::string{'x'}.append(detail::decimal(factor));
}

void require_factor(Problems& problems, double given) {
  if (!(given >= 1 && given <= greatest_factor))
    problems.add("factor", text_of_factor(given), "x1..x1000");
}

template <class F>
Problems check_growing(const F& formula) {
  Problems problems;
  require_span(problems, "first", formula.first, Duration{1});
  require_factor(problems, formula.factor);
  require_span(problems, "cap", formula.cap, formula.first, "the first");
  return problems;
}

// 2^exponent - 1 slots, the longest delay, must be representable and at most `limit`.
void require_slots(Problems& problems, Duration slot_time, int ceiling, int max_ceiling,
                   Duration limit) {
  const auto slot_time_ok = slot_time > Duration::zero() && slot_time <= max_slot_time;
  if (!slot_time_ok)
    problems.add("slot_time", to_string(slot_time), "1ns..24h");
  const auto ceiling_ok = ceiling >= 1 && ceiling <= max_ceiling;
  if (!ceiling_ok)
    problems.add("ceiling", std::to_string(ceiling), "1.." + std::to_string(max_ceiling));
  if (!slot_time_ok || !ceiling_ok)
    return;
  auto allowed = ceiling;
  while ((std::int64_t{1} << allowed) - 1 > limit / slot_time)
    --allowed;
  if (allowed < ceiling)
    problems.add("ceiling", std::to_string(ceiling),
                 "1.." + std::to_string(allowed) + " with a slot_time of " + to_string(slot_time)
                   + ", for waits below "
                   + (limit == Duration::max() ? "292 years" : to_string(limit)));
}

Duration slots(Duration slot_time, int exponent) {
  return slot_time * ((std::int64_t{1} << exponent) - 1);
}

Duration rounded(double nanoseconds) {
  return nanoseconds >= detail::in_nanoseconds(max_delay)
           ? max_delay
           : Duration{static_cast<std::int64_t>(nanoseconds + 0.5)};
}

// The longest delay. For formulas that take a jitter, it is the cap that the jitter must keep to.
Duration longest_of(const Fixed& x, const Jitter& jitter) {
  return rounded(detail::longest_of(jitter, detail::in_nanoseconds(x.delay)));
}
Duration longest_of(const Linear& x, const Jitter&) { return x.cap; }
Duration longest_of(const Exponential& x, const Jitter&) { return x.cap; }
Duration longest_of(const Decorrelated& x, const Jitter&) { return x.cap; }
Duration longest_of(const Ethernet& x, const Jitter&) { return slots(x.slot_time, x.ceiling); }
Duration longest_of(const Memorystore& x, const Jitter&) { return x.max; }
Duration longest_of(const RandomSlots& x, const Jitter&) {
  return slots(x.slot_time, x.stay_at_ceiling ? x.ceiling : x.ceiling - 1);
}
Duration longest_of(const Seed002& x, const Jitter&) {
  return rounded(detail::in_nanoseconds(x.cap) * (1 + greatest_z * x.jitter));
}

std::string cap_of(Duration cap) { return cap == max_delay ? "" : ", cap " + to_string(cap); }

std::string text_of(const Fixed& x) { return "fixed(" + to_string(x.delay) + ")"; }
std::string text_of(const Linear& x) {
  return "linear(" + to_string(x.first) + ", +" + to_string(x.step) + cap_of(x.cap) + ")";
}
std::string text_of(const Exponential& x) {
  return "exponential(" + to_string(x.first) + ", " + text_of_factor(x.factor) + cap_of(x.cap)
         + ")";
}
std::string text_of(const Decorrelated& x) {
  return "decorrelated(" + to_string(x.first) + ", " + text_of_factor(x.factor) + cap_of(x.cap)
         + ")";
}
std::string text_of(const Ethernet& x) {
  return "ethernet(" + to_string(x.slot_time) + ", ceiling " + std::to_string(x.ceiling) + ")";
}
std::string text_of(const RandomSlots& x) {
  return "random_slots(" + to_string(x.slot_time) + ", ceiling " + std::to_string(x.ceiling)
         + (x.stay_at_ceiling ? ", stay)" : ")");
}
std::string text_of(const Memorystore& x) { return "memorystore(max " + to_string(x.max) + ")"; }
std::string text_of(const Seed002& x) {
  return "seed002(" + to_string(x.min) + ", " + text_of_factor(x.factor) + ", cap "
         + to_string(x.cap) + ", jitter " + detail::percent(x.jitter) + ")";
}

} // namespace

Problems check(const Fixed& formula) {
  Problems problems;
  require_span(problems, "delay", formula.delay, Duration::zero());
  return problems;
}

Problems check(const Linear& formula) {
  Problems problems;
  require_span(problems, "first", formula.first, Duration::zero());
  require_span(problems, "step", formula.step, Duration::zero());
  if (formula.first > Duration::zero())
    require_span(problems, "cap", formula.cap, formula.first, "the first");
  else
    require_span(problems, "cap", formula.cap, Duration{1});
  return problems;
}

Problems check(const Exponential& formula) { return check_growing(formula); }

Problems check(const Decorrelated& formula) { return check_growing(formula); }

Problems check(const Ethernet& formula) {
  Problems problems;
  require_slots(problems, formula.slot_time, formula.ceiling, 53, max_delay);
  return problems;
}

Problems check(const RandomSlots& formula) {
  Problems problems;
  require_slots(problems, formula.slot_time, formula.ceiling, 62, Duration::max());
  return problems;
}

Problems check(const Memorystore& formula) {
  Problems problems;
  require_span(problems, "max", formula.max, Duration{1});
  return problems;
}

Problems check(const Seed002& formula) {
  Problems problems;
  require_span(problems, "min", formula.min, Duration{1});
  require_factor(problems, formula.factor);
  if (formula.cap < formula.min || formula.cap > max_delay / 2)
    problems.add("cap", to_string(formula.cap),
                 to_string(formula.min) + " (the min).." + to_string(max_delay / 2));
  if (!(formula.jitter >= 0 && formula.jitter <= 0.12))
    problems.add("jitter", detail::percent(formula.jitter),
                 "0%..12%, beyond which a delay could be negative");
  return problems;
}

Problems check(const Policy::Formula& formula, const Jitter& jitter) {
  return std::visit(
    [&](const auto& x) {
      auto problems = check(x);
      if (!problems.empty())
        return problems;
      if constexpr (takes_jitter<std::decay_t<decltype(x)>>)
        problems = check(jitter, std::is_same_v<decltype(x), const Fixed&> ? max_delay
                                                                           : longest_of(x, jitter));
      else if (jitter != no_jitter)
        problems.add("jitter", to_string(jitter), "none, since " + text_of(x) + " draws by itself");
      return problems;
    },
    formula);
}

Policy::Policy(const Formula& formula, const Jitter& jitter)
  : formula_(formula), jitter_(jitter), terms_(detail::terms_of(jitter)) {
  check(formula, jitter).raise_if_any();
  std::visit(
    [&](const auto& x) {
      longest_ = longest_of(x, jitter);
      if constexpr (takes_jitter<std::decay_t<decltype(x)>>) {
        growth_ = detail::growth_of(x);
        top_ = detail::room_below(jitter, detail::in_nanoseconds(longest_));
        growth_.first = std::min(growth_.first, top_);
      } else {
        growth_.first = detail::first_level(x);
      }
    },
    formula_);
}

bool Policy::is_random() const {
  return std::visit(
    [&](const auto& x) {
      using F = std::decay_t<decltype(x)>;
      if constexpr (takes_jitter<F>)
        return jitter_.kind != Jitter::Kind::none;
      else if constexpr (std::is_same_v<F, Seed002>)
        return x.jitter > 0;
      else
        return true;
    },
    formula_);
}

bool operator==(const Policy& a, const Policy& b) {
  return a.formula_ == b.formula_ && a.jitter_ == b.jitter_;
}

Policy Policy::of_text(std::string_view text) { return parse_policy(text); }

Policy operator|(const Policy& policy, const Jitter& jitter) {
  if (policy.jitter() != no_jitter) {
    Problems problems;
    problems.add("jitter", to_string(jitter), "none, since there is " + to_string(policy.jitter()));
    problems.raise_if_any();
  }
  return {policy.formula(), jitter};
}

std::string to_string(const Policy& policy) {
  auto result = std::visit([](const auto& x) { return text_of(x); }, policy.formula());
  if (policy.jitter() != no_jitter)
    result += " | " + to_string(policy.jitter());
  return result;
}

} // namespace backoff_actor
