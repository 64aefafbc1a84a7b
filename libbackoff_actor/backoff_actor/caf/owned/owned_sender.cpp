#include "backoff_actor/caf/owned/owned_sender.hpp"

#include "backoff_actor/caf/actor/internal/asker.hpp"
#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/messages/submit.hpp"
#include "backoff_actor/caf/offered/internal/offer_messages.hpp"
#include "backoff_actor/caf/outbox/internal/write_queue.hpp"
#include "backoff_actor/caf/owned/internal/standby_hand.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/delivery/internal/not_before.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/engine/outbox/standby.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include "backoff_actor/supervision/own_retries.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace backoff_actor {

namespace {

class OwnedSender final : public compat::RequestingActor {
public:
  OwnedSender(caf::actor_config& config, ChildFactory make_child, SenderOptions options,
              SharedOutbox outbox)
    : RequestingActor(config, compat::TakesWords{}), make_child_(std::move(make_child)),
      options_(std::move(options)), outbox_(std::move(outbox)),
      standby_(outbox_.store->name(), options_.capacity,
               outbox_.options.thread == WriterThread::own) {
    compat::keep_cause(*this);
    if (const auto& observed_by = outbox_.options.observed_by)
      seat_ = std::make_unique<detail::OwnershipSeat>(observed_by->state()->ownerships(
        outbox_.options.name.empty() ? "outbox" : outbox_.options.name));
  }

  const char* name() const override { return "backoff_actor.owned_sender"; }
  bool limits_ends() const override { return is_limited_; }
  bool can_finish_work() const override { return true; }

  caf::behavior make_behavior() override {
    stand_by();
    return complete_with_words();
  }

  void on_exit() override {
    leave();
    if (sender_ && !was_killed())
      pass_on_held();
    refuse_held();
    if (sender_ && was_killed())
      compat::send_exit_now(sender_, address(), caf::exit_reason::kill);
    for (const auto& [number, supervisor] : std::exchange(reports_, {}))
      compat::respond(supervisor, caf::make_message(Stopped{}));
    sender_ = nullptr; // it lives on while it owes a delivery
    make_child_ = {};
    options_ = {};
    outbox_ = {};
    seat_ = nullptr;
    RequestingActor::on_exit();
  }

private:
  // A handle to it has gone, or it quits by itself: then the sender is no longer this actor's.
  bool was_killed() const { return !has_quit_ && !is_unreachable(); }

  // -- standing by, and owning ----------------------------------------------------------

  void stand_by() {
    is_limited_ = false;
    looker_ = spawn_standby_hand(home_system(), address(), outbox_);
    go_on(standby_.begin());
  }

  void go_on(Standby::Next next) {
    if (next.notice)
      notice(std::move(*next.notice));
    look_ = {next.at_most};
    look_at_ = now() + next.pause;
    if (next.pause == Duration::zero())
      look_if_due();
    else
      wake_at(look_at_);
  }

  void look_if_due() {
    if (looker_ && look_at_ <= now()) {
      look_at_ = Instant::never();
      compat::enqueue(looker_, look_);
    }
  }

  bool is_from(const caf::actor& hand) {
    return hand && current_sender() == caf::actor_cast<caf::strong_actor_ptr>(hand);
  }

  // Wants the outbox no more, and hands nothing more over.
  void leave() {
    if (looker_) {
      outbox_.store->interrupt();
      compat::enqueue(std::exchange(looker_, {}), Stop{});
    }
    end_rows();
    end_row_reader();
  }

  // An outbox that comes too late is given up.
  void on_look(const LookedForOwnership& x) {
    if (!is_from(looker_))
      return;
    if (x.outbox)
      own(x.outbox);
    else if (x.failure)
      go_on(standby_.fail(*x.failure, x.text));
    else
      go_on(standby_.stay(x.owner));
  }

