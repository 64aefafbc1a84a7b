#include "backoff_actor/backoff/policy.hpp"

#include "backoff_actor/backoff/internal/text.hpp"
#include "backoff_actor/backoff/parse_policy.hpp"

#include <algorithm>
#include <cmath>

namespace backoff_actor {

namespace {

constexpr Duration max_slot_time = std::chrono::hours{24};
constexpr Duration second = std::chrono::seconds{1};
constexpr double greatest_factor = 1000;
constexpr int greatest_exponent = 1000;
constexpr int greatest_power = 10;
constexpr int most_first_waits = 32;
constexpr double greatest_z = 8.3; // the largest that a draw of 53 bits can give

// Formulas that give a delay v, to which a jitter and the rest can be added.
template <class F>
constexpr bool grows = requires(const F& x) {
  detail::growth_of(x);
};
template <class F>
constexpr bool takes_jitter = grows<F> || std::is_same_v<F, Steps> || std::is_same_v<F, Polynomial>;

// Formulas whose longest delay follows from their delays. The others have a cap.
template <class F>
constexpr bool has_cap = !std::is_same_v<F, Fixed> && !std::is_same_v<F, Steps>;

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

template <class F>
Problems check_adding(const F& formula) {
  Problems problems;
  require_span(problems, "first", formula.first, Duration::zero());
  require_span(problems, "step", formula.step, Duration::zero());
  if (formula.first > Duration::zero())
    require_span(problems, "cap", formula.cap, formula.first, "the first");
  else
    require_span(problems, "cap", formula.cap, Duration{1});
  return problems;
}

std::uint32_t milliseconds_of(Duration span) {
  return static_cast<std::uint32_t>(span / std::chrono::milliseconds{1});
}

void require_milliseconds(Problems& problems, const std::string& field, Duration given,
                          Duration longest) {
  if (given < Duration::zero() || given > longest
      || given % std::chrono::milliseconds{1} != Duration::zero())
    problems.add(field, to_string(given), "0ns.." + to_string(longest) + ", in whole milliseconds");
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

// The longest delay of a formula that draws by itself.
Duration longest_of(const Decorrelated& x) { return x.cap; }
Duration longest_of(const Ethernet& x) { return slots(x.slot_time, x.ceiling); }
Duration longest_of(const Memorystore& x) { return x.max; }
Duration longest_of(const RandomSlots& x) {
  return slots(x.slot_time, x.stay_at_ceiling ? x.ceiling : x.ceiling - 1);
}
Duration longest_of(const Seed002& x) {
  return rounded(detail::in_nanoseconds(x.cap) * (1 + greatest_z * x.jitter));
}

// The v at which a formula stops growing even without its cap, ns.
double greatest_v(const Fixed& x) { return detail::in_nanoseconds(x.delay); }
double greatest_v(const Steps& x) {
  return 1e6 * *std::max_element(x.milliseconds.begin(), x.milliseconds.end());
}
double greatest_v(const Linear&) { return detail::in_nanoseconds(max_delay); }
double greatest_v(const Polynomial&) { return detail::in_nanoseconds(max_delay); }
double greatest_v(const Exponential& x) {
  const auto most = detail::in_nanoseconds(max_delay);
  if (x.exponent == 0)
    return most;
  auto v = detail::in_nanoseconds(x.first);
  for (auto i = 0; i < x.exponent && v < most; ++i)
    v *= x.factor;
  return std::min(v, most);
}

// What bounds the delays of a formula with a jitter.
struct Bounds {
  double top;       // the longest v, ns
  Duration longest; // the longest delay
};

template <class F>
Bounds bounds_of(const F& x, const Jitter& jitter) {
  const auto greatest = greatest_v(x);
  if constexpr (!has_cap<F>) {
    const auto longest = rounded(detail::longest_of(jitter, greatest));
    return {detail::room_below(jitter, detail::in_nanoseconds(longest)), longest};
  } else {
    const auto cap = std::min(x.cap, rounded(greatest));
    switch (jitter.order) {
    case CapOrder::within:
      break;
    case CapOrder::cap_first:
      return {std::min(greatest, detail::in_nanoseconds(x.cap)),
              rounded(detail::longest_of(jitter, detail::in_nanoseconds(cap)))};
    case CapOrder::cap_last:
      return {greatest, jitter.kind == Jitter::Kind::per_retry
                          ? x.cap
                          : std::min(x.cap, rounded(detail::longest_of(jitter, greatest)))};
    }
    return {detail::room_below(jitter, detail::in_nanoseconds(cap)), cap};
  }
}

template <class F>
Bounds bounds_of(const F& x, const Jitter& jitter, Seconds seconds) {
  auto result = bounds_of(x, jitter);
  if (seconds == Seconds::whole)
    result.longest -= result.longest % second;
  return result;
}

std::string cap_of(Duration cap) { return cap == max_delay ? "" : ", cap " + to_string(cap); }

std::string text_of(const Fixed& x) { return "fixed(" + to_string(x.delay) + ")"; }
std::string text_of(const Linear& x) {
  return "linear(" + to_string(x.first) + ", +" + to_string(x.step) + cap_of(x.cap) + ")";
}
std::string text_of(const Exponential& x) {
  return "exponential(" + to_string(x.first) + ", " + text_of_factor(x.factor) + cap_of(x.cap)
         + (x.exponent == 0 ? "" : ", exponent " + std::to_string(x.exponent)) + ")";
}
std::string text_of(const Polynomial& x) {
  return "polynomial(" + to_string(x.first) + ", +" + to_string(x.step) + ", ^"
         + std::to_string(x.power) + cap_of(x.cap) + ")";
}
std::string text_of(const Steps& x) {
  auto count = Steps::most;
  while (count > 1 && x.milliseconds[count - 2] == x.milliseconds[count - 1])
    --count;
  std::string result;
  for (std::uint32_t n = 1; n <= count; ++n)
    result += (n == 1 ? "steps(" : ", ") + to_string(x.at(n));
  return result + ")";
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
std::string text_of(const FirstWait& x) {
  return "first_wait(" + to_string(x.wait)
         + (x.times == 1 ? "" : ", times " + std::to_string(x.times)) + ")";
}
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

Problems check(const Linear& formula) { return check_adding(formula); }

Problems check(const Exponential& formula) {
  auto problems = check_growing(formula);
  if (formula.exponent < 0 || formula.exponent > greatest_exponent)
    problems.add("exponent", std::to_string(formula.exponent), "0..1000, with 0 for none");
  return problems;
}

Problems check(const Polynomial& formula) {
  auto problems = check_adding(formula);
  if (formula.power < 1 || formula.power > greatest_power)
    problems.add("power", '^' + std::to_string(formula.power), "^1..^10");
  return problems;
}

Steps::Steps(std::span<const Duration> steps) {
  check_steps(steps).raise_if_any();
  for (std::size_t i = 0; i < most; ++i)
    milliseconds[i] = milliseconds_of(steps[std::min(i, steps.size() - 1)]);
}

Problems check_steps(std::span<const Duration> steps) {
  Problems problems;
  if (steps.empty() || steps.size() > Steps::most)
    problems.add("steps", std::to_string(steps.size()), "1.." + std::to_string(Steps::most));
  for (std::size_t i = 0; i < steps.size(); ++i)
    require_milliseconds(problems, "step " + std::to_string(i + 1), steps[i], Steps::longest_step);
  return problems;
}

Problems check(const Steps&) { return {}; }

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

namespace {

template <class F>
Problems check_jitter(const F& x, const Jitter& jitter) {
  auto problems = check(jitter, has_cap<F> ? bounds_of(x, no_jitter).longest : max_delay);
  if (!has_cap<F> && jitter.order != CapOrder::within)
    problems.add("jitter", to_string(jitter),
                 "no order of cap and jitter, since " + text_of(x) + " has no cap");
  if (!jitter.is_carried || !problems.empty())
    return problems;
  if constexpr (std::is_same_v<F, Exponential>) {
    const auto least = detail::least_part(jitter);
    if (jitter.kind == Jitter::Kind::per_retry)
      problems.add("carried", to_string(jitter), "a jitter that does not grow by itself");
    else if (x.factor * least < 1)
      problems.add("carried", to_string(jitter),
                   "a jitter whose shortest draw, " + detail::percent(least)
                     + " of the delay, times the factor, " + text_of_factor(x.factor)
                     + ", is at least 1, or delays could shrink to nothing");
  } else {
    problems.add("carried", to_string(jitter), "none, since only exponential takes it");
  }
  return problems;
}

} // namespace

namespace {

void check_first_wait(Problems& problems, const FirstWait& given, Duration longest,
                      Seconds seconds) {
  if (seconds == Seconds::any)
    require_milliseconds(problems, "first_wait", given.wait,
                         std::min(longest, Steps::longest_step));
  else if (given.wait < Duration::zero() || given.wait > std::min(longest, Steps::longest_step)
           || given.wait % second != Duration::zero())
    problems.add("first_wait", to_string(given.wait),
                 "0ns.." + to_string(std::min(longest, Steps::longest_step))
                   + ", in whole seconds");
}

} // namespace

Problems check(const Policy::Formula& formula, const Jitter& jitter, const FirstWait& first_wait,
               Seconds seconds) {
  return std::visit(
    [&](const auto& x) {
      using F = std::decay_t<decltype(x)>;
      auto problems = check(x);
      if (!problems.empty())
        return problems;
      if constexpr (takes_jitter<F>) {
        problems = check_jitter(x, jitter);
        if (first_wait != no_first_wait
            && (first_wait.times < 1 || first_wait.times > most_first_waits))
          problems.add("times", std::to_string(first_wait.times), "1..32");
        if (seconds == Seconds::whole && jitter.kind == Jitter::Kind::gaussian)
          problems.add("whole_seconds", to_string(jitter), "a jitter that is uniform, or none");
        if (problems.empty())
          check_first_wait(problems, first_wait, bounds_of(x, jitter, seconds).longest, seconds);
      } else {
        const auto refuse = [&](const char* field, const std::string& given) {
          problems.add(field, given, "none, since " + text_of(x) + " draws by itself");
        };
        if (jitter != no_jitter)
          refuse("jitter", to_string(jitter));
        if (first_wait != no_first_wait)
          refuse("first_wait", to_string(first_wait.wait));
        if (seconds != Seconds::any)
          refuse("whole_seconds", "whole_seconds");
      }
      return problems;
    },
    formula);
}

Policy::Policy(const Formula& formula, const Jitter& jitter, const FirstWait& first_wait,
               Seconds seconds)
  : formula_(formula), jitter_(jitter), terms_(detail::terms_of(jitter)), seconds_(seconds),
    is_normal_(jitter.kind == Jitter::Kind::gaussian) {
  check(formula, jitter, first_wait, seconds).raise_if_any();
  if (first_wait.times > 0) {
    first_wait_ms_ = milliseconds_of(first_wait.wait);
    first_wait_times_ = static_cast<std::uint8_t>(first_wait.times);
  }
  std::visit(
    [&](const auto& x) {
      using F = std::decay_t<decltype(x)>;
      if constexpr (takes_jitter<F>) {
        const auto bounds = bounds_of(x, jitter, seconds);
        top_ = bounds.top;
        longest_ = bounds.longest;
        if constexpr (grows<F>)
          growth_ = detail::growth_of(x);
        else
          growth_.first = detail::level_at(x, 1);
        growth_.first = std::min(growth_.first, top_);
      } else {
        longest_ = longest_of(x);
        growth_.first = detail::first_level(x);
      }
    },
    formula_);
  path_ = is_composed() ? composed_path : static_cast<std::uint8_t>(formula_.index());
}

bool Policy::is_composed() const {
  return std::holds_alternative<Steps>(formula_) || std::holds_alternative<Polynomial>(formula_)
         || jitter_.is_carried || jitter_.kind == Jitter::Kind::per_retry || first_wait_times_ > 0
         || seconds_ == Seconds::whole;
}

// The v before retry n of the formula, if `grown` is that of a growth.
double Policy::level_before(std::uint32_t n, double grown) const {
  if (const auto* steps = std::get_if<Steps>(&formula_))
    return detail::level_at(*steps, n);
  if (const auto* polynomial = std::get_if<Polynomial>(&formula_))
    return detail::level_at(*polynomial, n);
  return grown;
}

// The delay before retry n of the formula, before the cap.
Duration Policy::composed_delay(double level, std::uint32_t n, double u) const {
  constexpr auto nanoseconds = 1e9; // ns
  const auto most = detail::in_nanoseconds(max_delay);
  const auto times = jitter_.kind == Jitter::Kind::per_retry ? static_cast<double>(n) : 1.0;
  auto terms = terms_;
  if (seconds_ == Seconds::any) {
    terms.extra = std::min(terms.extra * times, most);
    return detail::jittered(terms, is_normal_, level, u);
  }
  const auto seconds_in = [](double span) { return std::floor((span + 0.5) / nanoseconds); };
  const auto low = seconds_in(level * terms.base);
  const auto drawn = std::floor(u * (seconds_in(level * terms.width + terms.extra) + 1));
  return Duration{static_cast<std::int64_t>(low * nanoseconds)
                  + static_cast<std::int64_t>(std::min(drawn * times * nanoseconds, most))};
}

Step Policy::composed_next(double level, std::uint32_t retries, std::uint32_t draws,
                           double u) const {
  const auto now = detail::one_more(retries);
  if (retries < first_wait_times_)
    return {{level, now, draws + 1}, std::chrono::milliseconds{first_wait_ms_}};
  const auto n = now - first_wait_times_;
  const auto delay = std::min(composed_delay(level, n, u), longest_);
  const auto base = jitter_.is_carried ? detail::in_nanoseconds(delay) : level;
  const auto next = level_before(detail::one_more(n), base * growth_.factor + growth_.step);
  return {{std::min(next, top_), now, draws + 1}, delay};
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
  return a.formula_ == b.formula_ && a.jitter_ == b.jitter_ && a.first_wait() == b.first_wait()
         && a.seconds_ == b.seconds_;
}

Policy Policy::of_text(std::string_view text) { return parse_policy(text); }

Policy operator|(const Policy& policy, const Jitter& jitter) {
  if (policy.jitter() != no_jitter) {
    Problems problems;
    problems.add("jitter", to_string(jitter), "none, since there is " + to_string(policy.jitter()));
    problems.raise_if_any();
  }
  return {policy.formula(), jitter, policy.first_wait(), policy.seconds()};
}

Policy operator|(const Policy& policy, const FirstWait& first_wait) {
  if (policy.first_wait() != no_first_wait) {
    Problems problems;
    problems.add("first_wait", to_string(first_wait.wait),
                 "none, since there is " + text_of(policy.first_wait()));
    problems.raise_if_any();
  }
  return {policy.formula(), policy.jitter(), first_wait, policy.seconds()};
}

Policy operator|(const Policy& policy, Seconds seconds) {
  return {policy.formula(), policy.jitter(), policy.first_wait(), seconds};
}

std::string to_string(const Policy& policy) {
  auto result = std::visit([](const auto& x) { return text_of(x); }, policy.formula());
  if (policy.jitter() != no_jitter)
    result += " | " + to_string(policy.jitter());
  if (policy.first_wait() != no_first_wait)
    result += " | " + text_of(policy.first_wait());
  if (policy.seconds() == Seconds::whole)
    result += " | whole_seconds";
  return result;
}

} // namespace backoff_actor
