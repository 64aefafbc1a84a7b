#include "backoff_actor/testing/time/virtual_time.hpp"

#include "backoff_actor/caf/compat/internal/virtual_system.hpp"
#include "backoff_actor/core/problems.hpp"
#include "backoff_actor/process/internal/error_stream.hpp"

#include <caf/actor_registry.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace backoff_actor::testing {

VirtualTime::VirtualTime(const std::function<void(caf::actor_system_config&)>& configure)
  : virtual_system_(std::make_unique<compat::VirtualSystem>([&](caf::actor_system_config& config) {
      init(config);
      if (configure)
        configure(config);
    })) {}

VirtualTime::~VirtualTime() {
  virtual_system_->thaw_all();
  for (const auto& actor : kept_)
    caf::anon_send_exit(actor, caf::exit_reason::kill);
  kept_.clear();
  while (virtual_system_->step())
    continue;
  virtual_system_->drop_timers(); // a timer may have held the last reference to an actor
  while (virtual_system_->step())
    continue;
  if (const auto left = system().registry().running(); left > 0) {
    backoff_actor::detail::tell_error_stream("VirtualTime: waiting for actors that do not end: "
                                             + std::to_string(left)
                                             + "; pass each actor that you spawn to `keep`");
  }
}

caf::actor_system& VirtualTime::system() { return virtual_system_->system(); }

std::size_t VirtualTime::run() {
  constexpr std::size_t limit = 1'000'000;
  std::size_t count = 0;
  while (virtual_system_->step())
    if (++count == limit)
      throw std::runtime_error(
        "VirtualTime::run: a million steps at one instant; actors keep each other busy");
  return count;
}

std::size_t VirtualTime::advance(Duration span) {
  Problems problems;
  if (span < Duration::zero())
    problems.add("span", to_string(span), "0ns and above");
  problems.raise_if_any();
  run();
  const auto end = now() + span;
  std::size_t fired = 0;
  for (auto next = virtual_system_->next_timer(); next && *next <= end;
       next = virtual_system_->next_timer()) {
    fired += virtual_system_->move_to(std::max(*next, now()));
    run();
  }
  virtual_system_->move_to(end);
  return fired;
}

std::optional<Duration> VirtualTime::advance_to_next_timer() {
  run();
  const auto next = next_timer();
  if (!next)
    return std::nullopt;
  const auto span = std::max(*next, Duration::zero());
  advance(span);
  return span;
}

Instant VirtualTime::now() { return virtual_system_->now(); }

std::size_t VirtualTime::timers() { return virtual_system_->timers(); }

std::optional<Duration> VirtualTime::next_timer() {
  const auto next = virtual_system_->next_timer();
  return next ? std::optional{*next - now()} : std::nullopt;
}

void VirtualTime::stop(const caf::actor& actor) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

void VirtualTime::freeze(const caf::actor& actor) { virtual_system_->freeze(actor); }

void VirtualTime::thaw(const caf::actor& actor) { virtual_system_->thaw(actor); }

} // namespace backoff_actor::testing
