#pragma once

#include "contract.hpp"
#include "walk_command.hpp"

#include <cstdint>
#include <vector>

namespace backoff_actor::model_test {

// -- what a command refers to, among what a driver knows ----------------------------

inline Instant deadline(const Command& x, Instant now) {
  return x.time_to_live() ? now + *x.time_to_live() : Instant::never();
}

inline bool is_apt(Kind kind, const KnownChild& child) {
  using State = KnownChild::State;
  switch (kind) {
  case Kind::child_started:
  case Kind::start_failed:
    return child.state == State::starting;
  case Kind::child_alive:
    return child.probe.has_value();
  default:
    return child.state != State::gone && !child.is_stopped;
  }
}

/// Mostly one that is in the state for it, sometimes one that never was.
inline std::uint32_t child(const Command& x, const Contract& contract) {
  std::vector<std::uint32_t> apt;
  for (const auto& [which, child] : contract.children)
    if (is_apt(x.kind, child))
      apt.push_back(which);
  if (x.child() == Command::Child::apt && !apt.empty())
    return apt[x.which() % apt.size()];
  const auto count = static_cast<std::uint32_t>(contract.children.size());
  return x.child() == Command::Child::any ? x.which() % (count + 2) : count;
}

inline HandOverId hand_over(const Command& x, const Contract& contract) {
  const auto& ever = contract.hand_overs;
  if (x.hand_over() == Command::HandOver::never || ever.empty())
    return HandOverId{x.who};
  std::vector<HandOverId> held;
  if (x.hand_over() == Command::HandOver::held)
    for (const auto& [which, child] : contract.children)
      held.insert(held.end(), child.has.begin(), child.has.end());
  const auto& from = held.empty() ? ever : held;
  return from[x.which() % from.size()];
}

} // namespace backoff_actor::model_test