  void own(DurableOutbox outbox) {
    compat::enqueue(std::exchange(looker_, {}), Stop{});
    auto options = options_;
    options.outbox = std::move(outbox);
    try {
      sender_ = spawn_back_off_sender(home_system(), make_child_, std::move(options));
    } catch (const std::exception& exception) {
      notice(outbox_.store->name() + ": " + exception.what());
      return end(make_error(SenderError::gave_up, exception.what()));
    }
    standby_.own();
    end_row_reader();
    watch_actor(sender_);
    notice(outbox_.store->name() + ": this process owns it now");
  }

  void on_down(const caf::actor_addr&, const caf::error& reason) override {
    sender_ = nullptr;
    if (told_to_end_)
      return end(std::move(*told_to_end_));
    if (reason != make_error(SenderError::not_owner))
      return end(reason);
    if (is_told_to_stop_)
      return end({});
    notice(outbox_.store->name() + ": this process owns it no longer");
    stand_by();
    for (auto& [client, payload] : std::exchange(held_, {}))
      give_to_owner(std::move(client), payload);
  }

  // The sender says what became of its messages.
  void on_response(std::uint64_t number, caf::message&& content,
                   const caf::strong_actor_ptr&) override {
    if (auto report = reports_.extract(number); report && content.match_elements<Stopped>())
      answer_request(report.mapped(), std::move(content));
  }

  // -- messages ---------------------------------------------------------------------------

  bool on_word(const compat::Word& word) override {
    const auto* const stop = word.as<Stop>();
    is_told_to_stop_ |= stop != nullptr;
    if (const auto* const look = word.as<LookedForOwnership>())
      on_look(*look);
    else if (const auto* const outcomes = word.as<RowsWritten>())
      on_rows_written(*outcomes);
    else if (word.as<WakeUp>())
      look_if_due();
    else if (stop && !sender_)
      on_stop(*stop);
    else if (const auto* const finish = word.as<FinishWork>())
      on_finish_work(*finish);
    else if (word.as<WorkFinished>())
      on_work_finished();
    else if (const auto* const submission = word.as<Submit>();
             submission && standby_.place() == Standby::Place::row)
      hand_over(*submission, open_request());
    else if (const auto* const order = word.as<Cancel>();
             order && standby_.place() == Standby::Place::row)
      hand_over(*order, open_request());
    else if (const auto* const other = word.as<Replace>();
             other && standby_.place() == Standby::Place::row)
      hand_over(*other, open_request());
    else if (const auto* const ask = word.as<Ask>(); ask && standby_.place() == Standby::Place::row)
      look_up(*ask, open_request());
    else
      return false;
    return true;
  }

  // The sender answers the client.
  void on_message(caf::message&& payload) override {
    auto client = open_request();
    const auto place = standby_.place();
    if (place == Standby::Place::row)
      give_to_owner(std::move(client), payload);
    else if (place == Standby::Place::held && !is_told_to_stop_)
      held_.emplace_back(std::move(client), std::move(payload));
    else
      pass_on(client, std::move(payload), sender_);
  }

  // This process does not own the outbox.
  void give_to_owner(compat::OpenRequest client, const caf::message& payload) {
    if (payload.match_elements<Submit>())
      return hand_over(payload.get_as<Submit>(0), std::move(client));
    if (payload.match_elements<Cancel>())
      return hand_over(payload.get_as<Cancel>(0), std::move(client));
    if (payload.match_elements<Replace>())
      return hand_over(payload.get_as<Replace>(0), std::move(client));
    if (payload.match_elements<Ask>())
      return look_up(payload.get_as<Ask>(0), std::move(client));
    if (payload.match_elements<OfferWorkers>() || payload.match_elements<WithdrawWorkers>())
      return refuse(client, make_error(SenderError::not_owner, standby_.who_owns()));
    refuse_as(client, Refusal::not_owner, make_error(SenderError::not_owner, standby_.who_owns()));
  }

  void refuse_as(compat::OpenRequest& client, Refusal reason, caf::error error) {
    if (options_.on_event)
      tell(event::NotAccepted{now(), reason});
    refuse(client, std::move(error));
  }

