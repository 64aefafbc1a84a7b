// How supervisors are started.

#include "backoff_actor/caf/supervisor/supervisor.hpp"

#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/caf/supervisor/internal/supervisor_actor.hpp"
#include "backoff_actor/caf/supervisor/internal/supervisor_settings.hpp"

#include <caf/scoped_actor.hpp>

#include <future>
#include <memory>
#include <tuple>
#include <utility>

namespace backoff_actor {

caf::actor spawn_supervisor(caf::actor_system& system, std::vector<ChildSpec> children,
                            SupervisorOptions options) {
  detail::require_init(system);
  check(options, children).raise_if_any();
  return system.spawn<Supervisor>(std::move(options), std::move(children));
}

caf::actor spawn_supervisor(caf::actor_system& system, DynamicSupervisorOptions options) {
  detail::require_init(system);
  check(options).raise_if_any();
  return system.spawn<Supervisor>(std::move(options));
}

StartFailed::StartFailed(caf::error error, const std::string& text)
  : std::runtime_error(text), error_(std::move(error)) {}

caf::actor start_supervisor(caf::actor_system& system, std::vector<ChildSpec> children,
                            SupervisorOptions options) {
  auto supervisor = spawn_supervisor(system, std::move(children), std::move(options));
  const auto ended = std::make_shared<std::promise<caf::error>>();
  supervisor->attach_functor([ended](const caf::error& reason) { ended->set_value(reason); });
  caf::scoped_actor self{system};
  caf::error failure;
  compat::request(*self, supervisor, AwaitUp{})
    .receive([] {}, [&](caf::error& error) { failure = std::move(error); });
  if (failure && compat::is_bounce(failure)) // it ended before it could answer
    failure = ended->get_future().get();
  if (failure)
    throw StartFailed{failure, compat::render(system, failure)};
  return supervisor;
}

namespace {

template <class... Ts>
ChildSpec spec_of_supervisor(std::string id, const SupervisorOptions& options, Ts... arguments) {
  ChildSpec spec;
  spec.id = std::move(id);
  ChildFactory make = [arguments =
                         std::make_tuple(std::move(arguments)...)](caf::event_based_actor* self) {
    detail::require_init(self->home_system());
    return std::apply([self](const auto&... xs) { return self->spawn<Supervisor>(xs...); },
                      arguments);
  };
  spec.make = std::move(make).with_kind(
    std::make_shared<const std::string>(detail::name_of(options, 0).kind));
  spec.options.shutdown = Shutdown::wait();
  spec.options.readiness = Readiness::when_it_is_up;
  spec.kind = ChildKind::supervisor;
  return spec;
}

} // namespace

ChildSpec supervisor_spec(std::string id, std::vector<ChildSpec> children,
                          SupervisorOptions options) {
  check(options, children).raise_if_any();
  return spec_of_supervisor(std::move(id), options, options, std::move(children));
}

ChildSpec supervisor_spec(std::string id, DynamicSupervisorOptions options) {
  check(options).raise_if_any();
  return spec_of_supervisor(std::move(id), options.supervisor, options);
}

} // namespace backoff_actor
