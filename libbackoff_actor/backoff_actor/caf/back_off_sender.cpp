// What a sender is told, and what the engine is told of it.

#include "backoff_actor/caf/back_off_sender.hpp"

#include "backoff_actor/caf/child_start.hpp"
#include "backoff_actor/caf/held_back.hpp"
#include "backoff_actor/caf/idempotency_keys.hpp"
#include "backoff_actor/caf/retry_after.hpp"
#include "backoff_actor/caf/sender_store.hpp"
#include "backoff_actor/core/text_hash.hpp"
#include "backoff_actor/core/unit_random.hpp"
#include "backoff_actor/retry/default_draws.hpp"

#include <caf/sec.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace backoff_actor {

namespace {

// A refusal is an error, even if the child does not say which.
caf::error given(const caf::error& error) {
  return error ? error
               : caf::make_error(caf::sec::runtime_error,
                                 std::string{"the child refused without a reason"});
}

bool is_observed(const SenderOptions& options) {
  return options.on_event || options.on_dead_letter || options.dead_letters || options.outbox;
}

// Without a name no other sender has it, in this life of the process or another. CAF's node and actor
// id would not do: without a middleman 0.17.6 has no id for a node. 0: no child is told.
std::uint64_t origin_of(const SenderOptions& options) {
  if (options.acknowledgement == Acknowledgement::by_reply)
    return 0;
  if (!options.origin.empty())
    return detail::hash_of_text(options.origin);
  return std::max<std::uint64_t>(
    1, detail::mix(seed_of_this_process() ^ next_stream_of_this_process()));
}

} // namespace

// -- birth and death --------------------------------------------------------------

BackOffSender::BackOffSender(caf::actor_config& config, ChildFactory make_child,
                             SenderOptions options)
  : SupervisingActor(config), make_child_(std::move(make_child)),
    options_(std::make_unique<const SenderOptions>(std::move(options))),
    engine_(engine_options(*options_, id())), is_observed_(is_observed(*options_)),
    forwards_(options_->delivery == Guarantee::at_most_once), origin_(origin_of(*options_)) {
  seam::keep_cause(*this);
  if (options_->guard)
    watch_guard();
  if (options_->outbox)
    store_ = std::make_unique<SenderStore>(options_->outbox.queue_, address(), now());
}

caf::behavior BackOffSender::make_behavior() {
  const auto complete_with = [this](auto... childs_words) {
    return complete([this](const WakeUp&) { take(input::Wake{}); },
                    [this](const GuardClosed& x) { take(input::GuardClosed{x.spread}); },
                    [this](const StoreNews&) { on_store_news(); },
                    [this](const StartNews& x) { on_start_news(x.start); }, childs_words...,
                    [this](const Submit& x) -> caf::result<caf::message> {
                      submit(x);
                      return caf::delegated<caf::message>{};
                    },
                    [this](const Status&) { tell_status(make_response_promise()); },
                    [this](const CurrentChild&) { tell_child(make_response_promise()); },
                    [this](const RetryNow&) { obey(input::RetryNow{}); },
                    [this](const Reset&) { obey(input::Reset{}); },
                    [this](const Pause&) { obey(input::Pause{}); },
                    [this](const Resume&) { obey(input::Resume{}); },
                    [this](const Drain& x) { on_drain(x); }, [this](const Stop&) { on_stop(); });
  };
  // A child that acknowledges by reply has no use for these, which are then messages like any
  // other.
  auto result =
    options_->acknowledgement == Acknowledgement::by_sent
      ? complete_with([this](const Sent& x) { on_sent(x); }, [this](const Nack& x) { on_nack(x); },
                      [this](const Reject& x) { on_reject(x); },
                      [this](const Working& x) { take(input::Working{HandOverId{x.id}}); })
      : complete_with();
  take(input::Start{
    store_ ? restore()
           : 0}); // which may end this sender; CAF leaves it at that, whatever is returned
  return result;
}

void BackOffSender::on_exit() {
  take(input::Stop{});
  if (store_)
    end_storing();
  for (const auto& start : std::exchange(starts_, {}))
    start->call_off();
  // Both may hold handles that lead back here.
  make_child_ = nullptr;
  options_ = nullptr;
  guard_watch_ = nullptr;
  lives_with_child_ = nullptr;
  SupervisingActor::on_exit();
}

