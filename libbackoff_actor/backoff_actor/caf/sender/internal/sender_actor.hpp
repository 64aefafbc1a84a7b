#pragma once

#include "backoff_actor/caf/actor/work_in_hand.hpp"
#include "backoff_actor/caf/calendar/internal/sender_calendar.hpp"
#include "backoff_actor/caf/calendar/repeat.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/dead_letter_record.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/messages/tracked.hpp"
#include "backoff_actor/caf/offered/internal/offered_workers.hpp"
#include "backoff_actor/caf/sender/internal/child_keeper.hpp"
#include "backoff_actor/caf/sender/internal/sender_settings.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/core/export.hpp"
#include "backoff_actor/delivery/incoming.hpp"
#include "backoff_actor/engine/sender/sender_engine.hpp"
#include "backoff_actor/sinks/internal/kinds.hpp"
#include "backoff_actor/supervision/own_retries.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace backoff_actor {

class ChildStart;
namespace outbox_effect {
struct TellReplaced;
}
struct FinishWork;
struct OfferWorkers;
class IdempotencyKeys;
class SenderStore;
struct StoredMessage;
struct SuspendedDelivery;

namespace detail {
class OperatorDesk;
}

// The actor of `spawn_back_off_sender`; see there.
class BACKOFF_ACTOR_EXPORT BackOffSender final : public compat::RequestingActor {
public:
  // CAF calls the constructors. They start nothing: `make_behavior` does.
  BackOffSender(caf::actor_config& config, const SenderBlueprint& blueprint);
  BackOffSender(caf::actor_config& config, std::shared_ptr<const detail::SenderSettings> settings);
  ~BackOffSender() override;

  const char* name() const override { return "backoff_actor.sender"; }
  bool can_finish_work() const override { return true; }
  caf::behavior make_behavior() override;

  // Runs in the actor's own thread, or in the thread that drops the last handle to the actor.
  void on_exit() override;

private:
  // Data that only few deliveries have.
  struct Extra {
    std::string key;
    std::string idempotency_key;
    std::string context; // as `StoredDelivery::context`
    std::uint64_t delivery = 0;
    std::vector<compat::OpenRequest> joined; // clients of later submissions with the same key
    std::vector<compat::OpenRequest> wait_for_acceptance;
    caf::strong_actor_ptr client; // the client, if it was answered on acceptance
    caf::error held;              // an error answer that may turn out to be final
    bool held_is_bounce = false;
    bool is_answered_on_acceptance = false;
    bool is_confirmed = false; // clients may be told of the acceptance
    bool is_run = false;       // of an entry of the calendar, which submits it until it is stored
    std::uint64_t row = 0;     // another program's, of which it was made; 0: none
  };

  // The data of a delivery that the engine does not need. The engine uses the same slot.
  struct Parcel {
    caf::message payload;
    compat::OpenRequest client;
    std::unique_ptr<Extra> extra; // keeps parcels small: there may be a million

    Extra& more();
    caf::actor source() const;
  };

  // An input for the engine, with the error that came with it. Often it is the outcome of an
  // effect.
  struct News {
    Input input;
    caf::error error{};
  };

  // The outcomes of the effects of a step. They are the next inputs of the engine. By far the most
  // frequent is the start of a child; it is mostly the only one.
  struct FollowUps {
    std::uint32_t started = 0; // the started child, which is the first input; 0: none
    std::vector<News> others{};

    bool are_none() const { return started == 0 && others.empty(); }
    void add(News news);
    void add_started(std::uint32_t incarnation);
  };

  // Data of a sender that ends with a grace.
  struct Closing {
    SenderCounters before;                    // when it was told to
    std::uint32_t abandoned = 0;              // children, those alive then and those since
    std::vector<compat::OpenRequest> clients; // that wait for the numbers
    caf::strong_actor_ptr supervisor;         // that is to know when nothing is in flight
  };

  // A `Cancel` that is answered once it is stored what becomes of the delivery.
  struct OpenCancel {
    CancelFound found;
    compat::OpenRequest client;
  };

  // A payload of which the store has said nothing.
  struct OpenReplacement {
    caf::message before;
    compat::OpenRequest client;
    std::uint64_t row = 0; // another program's, which says so; 0: none
  };

  // What the store is to say of a delivery.
  struct Awaited {
    std::vector<OpenCancel> cancels{};
    std::vector<OpenReplacement> replacements{}; // in order
    std::vector<compat::OpenRequest> clients{};  // of a cancelled one, which has ended
    std::uint32_t slot = 0;                      // of the delivery
    bool is_new = false;                         // the store has taken some of the payloads
  };

