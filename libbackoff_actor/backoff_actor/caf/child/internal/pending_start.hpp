#pragma once

#include "backoff_actor/caf/child/child_promise.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/process/internal/checked_lock.hpp"

#include <caf/actor_addr.hpp>

#include <string>
#include <vector>

namespace backoff_actor {

/// A pending start of a child. The waiting actor and the promise share it.
class BACKOFF_ACTOR_EXPORT ChildStart {
public:
  /// The outcome of the start.
  struct Result {
    caf::actor child;                      ///< invalid: the start has failed
    Ownership ownership = Ownership::sole; ///< of the child
    std::string text;                      ///< why the start has failed
    caf::error root;                       ///< the error that made the start fail, if any
  };

  /// `waiting` will get `StartNews{number}` when there is a result.
  ///
  /// @thread the waiting actor's
  ChildStart(caf::actor_addr waiting, std::uint64_t number);

  /// Stores the first result, unless the start was called off. Ends the child of any other result,
  /// unless that child is shared.
  ///
  /// @thread any
  void tell(Result result);

  /// Returns true if there is no result yet, and one is still wanted.
  ///
  /// @thread any
  bool is_open() const;

  /// Adds a wrap for the child.
  ///
  /// @thread the waiting actor's
  void wrap(ChildPromise::Wrap wrap);

  /// Returns the result, with all wraps applied to its child. Call it after `StartNews`.
  ///
  /// @thread the waiting actor's
  Result take(caf::event_based_actor* waiting);

  /// Calls the start off. If a child has come and was not taken, ends it, unless it is shared.
  ///
  /// @thread the waiting actor's
  void call_off();

  /// Returns the number that was given to the constructor.
  std::uint64_t number() const { return number_; }

private:
  enum class State : std::uint8_t { open, told, over };

  const caf::actor_addr waiting_;
  const std::uint64_t number_;
  mutable detail::Mutex mutex_;
  State state_ BACKOFF_ACTOR_GUARDED_BY(mutex_) = State::open;
  Result result_ BACKOFF_ACTOR_GUARDED_BY(mutex_);
  std::vector<ChildPromise::Wrap> wraps_; // only for the waiting actor's thread
};

} // namespace backoff_actor
