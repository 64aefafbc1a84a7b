#pragma once

#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/caf/sender/sender_options.hpp"
#include "backoff_actor/caf/sender/supervising_actor.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace backoff_actor {

class ChildStart;
class IdempotencyKeys;
class SenderStore;

/// An actor that supervises a dangerous child and keeps every message until the child has
/// acknowledged it; or, with `Guarantee::at_most_once`, passes it on and forgets it.
///
/// Accepts any message, as a request or by a plain send, and answers what the child answers; a
/// request is answered with a `SenderError` if it is refused, or if it is given up for another
/// reason than that the child refused it. `Submit` is a message with more to say about it.
///
/// Some messages are the sender's own words and never reach the child, unless they are inside of a
/// `Submit`: `Submit`, `Status`, `CurrentChild`, `RetryNow`, `Reset`, `Pause`, `Resume`, `Drain` and
/// `Stop`, each alone in its message; and with `Acknowledgement::by_sent` also `Sent`, `Nack`, `Reject` and
/// `Working`, which are accepted from a child.
///
/// The sender ends by `Stop`, or like any actor by an exit message; or, if a limit is reached or the decider
/// says so, by itself, with `SenderError::gave_up` or with the error that the decider let through as its exit
/// reason. Before it ends, it asks its child to end (`user_shutdown`), accepts and hands over nothing more, and
/// takes what the child still answers. A child that has not ended after `SenderOptions::kill_grace` is
/// killed, and is abandoned after as much time again. A `Supervisor` that tells the sender to end gives
/// the child the time of its `ChildOptions::shutdown` instead. With `exit_reason::kill` the sender ends at
/// once, and kills its child. While it owes a delivery it lives, even
/// if nobody holds a handle to it, and its actor system waits for it when it is destroyed. It owes
/// nothing of what it delivers at most once, other than what still waits for a child: whoever wants
/// the child to work on that keeps a handle to the sender.
///
/// With `Guarantee::at_most_once` the child is given each message in its client's name, and answers
/// the client directly. What the child sends to the sender is a message like any other: it comes
/// back to the child, or goes to the next one.
///
/// With a durable outbox (`SenderOptions::outbox`) a message is accepted when it is stored, and what is
/// owed when the sender ends stays owed there, `SenderError::suspended`.
///
/// Use `spawn_back_off_sender`, or for many a `SenderBlueprint`.
///
/// @errors a child that crashes or cannot be made is made again. An error that a living child
///         answers is the answer, and ends the delivery, unless it says when to come back
///         (`retry_after`), it is that of a sender that gave the message back (`stopped`,
///         `suspended`, `draining`), or the decider says otherwise.
/// @thread messages may come from any thread; the members run in the actor's own.
class BACKOFF_ACTOR_EXPORT BackOffSender final : public SupervisingActor {
public:
  /// Is called by CAF. Nothing is started before `make_behavior`.
  ///
  /// @errors throws `InvalidArgument` if the backoff is wrong, and `StoreError`, `in_use`, if another
  ///         sender uses the durable outbox. An empty `make_child` is taken, but
  ///         no child can ever be made then: `spawn_back_off_sender` refuses it.
  BackOffSender(caf::actor_config& config, ChildFactory make_child, SenderOptions options);

  /// Is called by CAF. Nothing is started before `make_behavior`.
  ///
  /// @errors throws `StoreError`, `in_use`, if another sender uses the durable outbox.
  BackOffSender(caf::actor_config& config, const SenderBlueprint& blueprint);

  /// Is called by CAF, for tests that give the engine what no option says.
  BackOffSender(caf::actor_config& config, std::shared_ptr<const detail::SenderParts> parts);

  /// Is called by CAF.
  ~BackOffSender() override;

  /// The sender's name in CAF's logs.
  const char* name() const override { return "backoff_actor.sender"; }
  /// Starts the first child, unless that waits for its first use.
  caf::behavior make_behavior() override;

  /// Answers `SenderError::stopped` to every request that is still owed, or `SenderError::suspended`
  /// where it stays owed, kills children that have not ended, and lets go of what the options hold.
  ///
  /// @thread the actor's own, or the one that drops the last handle to the actor.
  void on_exit() override;

private:
  // What few deliveries have.
  struct Extra {
    std::string key;
    std::string idempotency_key;
    std::uint64_t delivery = 0;
    std::vector<seam::OpenRequest> joined; // of those who submitted it once more
    std::vector<seam::OpenRequest> wait_for_acceptance;
    caf::strong_actor_ptr client; // who was answered when it was accepted
    caf::error held;              // an error answer that may turn out to be final
    bool held_is_bounce = false;
    bool is_answered_on_acceptance = false;
    bool is_confirmed = false; // whoever wants to know may be told that it is accepted
  };

  // What the engine does not know of a delivery, in the same slot as there.
  struct Parcel {
    caf::message payload;
    seam::OpenRequest client;
    std::unique_ptr<Extra> extra; // small, for there may be a million of them

    Extra& more();
    caf::actor source() const;
  };

  // What the engine is told, with the error that came with it; above all the answer to an effect.
  struct News {
    Input input;
    caf::error error{};
  };

  // The answers to the effects of a step, which the engine is told next. That a child has started is by
  // far the most frequent, and is mostly the only one.
  struct FollowUps {
    std::uint32_t started = 0; // the incarnation; 0: none. It is told first
    std::vector<News> others{};

    bool are_none() const { return started == 0 && others.empty(); }
    void add(News news);
    void add_started(std::uint32_t incarnation);
  };

