#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/testing/faults/faults.hpp"

#include <caf/actor_system.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace backoff_actor::testing {

/// A worker that fails by a plan, and the record of what it was given. All its incarnations follow
/// one plan: the n-th fault is for the n-th message that any of them is given, the n-th birth for
/// the n-th call of the factory.
///
///     const DangerousActor worker{"ok*3, crash, hang, error(503, retry_after 2s)*2, slow 500ms"};
///     const auto sender = time.keep(spawn_back_off_sender(time.system(), worker.factory()));
///
/// It takes `std::string` messages, bare or inside a `TrackedMsg`, and answers with the same text; to
/// any other it answers `caf::sec::unexpected_message`, which takes no fault. One that hangs is given
/// nothing more, and what was slow by then is not answered. Copies share everything.
///
/// @thread safe: incarnations may run in any thread while others read.
class BACKOFF_ACTOR_EXPORT DangerousActor {
public:
  /// Fails as `faults` and `births` say; without any all is well.
  explicit DangerousActor(Faults faults = {}, BirthPlan births = {});

  /// One message that one incarnation was given.
  struct Seen {
    std::uint32_t incarnation; ///< which one, counted from 1
    std::string text;          ///< the message, or the payload of the `TrackedMsg`

    /// Whether the same one was given the same text.
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  /// The factory of the incarnations, which keep what they need: this object may go.
  ChildFactory factory() const;

  /// Makes an incarnation that belongs to no sender.
  caf::actor spawn(caf::actor_system& system) const;

  /// All messages that any of them was given, in order.
  std::vector<Seen> seen() const;

  /// The texts of `seen()`.
  std::vector<std::string> texts() const;

  /// How many incarnations there were, those included that did not come into the world.
  std::size_t started() const;

  /// How many live.
  std::size_t alive() const;

  /// The youngest; invalid before the first, and once it is gone.
  caf::actor child() const;

  /// The plan of the faults, which is followed together with others who were given the same.
  const Faults& faults() const { return faults_; }

  struct State;

private:
  Faults faults_;
  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
