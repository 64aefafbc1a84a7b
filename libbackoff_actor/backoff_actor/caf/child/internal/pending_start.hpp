#pragma once

#include "backoff_actor/caf/child/child_promise.hpp"

#include <caf/actor_addr.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace backoff_actor {

/// A start of a child that is under way, between the actor that waits for it and the promise.
class ChildStart {
public:
  /// What came of it.
  struct Result {
    caf::actor child;                      ///< invalid: the start has failed
    Ownership ownership = Ownership::sole; ///< whose it is
    std::string text;                      ///< why it has failed
    caf::error root;                       ///< why it has failed, if an error says so
  };

  /// Will tell `waiting` with `StartNews{number}`.
  ///
  /// @thread the waiting actor's
  ChildStart(caf::actor_addr waiting, std::uint64_t number);

  /// Takes the result, if nobody has called it off, and none was there before; a child that nobody
  /// takes is ended.
  ///
  /// @thread any
  void tell(Result result);

  /// Whether no result is there, and one is wanted.
  ///
  /// @thread any
  bool is_open() const;

  /// Asks for one more wrap.
  ///
  /// @thread the waiting actor's
  void wrap(ChildPromise::Wrap wrap);

  /// Returns the result, once it was told of, with the wraps around its child.
  ///
  /// @thread the waiting actor's
  Result take(caf::event_based_actor* waiting);

  /// Wants no result any more; ends a child that has come and was not taken.
  ///
  /// @thread the waiting actor's
  void call_off();

  /// Which one it is.
  std::uint64_t number() const { return number_; }

private:
  enum class State : std::uint8_t { open, told, over };

  mutable std::mutex mutex_;
  caf::actor_addr waiting_;
  const std::uint64_t number_;
  State state_ = State::open;
  Result result_;
  std::vector<ChildPromise::Wrap> wraps_; // the waiting actor's
};

} // namespace backoff_actor