  // Data that only few senders have, or only for a time.
  struct Rare {
    std::unique_ptr<IdempotencyKeys> keys{};    // none: no submission had a key yet
    std::unique_ptr<SenderCalendar> calendar{}; // none: it has no entry
    std::unique_ptr<OfferedWorkers> offered{};  // none: no process has offered workers
    std::unordered_map<std::uint32_t, compat::OpenRequest> drains{};
    std::vector<std::shared_ptr<ChildStart>> starts{}; // of asynchronous factories, by incarnation
    std::vector<compat::OpenRequest> stops{};          // requests that wait for the end
    std::unordered_map<std::uint64_t, Awaited> awaited{}; // by delivery; 0: of rows alone
    std::unique_ptr<Closing> closing{};      // none: it was not told to end with a grace
    std::optional<caf::error> exit_reason{}; // none: ends normally
    std::uint32_t last_ticket = 0;
    Cause last_bare{}; // cause of the last error without a context, with its text

    bool is_empty() const;
  };

  // What ties a sender to others, mostly as long as it lives; and its `Rare`.
  struct Ties {
    std::shared_ptr<const void> guard_watch{};
    std::shared_ptr<const void> registration{}; // none: nobody wants to know this sender
    std::unique_ptr<detail::SenderSeat> seat{}; // none: nobody sees the numbers
    std::unique_ptr<Rare> rare{};               // none: no such data
  };

  class CarryOut; // one member per effect

  // -- messages and events (sender_actor.cpp) ---------------------------------------

  void on_answer(HandOverId id, caf::message&& answer);
  void on_error_answer(HandOverId id, const caf::error& error, const caf::strong_actor_ptr& from);
  void on_child_down(std::uint32_t incarnation, const caf::error& reason);
  void on_told_to_end(const caf::actor_addr& source, const caf::error& reason) override;
  bool on_word(const compat::Word& word) override;
  bool on_childs_word(const compat::Word& word);
  std::uint64_t own_bits() const;
  std::uint64_t id_of(HandOverId name) const;
  HandOverId name_of(std::uint64_t id) const;
  void on_sent(const Sent& sent);
  FailureReason reason_of_refusal(const caf::error& error) const;
  void on_nack(const Nack& nack);
  void on_reject(const Reject& reject);
  void on_working(HandOverId name, std::uint64_t said, const std::string& note);
  std::optional<SenderEngine::InHand> in_hand_of_current(std::uint64_t request);
  void on_working_on(const detail::WorkingOn& word);
  void tell_note(const detail::AskNote& word);
  void on_resize(const Resize& resize);
  void on_retire(const RetireWorker& x);
  void refuse_word(const Problems& problems);
  void on_drain(const Drain& drain);
  void on_stop(const Stop& stop);
  void on_finish_work(const FinishWork& x);
  Closing& closing();
  void obey(Input input);
  void on_operator_news();
  void end_rare(Rare& rare);
  void on_batch_end() override;
  void show_this();
  void publish();
  void note_cause(const Input& input);
  void watch_guard();
  void register_this();
  void tell_status(compat::OpenRequest client);
  void tell_child(compat::OpenRequest client);
  Cause cause_of(const caf::error& error, bool with_text);

  const SenderOptions& options() const { return settings_->options; }
  ActorName own_name() const { return {options().name, id()}; }

  // -- its children (sender_actor_children.cpp) -------------------------------------

