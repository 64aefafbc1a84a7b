#pragma once

#include "backoff_actor/caf/compat/compat.hpp"
#include "backoff_actor/core/export.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace backoff_actor {

/// Whose a child is.
enum class Ownership : std::uint8_t {
  sole,  ///< its supervisor's alone, which ends it
  shared ///< others use it too: its supervisor never ends it, and only lets go of it
};

class ChildStart;

/// What an asynchronous factory of children owes: a child, or why there is none. It is owed until it is
/// given once, or nobody wants it any more; who drops the last copy before has failed.
///
/// @thread all members from any thread, but `wrap`.
class BACKOFF_ACTOR_EXPORT ChildPromise {
public:
  /// Puts an actor of its own before a child, or returns what it was given.
  ///
  /// @errors an exception, or an invalid handle, is a failed start; the child has been ended then.
  /// @thread the supervisor's
  using Wrap =
    std::function<caf::actor(caf::event_based_actor* supervisor, const caf::actor& child)>;

  /// Owes nothing to nobody.
  ChildPromise() = default;

  /// Is made by whoever waits.
  explicit ChildPromise(std::shared_ptr<ChildStart> start);

  /// Gives a child, which becomes a child now. If nobody wants it any more, it is ended, unless it is
  /// shared.
  ///
  /// @errors an invalid handle is a failed start.
  void deliver(const caf::actor& child, Ownership ownership = Ownership::sole) const;

  /// Says why there is none: the start has failed.
  void fail(const std::string& text) const;

  /// Says so with an error, which the decider sees as the root cause.
  void fail(const std::string& text, caf::error root) const;

  /// Whether it is still owed. A factory that works for long asks now and then.
  bool is_wanted() const;

  /// Returns the same promise, kept by what `wrap` makes of the child; of several the last one is asked
  /// first.
  ///
  /// @thread the supervisor's, within the call of the factory
  ChildPromise wrapped(Wrap wrap) const;

private:
  class Debt;

  std::shared_ptr<Debt> debt_; // of all copies; its end is the last one's
};

} // namespace backoff_actor
