#pragma once

#include "backoff_actor/backoff/exponential_back_off.hpp"
#include "backoff_actor/caf/child.hpp"
#include "backoff_actor/caf/messages.hpp"
#include "backoff_actor/caf/supervising_actor.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/sender_engine.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace backoff_actor {

/// How a child confirms a delivery.
enum class Acknowledgement {
  /// By answering it: any ordinary actor can be the child, unchanged. Its response is the
  /// acknowledgement and goes to the client; an empty one counts, and so does a later response
  /// promise.
  by_reply,
  /// By `Sent`: the child gets a `TrackedMsg` in place of the message.
  by_sent,
};

/// The options of a `BackOffSender`; the defaults are those of the article.
struct SenderOptions {
  /// How long to wait after the first, second, third ... failure in a row.
  ExponentialBackOffSpec backoff{};

  /// How the child confirms a delivery.
  Acknowledgement acknowledgement = Acknowledgement::by_reply;

  /// When a child that went down is recreated.
  RestartTiming restart = RestartTiming::at_once;

  /// Told of all that happens; empty: nobody is.
  EventHook on_event{};
};

/// Returns all that is wrong with the options; nothing if a sender can be made with them.
BACKOFF_ACTOR_EXPORT Problems check(const SenderOptions& options);

/// An actor that supervises a dangerous child and keeps every message until the child has
/// acknowledged it.
///
/// Accepts any message, as a request or by a plain send, and answers what the child answers; a
/// request is answered with a `SenderError` if it is refused or if the sender is stopped first.
/// `Sent` is accepted from a child that acknowledges explicitly. The sender ends like any actor, by
/// an exit message, and with it its child. While it owes a delivery it lives, even if nobody holds
/// a handle to it, and its actor system waits for it when it is destroyed.
///
/// Use `spawn_back_off_sender`.
///
/// @errors a child that crashes or cannot be made is made again. An error that a living child answers
///         is the answer, and ends the delivery.
/// @thread messages may come from any thread; the members run in the actor's own.
class BACKOFF_ACTOR_EXPORT BackOffSender final : public SupervisingActor {
public:
  /// Is called by CAF. Nothing is started before `make_behavior`.
  ///
  /// @errors throws `InvalidArgument` if the backoff is wrong. An empty `make_child` is taken, but
  ///         no child can ever be made then: `spawn_back_off_sender` refuses it.
  BackOffSender(caf::actor_config& config, ChildFactory make_child, const SenderOptions& options);

  /// The sender's name in CAF's logs.
  const char* name() const override { return "backoff_actor.sender"; }
  /// Starts the first child.
  caf::behavior make_behavior() override;

  /// Answers `SenderError::stopped` to every request that is still owed, and ends the child.
  ///
  /// @thread the actor's own, or the one that drops the last handle to the actor.
  void on_exit() override;

private:
  // What the engine does not know of a delivery, in the same slot as there.
  struct Parcel {
    caf::message payload;
    caf::response_promise client;
    caf::error held; // an error answer that may turn out to be final
  };

  class CarryOut; // one line per effect

  void on_submission(caf::message payload, caf::response_promise client) override;
  void on_answer(HandOverId id, caf::message answer) override;
  void on_error_answer(HandOverId id, ErrorInfo info) override;
  void on_probe_answer(std::uint32_t probe) override;
  void on_child_down(const caf::error& reason) override;

  void on_sent(const Sent& sent);
  void take(Input input);
  void rest();
  Input start_child(std::uint32_t incarnation);
  Cause cause_of(const caf::error& error) const;

  ChildFactory make_child_;
  SenderEngine engine_;
  Acknowledgement acknowledgement_;
  bool is_observed_;
  std::vector<Parcel> parcels_;
  Effects effects_;
  std::optional<Input> follow_up_;   // the answer to an effect of the step being carried out
  Parcel incoming_;                  // the submission being decided on
  caf::message answer_;              // the acknowledgement being decided on
  caf::error error_;                 // the error answer being decided on
  caf::strong_actor_ptr keep_alive_; // of this actor, while it owes: not every promise holds it
};

/// Starts a sender, and with it its child; `child_of` makes the factory of a worker class.
///
/// @errors throws `InvalidArgument` naming every option that `check` finds wrong, and `make_child`
///         if it is empty; nothing has been started then.
/// @thread any
BACKOFF_ACTOR_EXPORT caf::actor spawn_back_off_sender(caf::actor_system& system,
                                                      ChildFactory make_child,
                                                      SenderOptions options = {});

} // namespace backoff_actor