  void start_child(const effect::StartChild& x, FollowUps& follow_ups);
  News not_started(std::uint32_t incarnation, const std::string& text);
  std::shared_ptr<ChildStart> take_start(std::uint64_t number);
  void on_start_news(std::uint64_t number);
  void call_off(std::uint32_t incarnation);
  OfferedWorkers* offered_if_any() const;
  void on_offer(const OfferWorkers& x);
  void on_withdrawal();
  void take_away(const std::optional<OfferedWorkers::Gone>& gone, const std::string& why);
  void free_place_of(std::uint32_t incarnation) {
    if (auto* const offered = offered_if_any())
      offered->release(incarnation);
  }
  input::ChildEnd end_of(std::uint32_t incarnation, const caf::error& reason);
  std::uint64_t epoch() const;
  void give_to_child(const effect::HandOver& x);
  void send_probe(const effect::Probe& x);
  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr& from) override;
  void on_down(const caf::actor_addr& who, const caf::error& reason) override;
  bool is_told_of_end(const caf::actor_addr& who) const override;

  // -- how a message becomes a delivery (sender_actor_submit.cpp) -------------------

  void on_message(caf::message&& payload) override;
  void on_system_message(caf::message message) override;
  void submit(const Submit& x);
  void submit(const Submit& x, compat::OpenRequest client, Instant at, Instant came_at);
  Instant time_of_message();
  Instant deadline(Instant at, Duration time_to_live) const;
  std::string key_of(const Submit& x) const;
  Duration to_wall();
  std::shared_ptr<const input::OwnTerms> own_in(std::string_view context, Duration ahead,
                                                bool retries_are_optional);
  void note_own(const Submit& x, Instant came_at, input::Submit& news);
  WallTime wall_now() const;
  std::uint64_t number_of(const std::string& key) const;
  bool needs_bytes() const;
  std::uint32_t weight_of(const caf::message& message);

  // -- messages of other programs (sender_actor_submit.cpp) -------------------------

  void take_incoming();
  bool take_incoming(IncomingMessage x);
  void hold(const Submit& x, compat::OpenRequest client);
  template <class Held>
  bool carry_out_order(Held& order);
  void refuse_held(Refusal why);
  void end_held();
  bool settle_known(const IncomingMessage& x);
  caf::message read(const StoredMessage& stored) const;
  bool keeps_row(const effect::DeadLetter& x, const Parcel& parcel);

  // -- cancelled (sender_actor_cancel.cpp) -------------------------------------------

  // A message that somebody has named.
  struct Named {
    CancelFound found;
    std::uint32_t slot;
    std::uint64_t delivery; // 0: it is not owed
  };

  Named find_named(const std::string& idempotency_key, std::uint64_t delivery);
  // Whether a message that is not known here may be a row that waits for its time.
  bool may_be_row(const std::string& idempotency_key) const;
  Named find_to_replace(const std::string& idempotency_key, std::uint64_t delivery);
  template <class Order>
  void on_order(const Order& x,
                void (BackOffSender::*carry_out)(const Order&, compat::OpenRequest));
  // Returns false if it was refused: as many are held as may be.
  template <class Order>
  bool hold_order(const Order& x, compat::OpenRequest& client);
  void on_cancel(const Cancel& x);
  void cancel(const Cancel& x, compat::OpenRequest client);
  void cancel(const IncomingMessage& row);
  void answer_cancel(compat::OpenRequest& client, CancelFound found);
  void tell_cancelled(const effect::TellCancelled& x, FollowUps& follow_ups);
  void end_cancelled(const effect::Cancelled& x);
  void on_cancels_stored();
  Awaited& await_end(std::uint64_t delivery, std::uint32_t slot);
  void refuse_awaited();

  // -- replaced (sender_actor_replace.cpp) -------------------------------------------

  void on_replace(const Replace& x);
  void replace(const Replace& x, compat::OpenRequest client);
  bool replace(IncomingMessage row, StoredMessage stored, std::uint32_t weight);
  void note_unreplaced(const IncomingMessage& row, std::string_view found);
  void set_payload(const effect::Replace& x);
  void set_payload_again(std::uint64_t delivery, caf::message before);
  std::uint32_t weight_of_accepted(const caf::message& message);
  void on_replacements_stored();
  void settle(const outbox_effect::TellReplaced& x);
  void refuse_replacements(Awaited& awaited, SenderError why);
  void refuse_replacements_of(std::uint64_t delivery);

  // -- asked for (sender_actor_ask.cpp) ----------------------------------------------

  void on_ask(const Ask& x);
  AskAnswer look_up(const Ask& x);
  AskAnswer look_at(std::uint32_t slot, std::uint64_t delivery);
  void keep_answer(const std::string& key, const caf::message& answer);
  void tell_unkept(const std::string& key, const std::string& why);

  // -- its calendar (sender_actor_repeat.cpp) ----------------------------------------

  // What has become of a run.
  enum class RunOutcome : std::uint8_t {
    submitted,
    known,  // it was submitted before
    refused // it is to be submitted again
  };

  SenderCalendar& calendar();
  SenderCalendar* calendar_if_any() const;
  void on_repeat(const Repeat& x);
  void repeat(const Repeat& x, compat::OpenRequest client);
  void put_entry(SenderCalendar::Unstored put);
  bool is_in_calendar(const SenderCalendar::Unstored& put);
  std::string context_with_time(const detail::KeptEntry& entry);
  void keep_entry(std::uint64_t delivery, SenderCalendar::Unstored put);
  void answer_put(SenderCalendar::Unstored& put, CalendarChange change);
  void settle_entry(std::uint64_t delivery, const std::shared_ptr<const Cause>& failure);
  void store_context(const detail::CalendarBook::Entry& entry);
  void flush_changes();
  const std::string* entry_named(const std::string& key, std::uint64_t delivery) const;
  void cancel_entry(const std::string& named, compat::OpenRequest client);
  void replace_in_entry(const std::string& named, const Replace& x, compat::OpenRequest client);
  AskAnswer look_at_entry(const std::string& name);
  void set_calendar_alarm();
  void look_at_calendar_if_caught_up();
  void on_calendar_look();
  void submit_runs(const detail::CalendarBook::Due& due, WallTime wall);
  RunOutcome submit_run(const std::string& name, WallTime time);
  void settle_run(const std::string& name, WallTime time, bool is_done, WallTime wall);
  void end_run(std::uint64_t delivery, bool is_done);
  bool restore_entry(SuspendedDelivery& x);
  void leave_run(std::uint64_t delivery, Parcel& parcel);
  void leave_entries();

  // -- known idempotency keys (sender_actor_idempotency.cpp) ------------------------

  bool is_known(const Submit& x);
  std::uint64_t owed_with_key(const std::string& key);
  IdempotencyKeys& keys();
  void note_end(const Parcel& parcel, bool is_acknowledged);
  void note_acknowledged(const Parcel& parcel, const caf::message& answer);
  Instant forget_old_keys();

  // -- the durable outbox (sender_actor_storing.cpp) --------------------------------

  std::uint64_t restore();
  void tell_left_letters();
  void end_storing();
  void on_store_news();
  void on_incoming_news();
  void on_catch_up();
  bool tell_sureness();
  void tell_store_state();
  void store(const effect::Persist& x);
  void confirm(const effect::Confirm& x);
  void suspend(const effect::Suspend& x);
  void keep_note(const effect::KeepNote& x, const std::string& note);

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

  // -- effects of the engine (sender_actor_effects.cpp) -----------------------------

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
  Ties& ties();
  Rare& rare();
  Rare* rare_if_any() const { return ties_ ? ties_->rare.get() : nullptr; }
  detail::SenderSeat* seat() const {
    return publishes_ && ties_ ? ties_->seat.get() : nullptr; // null once the sender has ended
  }
  std::shared_ptr<detail::OperatorDesk> desk() const; // null: there is no seat
  bool is_drained() const { return !rare_if_any() || rare_if_any()->drains.empty(); }
  void rest_or_stay();
  void rest();
  void end_now();
  void tell_of_the_end();

  // -- how failures are reported (sender_actor_failures.cpp) ------------------------

  std::string named(const std::string& cause) const;
  static caf::error just_come(const News* news);
  static caf::error rejection(const Parcel& parcel, const News* news);
  caf::error exit_reason(const effect::Quit& x, const News* news) const;
  void bury(const effect::DeadLetter& x, const News* news);
  bool keeps_letters() const;
  void record(const DeadLetter& letter, bool is_stored);
  void keep(const DeadLetter& letter);
  void tell_unread(const DeadLetter& letter, bool is_stored, const std::string& exception);
  void tell(Event event);
  void tell_failed_hook(const std::string& exception);

  // A program may have a million idle senders: data that not every sender needs goes into `Rare`.
  std::shared_ptr<const detail::SenderSettings> settings_; // none once the sender has ended
  SenderEngine engine_;
  ChildKeeper children_;
  std::unique_ptr<SenderStore> store_; // none: deliveries are in memory only
  std::unique_ptr<Ties> ties_;         // none: it has none
  bool is_observed_;                   // the texts of causes are read
  bool acknowledges_by_reply_;
  bool looks_into_messages_;          // an option needs the content of each message
  bool is_timed_;                     // an option needs the exact time of each message
  bool has_told_failed_hook_ = false; // the hook for events threw an exception before
  bool publishes_;                    // somebody sees the numbers: there is `Ties::seat`
  std::uint8_t steps_ = 0;            // since the numbers were published
  std::uint64_t origin_;              // for `TrackedMsg::origin`
  std::vector<Parcel> parcels_;
  Parcel incoming_;                  // the submission being decided on
  caf::strong_actor_ptr keep_alive_; // this actor, while it owes deliveries
};

} // namespace backoff_actor
