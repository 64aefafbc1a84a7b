#pragma once

#include "backoff_actor/engine/supervisor/supervisor_engine_options.hpp"
#include "drawn.hpp"
#include "supervisor_lines.hpp"

#include <rapidcheck.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace backoff_actor::model_test {

/// The options of a child as small numbers, so that shrinking finds the simplest; 0 is always that.
struct ChildTraits {
  int restart = 0;       // RestartType
  int shutdown = 0;      // within 30 ms, at once, wait, within 5 ms
  int backoff = 0;       // see policy_of
  int healthy_after = 0; // 0: unset; in steps of 15 ms
  int limit = 0;         // 0: unset; one more than is borne
  int within = 0;        // of that, in steps of 20 ms, the first included
  int when_given_up = 0; // GivenUp, with a limit
  int significant = 0;   // 0, 1; not for permanent ones
  int readiness = 0;     // Readiness
  int start_timeout = 0; // 0: unset; in steps of 15 ms; for when_it_is_up only
};

inline Policy policy_of(const ChildTraits& x) {
  using std::chrono::milliseconds;
  switch (x.backoff) {
  case 1:
    return Fixed{Duration{0}};
  case 2:
    return Exponential{.first = milliseconds{10}, .cap = milliseconds{80}} | full_jitter;
  case 3:
    return RandomSlots{.ceiling = 3};
  default:
    return Fixed{milliseconds{20}};
  }
}

inline ChildOptions options_of(const ChildTraits& x) {
  using std::chrono::milliseconds;
  const Shutdown shutdowns[] = {Shutdown::within(milliseconds{30}), Shutdown::at_once(),
                                Shutdown::wait(), Shutdown::within(milliseconds{5})};
  ChildOptions result;
  result.restart = static_cast<RestartType>(x.restart);
  result.shutdown = shutdowns[x.shutdown];
  result.backoff = policy_of(x);
  if (x.healthy_after > 0)
    result.healthy_after = milliseconds{15} * x.healthy_after;
  if (x.limit > 0) {
    result.restart_limit =
      RestartLimit{static_cast<std::uint32_t>(x.limit - 1), milliseconds{20} * (x.within + 1)};
    result.when_given_up = static_cast<GivenUp>(x.when_given_up);
  }
  result.is_significant = x.significant != 0 && result.restart != RestartType::permanent;
  result.readiness = static_cast<Readiness>(x.readiness);
  if (x.start_timeout > 0 && result.readiness == Readiness::when_it_is_up)
    result.start_timeout = milliseconds{15} * x.start_timeout;
  return result;
}

inline void showValue(const ChildTraits& traits, std::ostream& out) {
  const auto options = options_of(traits);
  out << to_string(options.restart) << ", shutdown " << to_string(options.shutdown) << ", backoff "
      << to_string(options.backoff);
  if (options.healthy_after)
    out << ", healthy_after " << to_string(*options.healthy_after);
  if (options.restart_limit)
    out << ", restart_limit {" << options.restart_limit->max_restarts << ", "
        << to_string(options.restart_limit->within) << "}";
  if (options.when_given_up == GivenUp::escalate)
    out << ", escalates when given up";
  if (options.is_significant)
    out << ", significant";
  if (options.readiness == Readiness::when_it_is_up)
    out << ", is asked whether it is up";
  if (options.start_timeout)
    out << ", start_timeout " << to_string(*options.start_timeout);
}

inline rc::Gen<ChildTraits> arbitrary_traits() {
  using rc::gen::set;
  return rc::gen::build<ChildTraits>(
    set(&ChildTraits::restart, below(3)), set(&ChildTraits::shutdown, below(4)),
    set(&ChildTraits::backoff, below(4)), set(&ChildTraits::healthy_after, below(4)),
    set(&ChildTraits::limit, below(4)), set(&ChildTraits::within, below(6)),
    set(&ChildTraits::when_given_up, below(2)), set(&ChildTraits::significant, below(2)),
    set(&ChildTraits::readiness, below(2)), set(&ChildTraits::start_timeout, below(4)));
}

/// The options of a supervisor, likewise, and its first children.
struct SupervisorConditions {
  std::uint64_t seed = 0;
  int strategy = 0;         // Strategy
  int dynamic = 0;          // 0, 1; for one_for_one only
  int max_children = 0;     // 0: unset; two more than this
  int limit = 0;            // 0: unset; one more than is borne
  int within = 0;           // of that, in steps of 30 ms, the first included
  int auto_shutdown = 0;    // AutoShutdown
  int on_start_timeout = 0; // of 16: 0..11 restart, then resume, stop twice, escalate
  int kill_grace = 0;       // in steps of 10 ms
  int after_grace = 0;      // AfterGrace
  int hook = 0;             // of 8: with 7 the hook throws at each event
  std::vector<ChildTraits> first{};
  std::size_t crowd = 0; // more first children, all with the traits of the last, or the simplest
};