// A guard does not keep its senders alive.
void BackOffSender::watch_guard() {
  guard_watch_ = options_->guard.watch([self = address()](Duration spread) {
    if (const auto alive = caf::actor_cast<caf::actor>(self))
      seam::enqueue(alive, GuardClosed{spread});
  });
}

// -- children -----------------------------------------------------------------------

void BackOffSender::on_answer(HandOverId id, caf::message answer) {
  if (options_->acknowledgement == Acknowledgement::by_reply)
    take(input::Acknowledged{id}, {}, std::move(answer));
  else if (answer.match_elements<Sent>())
    on_sent(answer.get_as<Sent>(0));
  else if (answer.match_elements<Nack>())
    on_nack(answer.get_as<Nack>(0));
  else if (answer.match_elements<Reject>())
    on_reject(answer.get_as<Reject>(0));
  // Anything else that an explicitly acknowledging child returns, above all nothing, says nothing.
}

void BackOffSender::on_sent(const Sent& sent) {
  take(input::Acknowledged{HandOverId{sent.id}}, {}, sent.answer);
}

void BackOffSender::on_nack(const Nack& nack) {
  auto error = given(nack.error);
  const auto asked_for =
    nack.retry_after > Duration::zero() ? std::optional{nack.retry_after} : retry_after_of(error);
  const input::Nacked news{HandOverId{nack.id}, cause_of(error, true), asked_for,
                           held_back_by(error).has_value()};
  take(news, std::move(error));
}

void BackOffSender::on_reject(const Reject& reject) {
  auto error = given(reject.error);
  const input::Rejected news{HandOverId{reject.id}, cause_of(error, is_observed_)};
  take(news, std::move(error));
}

void BackOffSender::on_error_answer(HandOverId id, ErrorInfo info) {
  const auto decision = decide(*options_, FailureKind::error_answer, info.error);
  const auto with_text = is_observed_ || decision.verdict != Verdict::reject;
  const input::ErrorAnswer news{id,
                                cause_of(info.error, with_text),
                                info.is_bounce,
                                info.is_settled,
                                decision,
                                options_->guard && is_service_failure(*options_, info.error)};
  take(news, std::move(info.error));
}

void BackOffSender::on_probe_answer(std::uint32_t incarnation, std::uint32_t probe) {
  take(input::ChildAlive{incarnation, probe});
}

void BackOffSender::on_child_down(std::uint32_t incarnation, const caf::error& reason) {
  const auto may_be_failure =
    reason || engine_.owed() > 0 || options_->after_normal_stop == AfterNormalStop::restart;
  const auto verdict =
    may_be_failure ? decide(*options_, FailureKind::child_down, reason).verdict : Verdict::retry;
  take(input::ChildDown{incarnation, cause_of(reason, true), verdict}, reason);
}

Cause BackOffSender::cause_of(const caf::error& error, bool with_text) const {
  return seam::cause_of(home_system(), error, with_text);
}

// -- whoever controls it --------------------------------------------------------------

void BackOffSender::obey(Input input) {
  auto client = make_response_promise();
  take(std::move(input));
  tell_status(std::move(client));
}

void BackOffSender::tell_status(caf::response_promise client) {
  seam::answer_request(client, caf::make_message(engine_.status(now())));
}

void BackOffSender::tell_child(caf::response_promise client) {
  const auto incarnation = engine_.living_child();
  seam::answer_request(client, caf::make_message(ChildHandle{child(incarnation), incarnation}));
}

void BackOffSender::on_drain(const Drain& drain) {
  const auto ticket = ++last_ticket_;
  drains_.push_back({ticket, make_response_promise()});
  take(input::Drain{ticket, now() + drain.within});
}

void BackOffSender::on_stop() {
  auto client = make_response_promise();
  take(input::Stop{});
  if (store_)
    end_storing(); // first, for whoever has the answer may give the outbox to the next sender
  tell_status(std::move(client));
  quit();
}

// -- making one -----------------------------------------------------------------------

caf::actor spawn_back_off_sender(caf::actor_system& system, ChildFactory make_child,
                                 SenderOptions options) {
  auto problems = check(options);
  if (!make_child)
    problems.add("make_child", "an empty function", "a function that returns a fresh actor");
  problems.raise_if_any();
  return system.spawn<BackOffSender>(std::move(make_child), std::move(options));
}

} // namespace backoff_actor
