#include "backoff_actor/caf/supervisor/supervisor_options.hpp"

#include "backoff_actor/caf/supervisor/internal/supervisor_settings.hpp"

#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/core/internal/check_count.hpp"
#include "backoff_actor/core/internal/one_line.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>

#include <set>
#include <utility>

namespace backoff_actor {

Directive restarting_decider(const std::string&, const caf::error&) { return Directive::restart; }

Directive stopping_decider(const std::string&, const caf::error&) { return Directive::stop; }

namespace {

void check_common(Problems& problems, const SupervisorOptions& options) {
  detail::check_kind(problems, "name", options.name);
  if (options.restart_limit)
    problems.add_nested("restart_limit", check(*options.restart_limit));
  if (options.kill_grace < Duration::zero())
    problems.add("kill_grace", to_string(options.kill_grace), "0ns or more");
}

void check_significance(Problems& problems, const std::string& field, const ChildOptions& child,
                        const SupervisorOptions& options) {
  if (child.is_significant && options.auto_shutdown == AutoShutdown::never)
    problems.add(field, "true", "false, unless auto_shutdown is set");
}

} // namespace

Problems check(const ChildSpec& spec) {
  Problems problems{spec.id.empty() ? "ChildSpec" : "ChildSpec of " + spec.id};
  if (spec.id.empty())
    problems.add("id", "an empty text", "a text that names the child");
  if (!spec.make)
    problems.add("make", "an empty function", "a function that returns a fresh actor");
  problems.add_nested("options", check(spec.options));
  return problems;
}

Problems check(const SupervisorOptions& options, const std::vector<ChildSpec>& children) {
  Problems problems{detail::options_of("SupervisorOptions", options.name)};
  check_common(problems, options);
  std::set<std::string> ids;
  std::set<const void*> addresses;
  for (std::size_t i = 0; i < children.size(); ++i) {
    const auto& spec = children[i];
    auto field = "children[" + std::to_string(i) + "]";
    if (!spec.id.empty())
      field += " (" + detail::one_line(spec.id) + ")";
    problems.add_nested(field, check(spec));
    if (!spec.id.empty() && !ids.insert(spec.id).second)
      problems.add(field + ".id", spec.id, "an id that no earlier child has");
    if (spec.address
        && !addresses.insert(caf::actor_cast<caf::abstract_actor*>(spec.address->actor())).second)
      problems.add(field + ".address", "that of another child", "an address of its own");
    check_significance(problems, field + ".options.is_significant", spec.options, options);
  }
  return problems;
}

Problems check(const DynamicSupervisorOptions& options) {
  Problems problems{detail::options_of("DynamicSupervisorOptions", options.supervisor.name)};
  if (!options.make)
    problems.add("make", "an empty function", "a function that returns a fresh actor");
  problems.add_nested("child", check(options.child));
  detail::check_count(problems, "max_children", options.max_children, 1);
  Problems nested;
  check_common(nested, options.supervisor);
  if (options.supervisor.strategy != Strategy::one_for_one)
    nested.add("strategy", std::string{to_string(options.supervisor.strategy)},
               "one_for_one: the children of a dynamic supervisor have no order");
  problems.add_nested("supervisor", nested);
  check_significance(problems, "child.is_significant", options.child, options.supervisor);
  if (options.supervisor.auto_shutdown != AutoShutdown::never && !options.child.is_significant)
    problems.add("supervisor.auto_shutdown", "set", "never, unless child.is_significant is true");
  return problems;
}

namespace detail {

Directive decide(const SupervisorDecider& decider, const std::string& id, const caf::error& error) {
  if (!decider)
    return restarting_decider(id, error);
  try {
    return decider(id, error);
  } catch (...) {
    return Directive::restart;
  }
}

std::unique_ptr<SupervisorSeat> seat_of(const SupervisorOptions& options, std::uint64_t number) {
  if (!options.observed_by)
    return nullptr;
  const auto name = name_of(options, number);
  auto& state = *options.observed_by->state();
  return std::make_unique<SupervisorSeat>(state.supervisors(name.kind), state.families(), name);
}

ActorName name_of(const SupervisorOptions& options, std::uint64_t number) {
  return {options.name.empty() ? "supervisor" : options.name, number};
}

std::shared_ptr<const SupervisorEngineOptions> engine_options(const SupervisorOptions& options,
                                                              std::uint64_t number) {
  auto result = std::make_shared<SupervisorEngineOptions>();
  result->name = name_of(options, number);
  result->strategy = options.strategy;
  result->restart_limit = options.restart_limit;
  result->auto_shutdown = options.auto_shutdown;
  result->on_start_timeout =
    decide(options.decider, {}, make_error(SupervisorError::start_failed, "not up in time"));
  result->kill_grace = options.kill_grace;
  result->after_grace = options.after_grace;
  // All actor systems of a process share its seed. So without a seed of their own, no two
  // supervisors of the process may have the same one.
  result->seed = options.seed ? mix(*options.seed) ^ mix(number)
                              : mix(seed_of_this_process()) ^ next_stream_of_this_process();
  result->on_event = options.on_event;
  return result;
}

} // namespace detail

} // namespace backoff_actor
