#include "backoff_actor/caf/owned/owned_sender.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/caf/messages/sender_control.hpp"
#include "backoff_actor/caf/messages/stop.hpp"
#include "backoff_actor/caf/owned/internal/outbox_waiter.hpp"
#include "backoff_actor/caf/sender/sender.hpp"
#include "backoff_actor/delivery/refusal.hpp"
#include "backoff_actor/sinks/internal/observatory_state.hpp"

#include <caf/exit_reason.hpp>

#include <optional>
#include <utility>

namespace backoff_actor {

namespace {

class OwnedSender final : public compat::RequestingActor {
public:
  OwnedSender(caf::actor_config& config, ChildFactory make_child, SenderOptions options,
              SharedOutbox outbox)
    : RequestingActor(config, compat::TakesWords{}), make_child_(std::move(make_child)),
      options_(std::move(options)), outbox_(std::move(outbox)) {
    compat::keep_cause(*this);
    if (const auto& observed_by = outbox_.options.observed_by)
      seat_ = std::make_unique<detail::ShardSeat>(observed_by->state()->shards(
        outbox_.options.name.empty() ? "outbox" : outbox_.options.name));
  }

  const char* name() const override { return "backoff_actor.owned_sender"; }

  caf::behavior make_behavior() override {
    stand_by();
    return complete_with_words();
  }

  void on_exit() override {
    if (stand_by_) {
      stand_by_->end();
      compat::enqueue(waiter_, WriteNow{}); // it may wait for a timer
    }
    stand_by_ = nullptr;
    waiter_ = nullptr;
    if (sender_ && was_killed())
      compat::send_exit_now(sender_, address(), caf::exit_reason::kill);
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
    stand_by_ = std::make_shared<StandBy>(outbox_.store);
    waiter_ = spawn_outbox_waiter(home_system(), address(), stand_by_, outbox_);
  }

  void on_news() {
    if (!stand_by_)
      return;
    auto news = stand_by_->take_news();
    for (auto& text : news.failures)
      notice(std::move(text));
    if (news.outbox)
      own(std::move(news.outbox));
  }

  void own(DurableOutbox outbox) {
    stand_by_ = nullptr;
    waiter_ = nullptr;
    auto options = options_;
    options.outbox = std::move(outbox);
    try {
      sender_ = spawn_back_off_sender(home_system(), make_child_, std::move(options));
    } catch (const std::exception& exception) {
      notice(outbox_.store->name() + ": " + exception.what());
      return end(make_error(SenderError::gave_up, exception.what()));
    }
    watch(sender_);
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
  }

  void on_response(std::uint64_t, caf::message&&, const caf::strong_actor_ptr&) override {}

  // -- messages ---------------------------------------------------------------------------

  bool on_word(const compat::Word& word) override {
    const auto* const stop = word.as<Stop>();
    is_told_to_stop_ |= stop != nullptr;
    if (word.as<StoreNews>())
      on_news();
    else if (stop && !sender_)
      on_stop(*stop);
    else
      return false;
    return true;
  }

  // The sender answers the client.
  void on_message(caf::message&& payload) override {
    auto client = open_request();
    if (sender_)
      return pass_on(client, std::move(payload), sender_);
    if (options_.on_event)
      tell(event::NotAccepted{now(), Refusal::not_owner});
    refuse(client, make_error(SenderError::not_owner, who_owns()));
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

  void on_told_to_end(const caf::actor_addr&, const caf::error& reason) override {
    if (!sender_)
      return end(reason);
    told_to_end_ = reason;
    compat::send_exit_now(sender_, address(), caf::exit_reason::user_shutdown);
  }

  void end(caf::error reason) {
    has_quit_ = true;
    quit(std::move(reason));
  }

  // -- telling ------------------------------------------------------------------------------

  std::string who_owns() const {
    const auto owner = stand_by_ ? stand_by_->owner() : std::nullopt;
    if (!owner || !owner->is_alive)
      return outbox_.store->name() + " has no owner yet";
    return owner->node + " owns " + outbox_.store->name();
  }

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
  std::shared_ptr<StandBy> stand_by_; // none: this process owns the outbox
  caf::actor waiter_;                 // only while it stands by
  caf::actor sender_;                 // none: it stands by
  std::optional<caf::error> told_to_end_;
  std::unique_ptr<detail::ShardSeat> seat_; // shows that this process stands by; none: to nobody
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