inline Directive directive_of(std::uint32_t x) {
  x %= 16;
  return x < 12   ? Directive::restart
         : x < 13 ? Directive::resume
         : x < 15 ? Directive::stop
                  : Directive::escalate;
}

inline SupervisorEngineOptions options_of(const SupervisorConditions& x) {
  using std::chrono::milliseconds;
  SupervisorEngineOptions result;
  result.strategy = static_cast<Strategy>(x.strategy);
  result.is_dynamic = x.dynamic != 0 && result.strategy == Strategy::one_for_one;
  if (x.max_children > 0)
    result.max_children = static_cast<std::size_t>(x.max_children) + 2;
  if (x.limit > 0)
    result.restart_limit =
      RestartLimit{static_cast<std::uint32_t>(x.limit - 1), milliseconds{30} * (x.within + 1)};
  result.auto_shutdown = static_cast<AutoShutdown>(x.auto_shutdown);
  result.on_start_timeout = directive_of(static_cast<std::uint32_t>(x.on_start_timeout));
  result.kill_grace = milliseconds{10} * x.kill_grace;
  result.after_grace = static_cast<AfterGrace>(x.after_grace);
  result.seed = x.seed;
  if (x.hook == 7)
    result.on_event = throw_at<SupervisorEvent>;
  return result;
}

/// Some of them look like the numbers that children without an id are given.
inline std::string id_of(std::size_t which) {
  static const char* const ids[] = {"a", "b", "c", "d", "e", "f", "7", "8", "8'", "9"};
  return which < std::size(ids) ? ids[which] : "n" + std::to_string(which);
}

inline std::vector<ChildEntry> first_children_of(const SupervisorConditions& x) {
  std::vector<ChildEntry> result;
  for (const auto& traits : x.first)
    result.push_back(
      {id_of(result.size()), std::make_shared<const ChildOptions>(options_of(traits))});
  const auto same = x.first.empty()
                      ? std::make_shared<const ChildOptions>(options_of(ChildTraits{}))
                      : result.back().options;
  for (std::size_t i = 0; i < x.crowd; ++i)
    result.push_back({id_of(result.size()), same});
  return result;
}

inline void showValue(const SupervisorConditions& x, std::ostream& out) {
  const auto options = options_of(x);
  const char* const autos[] = {"never", "any_significant", "all_significant"};
  out << to_string(options.strategy) << ", seed " << x.seed;
  if (options.is_dynamic)
    out << ", dynamic";
  if (x.max_children > 0)
    out << ", max_children " << options.max_children;
  if (options.restart_limit)
    out << ", restart_limit {" << options.restart_limit->max_restarts << ", "
        << to_string(options.restart_limit->within) << "}";
  if (x.auto_shutdown != 0)
    out << ", auto_shutdown " << autos[x.auto_shutdown];
  out << ", on_start_timeout " << words(options.on_start_timeout) << ", kill_grace "
      << to_string(options.kill_grace) << (x.after_grace != 0 ? ", then wait" : ", then abandon")
      << (x.hook == 7 ? ", its hook throws" : "") << "; first children:";
  std::size_t which = 0;
  for (const auto& child : x.first) {
    out << "\n  " << id_of(which++) << ": ";
    showValue(child, out);
  }
  if (x.crowd > 0)
    out << "\n  and " << x.crowd << " more";
  out << "\n";
}

inline rc::Gen<SupervisorConditions> arbitrary_supervisor() {
  using rc::gen::set;
  using Conditions = SupervisorConditions;
  const auto first = rc::gen::mapcat(below<std::size_t>(6), [](std::size_t count) {
    return rc::gen::container<std::vector<ChildTraits>>(count, arbitrary_traits());
  });
  return rc::gen::build<Conditions>(
    set(&Conditions::seed, below<std::uint64_t>(1'000'000)), set(&Conditions::strategy, below(3)),
    set(&Conditions::dynamic, below(2)), set(&Conditions::max_children, below(6)),
    set(&Conditions::limit, below(6)), set(&Conditions::within, below(6)),
    set(&Conditions::auto_shutdown, below(3)), set(&Conditions::on_start_timeout, below(16)),
    set(&Conditions::kill_grace, below(4)), set(&Conditions::after_grace, below(2)),
    set(&Conditions::hook, below(8)), set(&Conditions::first, first));
}

} // namespace backoff_actor::model_test
