#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/sender/sender_engine_options.hpp"

#include <caf/actor.hpp>

#include <memory>

namespace backoff_actor {

namespace detail {

// All that senders of a kind have in common, and what follows from it.
struct BACKOFF_ACTOR_HIDDEN SenderParts {
  SenderParts(ChildFactory child, SenderOptions given);

  ChildFactory make_child;
  SenderOptions options;
  EngineOptions engine_options;
  bool is_observed; // somebody reads the causes of errors
};

} // namespace detail

/// What senders of a kind are made of, checked once and shared by all of them:
///
///     const SenderBlueprint device{child_of<Device>(), {.child_start = FirstStart::on_first_use}};
///     const auto sender = device.spawn(system);
///
/// For many senders: one that shares its options with others takes a third less memory, see
/// docs/performance.md. Copies share, too, and are cheap.
///
/// The factory, and the functions and hooks of the options, are those of all its senders: each calls them
/// in its own thread, so that several may be called at a time, and what they hold lives as long as
/// the last sender or copy of the blueprint. Of the other options
///
/// - `stream` is best left open: all senders have the one that is given, and march in step;
/// - an `outbox` serves one sender at a time, and so does an `origin`;
/// - `guard`, `dead_letters` and `fallback` are shared, as one would expect.
///
/// @thread all members from any thread, several at a time.
class BACKOFF_ACTOR_EXPORT SenderBlueprint {
public:
  /// Starts nothing yet.
  ///
  /// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `make_child`
  ///         if it is empty.
  explicit SenderBlueprint(ChildFactory make_child, SenderOptions options = {});

  /// Starts a sender, and with it its child, unless `SenderOptions::child_start` says otherwise.
  ///
  /// @errors throws `StoreError`, `in_use`, if another sender uses the durable outbox.
  [[nodiscard("a sender that nobody holds ends when it owes nothing")]] caf::actor
  spawn(caf::actor_system& system) const;

  /// What its senders are like.
  const SenderOptions& options() const;

private:
  friend class BackOffSender;

  std::shared_ptr<const detail::SenderParts> parts_;
};

/// Starts a sender, and with it its child, as a `SenderBlueprint` of its own would; `child_of` makes the factory of a worker class.
///
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `make_child`
///         if it is empty; nothing has been started then.
/// @thread any
[[nodiscard("a sender that nobody holds ends when it owes nothing")]] BACKOFF_ACTOR_EXPORT
  caf::actor
  spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                        SenderOptions options = {});

} // namespace backoff_actor