  // -- handed over to the owner -----------------------------------------------------------

  // Nobody here can give the child's answer.
  void hand_over(const Submit& x, compat::OpenRequest client) {
    if ((client.is_request() && !x.answer_when_accepted) || !has_row_writer())
      return refuse_as(client, Refusal::not_owner,
                       make_error(SenderError::not_owner, standby_.who_owns()));
    if (compat::is_system_message(x.message))
      return refuse_as(client, Refusal::unusable, compat::system_message_refused());
    if (auto error = compat::unknown_type(home_system(), x.message))
      return refuse_as(client, Refusal::unusable, std::move(error));
    try {
      if (!standby_.add(row_of(x)))
        return refuse_as(client, Refusal::outbox_full, make_error(SenderError::outbox_full));
      submitted_.push_back({x.answer_when_accepted ? std::move(client) : compat::OpenRequest{},
                            caf::make_message(Accepted{})});
      write_rows();
    } catch (const NotStorable& exception) {
      refuse_as(client, Refusal::unusable, make_error(SenderError::not_storable, exception.what()));
    } catch (...) {
      refuse_as(client, Refusal::unusable, compat::error_of(std::current_exception()));
    }
  }

  // The owner finds what is cancelled.
  void hand_over(const Cancel& x, compat::OpenRequest client) {
    hand_order_over(x, std::move(client),
                    [&] { return row_that_cancels(x.idempotency_key, x.wants_letter); });
  }

  // The owner finds what is replaced.
  void hand_over(const Replace& x, compat::OpenRequest client) {
    if (compat::is_system_message(x.payload))
      return refuse(client, compat::system_message_refused());
    if (auto error = compat::unknown_type(home_system(), x.payload))
      return refuse(client, std::move(error));
    hand_order_over(x, std::move(client), [&] {
      auto stored = outbox_.types.save(home_system(), x.payload);
      return row_that_replaces(x.idempotency_key, std::move(stored.types), std::move(stored.bytes));
    });
  }

  // The rows say what is known of it.
  void look_up(const Ask& x, compat::OpenRequest client) {
    if (const auto problems = check(x); !problems.empty())
      return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
    if (x.within > Duration::zero())
      return spawn_asker(home_system(), address(), x, std::move(client));
    if (!row_reader_)
      row_reader_ = spawn_standby_hand(home_system(), address(), outbox_);
    compat::enqueue(row_reader_, FindInRows{x, std::move(client), {}});
  }

  // An order about a message, as a row. Its client hears that it was passed on.
  template <class Order, class MakeRow>
  void hand_order_over(const Order& x, compat::OpenRequest client, MakeRow make_row) {
    auto problems = check(x);
    if (x.delivery != 0)
      problems.add("delivery", std::to_string(x.delivery),
                   "0, for this process does not own the outbox: an idempotency key");
    if (!problems.empty())
      return refuse(client, caf::make_error(caf::sec::invalid_argument, to_string(problems)));
    if (!has_row_writer())
      return refuse(client, make_error(SenderError::not_owner, standby_.who_owns()));
    try {
      detail::require_text_keys({}, x.idempotency_key);
      if (!standby_.add(make_row()))
        return refuse(client, make_error(SenderError::outbox_full));
    } catch (const NotStorable& exception) {
      return refuse(client, make_error(SenderError::not_storable, exception.what()));
    } catch (...) {
      return refuse(client, compat::error_of(std::current_exception()));
    }
    submitted_.push_back(
      {std::move(client), caf::make_message(CancelAnswer{CancelFound::passed_on})});
    write_rows();
  }

