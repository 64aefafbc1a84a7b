#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace backoff_actor {

/// Who owns a child.
enum class Ownership : std::uint8_t {
  sole,  ///< only its supervisor, which ends it
  shared ///< others use it too: its supervisor only releases it, and never ends it
};

class ChildStart;

/// The promise of an asynchronous factory to deliver a child, or to report why there is none. It is
/// open until it is kept once, or the child is no longer wanted. If the last copy is dropped while
/// the promise is open, the start has failed.
///
/// @thread all members but `wrapped` from any thread.
class BACKOFF_ACTOR_EXPORT ChildPromise {
public:
  /// Returns an actor that stands in front of a child, or the child itself.
  ///
  /// @errors an exception or an invalid handle is a failed start; the child is then ended, unless
  ///         it is shared.
  /// @thread the supervisor's
  using Wrap =
    std::function<caf::actor(caf::event_based_actor* supervisor, const caf::actor& child)>;

  /// Makes a promise that nobody waits for.
  ChildPromise() = default;

  /// For the actor that waits for the child.
  explicit ChildPromise(std::shared_ptr<ChildStart> start);

  /// Delivers the child. If the promise is no longer open, the child is ended, unless it is shared.
  ///
  /// @errors an invalid handle is a failed start.
  void deliver(const caf::actor& child, Ownership ownership = Ownership::sole) const;

  /// Reports that the start has failed, and why.
  void fail(const std::string& text) const;

  /// The same, with an error that the decider sees as the root cause.
  void fail(const std::string& text, caf::error root) const;

  /// Returns true while the promise is open. A factory that takes long should ask now and then.
  bool is_wanted() const;

  /// Adds a wrap, and returns the same promise. `wrap` is called with the delivered child, and the
  /// actor that it returns takes the child's place. If several wraps were added, the last one is
  /// called first.
  ///
  /// @thread the supervisor's, during the call of the factory
  ChildPromise wrapped(Wrap wrap) const;

private:
  class Debt;

  std::shared_ptr<Debt> debt_; // shared by all copies
};

} // namespace backoff_actor
