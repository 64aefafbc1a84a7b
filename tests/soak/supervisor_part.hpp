#pragma once

#include "part.hpp"

#include <caf/actor.hpp>

#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::soak {

/// A tree of supervisors with senders among its leaves, and clients that know only addresses:
///
///     root (one for one)
///     |- group (one for all): senders
///     |- rest (rest for one): a worker, and a sender that stands on it
///     `- crew (dynamic): workers that come and go
class SupervisorPart final : public Part {
public:
  /// All begin to work. `shared` must outlive all actors.
  explicit SupervisorPart(Shared& shared);
  ~SupervisorPart() override;

  void disturb(double kind, double which) override;
  void calm_down() override;
  void end() override;

private:
  class Supervised; // the place of a sender in the tree
  struct Tree;

  Shared& shared_;
  std::unique_ptr<Tree> tree_;
  std::vector<std::shared_ptr<Supervised>> places_;
  std::vector<caf::actor> clients_;
  caf::actor root_;
};

} // namespace backoff_actor::soak