  IncomingMessage row_of(const Submit& x) const {
    auto stored = outbox_.types.save(home_system(), x.message);
    IncomingMessage result;
    result.key = x.key.empty() && options_.rare.key_of ? options_.rare.key_of(x.message) : x.key;
    result.idempotency_key = x.idempotency_key;
    detail::require_text_keys(result.key, result.idempotency_key);
    result.context = context_of(parse_own_retries(x.retries));
    const auto now = wall_time(outbox_.options);
    const auto begin = detail::time_to_begin(x.delay, x.not_before, now);
    if (begin)
      detail::add_not_before(result.context, *begin);
    result.type = std::move(stored.types);
    result.payload = std::move(stored.bytes);
    if (x.time_to_live != Duration::max())
      result.time_to_live = x.time_to_live;
    else
      result.time_to_live = options_.time_to_live;
    if (begin && result.time_to_live)
      *result.time_to_live = (Instant{Duration{begin->since_epoch}} + *result.time_to_live)
                             - Instant{Duration{now.since_epoch}};
    return result;
  }

  // Returns false if the store takes nothing from a process that does not own it.
  bool has_row_writer() {
    if (row_writer_)
      return true;
    auto writer = outbox_.store->open_writer();
    if (writer)
      row_writer_ = spawn_standby_hand(home_system(), address(), outbox_, std::move(writer));
    return row_writer_ != nullptr;
  }

  void write_rows() {
    if (auto rows = standby_.next_batch(); !rows.empty())
      compat::enqueue(row_writer_, WriteRows{std::move(rows)});
  }

  void on_rows_written(const RowsWritten& x) {
    if (!is_from(row_writer_))
      return;
    standby_.settle();
    for (const auto& failure : x.failures) {
      auto [client, answer] = std::move(submitted_.front());
      submitted_.pop_front();
      if (!failure)
        answer_request(client, std::move(answer));
      else
        refuse_as(client, Refusal::not_stored, make_error(SenderError::not_stored, *failure));
    }
    write_rows();
    if (standby_.place() == Standby::Place::sender)
      pass_on_held();
  }

  // This process has handed rows over, and owns the outbox since. The rows come before what came
  // meanwhile.
  void pass_on_held() {
    if (!held_.empty())
      compat::enqueue(sender_, CatchUp{});
    for (auto& [client, payload] : std::exchange(held_, {}))
      pass_on(client, std::move(payload), sender_);
  }

  void end_row_reader() {
    if (row_reader_)
      compat::enqueue(std::exchange(row_reader_, {}), Stop{});
  }

  // What waits is still written. This actor may have no handle any more, so it answers in nobody's
  // name.
  void end_rows() {
    for (const auto& [client, answer] : std::exchange(submitted_, {}))
      if (client.is_request())
        compat::respond(client, caf::make_message(make_error(SenderError::stopped)));
    if (!row_writer_)
      return;
    do {
      standby_.settle();
      write_rows();
    } while (standby_.unsettled() != 0);
    compat::enqueue(std::exchange(row_writer_, {}), Stop{});
  }

  // This actor ends.
  void refuse_held() {
    for (auto& [client, payload] : std::exchange(held_, {})) {
      if (options_.on_event)
        tell(event::NotAccepted{now(), Refusal::stopped});
      if (client.is_request())
        compat::respond(client, caf::make_message(make_error(SenderError::stopped)));
    }
  }

  void on_stop(const Stop& stop) {
    auto client = open_request();
    if (stop.grace > Duration::zero()) {
      answer_request(client, caf::make_message(Stopped{}));
    } else {
      SenderStatus status;
      status.phase = Phase::stopped;
      status.name = own_name();
      answer_request(client, caf::make_message(std::move(status)));
    }
    end({});
  }

  // The supervisor ends its other children in order, and says when the turn of this one has come.
  void on_finish_work(const FinishWork& x) {
    auto request = open_request();
    if (!heed_limits_of(request.client))
      return refuse(request, caf::make_error(caf::sec::unexpected_message));
    const auto supervisor = request.client;
    reports_.emplace(++last_report_, std::move(request));
    is_told_to_stop_ = true;
    if (sender_)
      return make_request(last_report_, sender_, caf::make_message(x), compat::Priority::high);
    leave();
    if (x.ends)
      end(caf::exit_reason::user_shutdown);
    else
      respond({supervisor, caf::make_message_id()}, caf::make_message(WorkFinished{}));
  }

