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

/// A worker that fails by a plan, and a record of the messages that it received. All its
/// incarnations share one plan: the n-th fault is for the n-th message that any of them receives,
/// and the n-th birth for the n-th call of the factory.
///
///     const DangerousActor worker{"ok*3, crash, hang, error(503, retry_after 2s)*2, slow 500ms"};
///     const auto sender = time.keep(spawn_back_off_sender(time.system(), worker.factory()));
///
/// It takes `std::string` messages, bare or inside a `TrackedMsg`, and answers with the same text.
/// To any other message it answers `caf::sec::unexpected_message`, which uses up no fault. An
/// incarnation that hangs takes no further message, and does not answer a slow one that it still
/// works on. Copies share everything.
///
/// @thread safe: incarnations may run in any thread while others read.
class BACKOFF_ACTOR_EXPORT DangerousActor {
public:
  /// Fails as `faults` and `births` say. With neither, nothing goes wrong.
  explicit DangerousActor(Faults faults = {}, BirthPlan births = {});

  /// One message that an incarnation received.
  struct Seen {
    std::uint32_t incarnation; ///< the number of the incarnation, from 1
    std::string text;          ///< the message, or the payload of the `TrackedMsg`

    /// Whether incarnation and text are the same.
    friend bool operator==(const Seen&, const Seen&) = default;
  };

  /// The factory of the incarnations. They keep what they need and may outlive this object.
  ChildFactory factory() const;

  /// Makes an incarnation that belongs to no sender.
  caf::actor spawn(caf::actor_system& system) const;

  /// All messages that any incarnation received, in order.
  std::vector<Seen> seen() const;

  /// The texts of `seen()`.
  std::vector<std::string> texts() const;

  /// The number of incarnations so far, including those that failed to start.
  std::size_t started() const;

  /// The number of incarnations that live.
  std::size_t alive() const;

  /// The latest incarnation. The handle is invalid before the first, and after the latest has
  /// ended.
  caf::actor child() const;

  /// The faults that it follows. All users of the same `Faults` follow them together.
  const Faults& faults() const { return faults_; }

  struct State;

private:
  Faults faults_;
  std::shared_ptr<State> state_;
};

} // namespace backoff_actor::testing