  // What few senders have, or only now and then.
  struct Rare {
    std::unique_ptr<IdempotencyKeys> keys{}; // none: nobody has given one yet
    std::shared_ptr<const void> guard_watch{};
    std::unordered_map<std::uint32_t, seam::OpenRequest> drains{};
    std::vector<std::shared_ptr<ChildStart>> starts{}; // whose children come later, by incarnation
    std::vector<seam::OpenRequest> stops{};            // that wait for the end
    std::optional<caf::error> exit_reason{};           // with which to end; none: normally
    caf::strong_actor_ptr lives_with_child{};          // of this actor, while its last child works
    std::uint32_t last_ticket = 0;
    Cause last_bare{}; // of the last error without a context, with its text

    bool is_empty() const;
  };

  class CarryOut; // one member per effect

  // -- what it is told (sender_actor.cpp) -------------------------------------------

  void on_answer(HandOverId id, caf::message&& answer) override;
  void on_error_answer(HandOverId id, ErrorInfo info) override;
  void on_probe_answer(std::uint32_t incarnation, std::uint32_t probe) override;
  void on_child_down(std::uint32_t incarnation, const caf::error& reason) override;
  void on_told_to_end(const caf::actor_addr& source, const caf::error& reason) override;
  bool on_word(const seam::Word& word) override;
  bool on_childs_word(const seam::Word& word);
  void on_start_news(std::uint64_t number);
  std::uint64_t own_bits() const;
  std::uint64_t id_of(HandOverId name) const;
  HandOverId name_of(std::uint64_t id) const;
  void on_sent(const Sent& sent);
  void on_nack(const Nack& nack);
  void on_reject(const Reject& reject);
  void on_drain(const Drain& drain);
  void on_stop();
  void obey(Input input);
  void watch_guard();
  void tell_status(seam::OpenRequest client);
  void tell_child(seam::OpenRequest client);
  Cause cause_of(const caf::error& error, bool with_text);

  const SenderOptions& options() const { return parts_->options; }

  // -- how a message becomes a delivery (sender_actor_submit.cpp) -------------------

  void on_message(caf::message&& payload) override;
  void on_system_message(caf::message message) override;
  void submit(const Submit& x);
  void keep_client();
  Instant time_of_message();
  Instant deadline(Instant at, Duration time_to_live) const;
  std::string key_of(const Submit& x) const;
  std::uint64_t number_of(const std::string& key) const;
  std::uint32_t weight_of(const caf::message& message);

  // -- what is kept beyond its life, and under which keys (sender_actor_storing.cpp) ---

  std::uint64_t restore();
  void end_storing();
  void on_store_news();
  void tell_store_state();
  void store(const effect::Persist& x);
  void confirm(const effect::Confirm& x);
  void suspend(const effect::Suspend& x);
  IdempotencyKeys& keys();
  bool is_known(const Submit& x);
  Instant forget_old_keys();
  void note_end(const Parcel& parcel, bool is_acknowledged);

  template <class Tell>
  static void for_each_client(Parcel& parcel, Tell tell) {
    tell(parcel.client);
    if (!parcel.extra)
      return;
    for (auto& client : parcel.extra->joined)
      tell(client);
    for (auto& client : parcel.extra->wait_for_acceptance)
      tell(client);
  }

  // -- what is done about it (sender_actor_effects.cpp) -----------------------------

  void take(Input input, caf::error error = {});
  void take(const News& news);
  void take(Instant at, const input::Submit& x);
  void take(const input::Acknowledged& x, caf::message&& answer);
  struct Cargo;
  template <class OneInput>
  void step(Instant at, const OneInput& input, Cargo cargo, FollowUps& follow_ups);
  template <class OneInput>
  void take_at(Instant at, const OneInput& input, Cargo cargo);
  void follow(FollowUps& follow_ups);
  void start_child(std::uint32_t incarnation, bool is_fallback, FollowUps& follow_ups);
  News not_started(std::uint32_t incarnation, const std::string& text);
  void call_off(std::uint32_t incarnation);
  void give_to_child(const effect::HandOver& x);
  std::shared_ptr<ChildStart> take_start(std::uint64_t number);
  Rare& rare();
  bool is_drained() const { return !rare_ || rare_->drains.empty(); }
  void rest();
  void end_now();
  void tell_of_the_end();

  // -- what failures are to others (sender_actor_failures.cpp) ----------------------

  static caf::error just_come(const News* news);
  static caf::error rejection(const Parcel& parcel, const News* news);
  caf::error exit_reason(const effect::Quit& x, const News* news) const;
  void bury(const effect::DeadLetter& x, const News* news);
  void record(DeadLetter letter) const;

  // A million idle senders are a million of these: what is not needed by each has no place here.
  std::shared_ptr<const detail::SenderParts> parts_; // none once the sender has ended
  SenderEngine engine_;
  std::unique_ptr<SenderStore> store_; // none: what is owed is in memory
  std::unique_ptr<Rare> rare_;         // none: there is nothing of it
  bool is_observed_;                   // somebody reads the causes of errors
  bool forwards_;                      // delivers at most once: only clients that wait are kept
  bool acknowledges_by_reply_;
  bool looks_into_messages_; // or at what comes with them
  bool is_timed_;            // something runs or is told of that begins with a message
  std::uint64_t origin_;     // which `TrackedMsg` names
  std::vector<Parcel> parcels_;
  Parcel incoming_;                  // the submission being decided on
  caf::strong_actor_ptr keep_alive_; // of this actor, while it owes
};

} // namespace backoff_actor
