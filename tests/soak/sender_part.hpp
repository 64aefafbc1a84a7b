#pragma once

#include "client.hpp"
#include "part.hpp"
#include "sender_kind.hpp"
#include "sender_slot.hpp"

#include <caf/actor.hpp>

#include <memory>
#include <vector>

namespace backoff_actor::soak {

/// Senders, their children, and their clients.
class SenderPart final : public Part {
public:
  /// All begin to work. `shared` must outlive all actors.
  SenderPart(Shared& shared, const std::vector<SenderKind>& kinds);

  void disturb(double kind, double which) override;
  void calm_down() override {}
  void end() override;

private:
  std::vector<std::shared_ptr<SenderSlot>> slots_;
  std::vector<caf::actor> clients_;
};

} // namespace backoff_actor::soak