  // Nothing of the sender's is in flight any more.
  void on_work_finished() {
    if (sender_ && !reports_.empty()
        && current_sender() == caf::actor_cast<caf::strong_actor_ptr>(sender_))
      respond({reports_.begin()->second.client, caf::make_message_id()},
              caf::make_message(WorkFinished{}));
  }

  // Whether it is a supervisor, which kills this actor if it takes too long to end. Then the sender
  // need not limit the time itself.
  bool heed_limits_of(const caf::strong_actor_ptr& who) {
    const auto* const parent = own_kind(who);
    if (parent == nullptr || !parent->limits_ends())
      return false;
    is_limited_ = true;
    return true;
  }

  void on_told_to_end(const caf::actor_addr& source, const caf::error& reason) override {
    if (!sender_)
      return end(reason);
    heed_limits_of(caf::actor_cast<caf::strong_actor_ptr>(source));
    told_to_end_ = reason;
    compat::send_exit_now(sender_, address(), caf::exit_reason::user_shutdown);
  }

  void end(caf::error reason) {
    has_quit_ = true;
    for (auto& [number, supervisor] : std::exchange(reports_, {}))
      answer_request(supervisor, caf::make_message(Stopped{}));
    quit(std::move(reason));
  }

  // -- telling ------------------------------------------------------------------------------

  ActorName own_name() const {
    const auto name = options_.name.empty() ? std::string{make_child_.kind()} : options_.name;
    return {name.empty() ? "sender" : name, id()};
  }

  void notice(std::string text) {
    if (options_.on_event)
      tell(event::StoreNotice{now(), std::move(text)});
  }

  void tell(Event event) {
    event.of = own_name();
    try {
      options_.on_event(event);
    } catch (...) {
      // As with a sender: the hook must not stop it.
    }
  }

  ChildFactory make_child_;
  SenderOptions options_; // without an outbox
  SharedOutbox outbox_;
  Standby standby_;
  caf::actor looker_; // only while it stands by
  LookForOwnership look_;
  Instant look_at_ = Instant::never(); // when to send it; never: it is sent
  caf::actor sender_;                  // none: it stands by
  caf::actor row_reader_;              // none: nobody has asked for a message while it stands by
  caf::actor row_writer_;              // none: nothing was submitted while this process stood by
  // The clients of the rows that are not settled, and what they are told.
  std::deque<std::pair<compat::OpenRequest, caf::message>> submitted_;
  // What came while this process owned the outbox and not all rows were written.
  std::vector<std::pair<compat::OpenRequest, caf::message>> held_;
  std::map<std::uint64_t, compat::OpenRequest> reports_; // that its supervisor waits for
  std::uint64_t last_report_ = 0;
  std::optional<caf::error> told_to_end_;
  std::unique_ptr<detail::OwnershipSeat>
    seat_;                               // shows that this process stands by; none: to nobody
  std::atomic<bool> is_limited_ = false; // a supervisor limits the time that the end takes
  bool is_told_to_stop_ = false;
  bool has_quit_ = false;
};

} // namespace

caf::actor spawn_owned_sender(caf::actor_system& system, ChildFactory make_child,
                              SenderOptions options, SharedOutbox outbox) {
  auto problems = check(options);
  if (options.outbox)
    problems.add("outbox", "a durable outbox", "none: the sender gets the shared one");
  if (!make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  problems.add_nested("shared", check(outbox));
  problems.raise_if_any();
  detail::require_init(system);
  return system.spawn<OwnedSender>(std::move(make_child), std::move(options), std::move(outbox));
}

Problems check(const SharedOutbox& outbox) {
  Problems problems{"SharedOutbox"};
  if (!outbox.store)
    problems.add("store", "none", "a store");
  problems.add_nested("options", check(outbox.options));
  return problems;
}

} // namespace backoff_actor
