#include "backoff_actor/caf/request/retry_request.hpp"

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/held_back.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/retry/default_draws.hpp"
#include "backoff_actor/retry/guarded_call.hpp"
#include "backoff_actor/retry/retry_options.hpp"

#include <caf/mailbox_element.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

class RetryingActor final : public compat::RequestingActor {
public:
  RetryingActor(caf::actor_config& config, detail::RetryRequest request)
    : RequestingActor(config), target_(std::move(request.target)),
      message_(std::move(request.message)), predicate_(std::move(request.options.predicate)),
      guard_(std::move(request.options.guard)),
      series_(BackOff{request.options.policy, request.options.seed.value_or(seed_of_this_process()),
                      request.options.stream.value_or(next_stream_of_this_process())},
              request.options.limits, request.began, std::move(request.options.by_reason)) {
    compat::keep_cause(*this);
  }

  const char* name() const override { return "backoff_actor.retrying"; }

  caf::behavior make_behavior() override {
    return complete([this](const BeginRetries&) { return begin(); },
                    [this](const WakeUp&) { look_at_clock(); });
  }

  void on_exit() override {
    // This actor was told to end, or no actor is left that could answer its request.
    if (owes_reply_)
      reply({.error = caf::make_error(caf::sec::request_receiver_down),
             .gave_up = is_trying_ && !keep_alive_ ? GaveUp::not_retryable : GaveUp::cancelled});
    for (const auto& whom : {caller(), target_})
      if (whom)
        unwatch_actor(whom);
    calls_.forget();
    // The destructors of these members may lead back to this actor.
    caller_ = {};
    target_ = nullptr;
    predicate_ = {};
    message_ = {};
    keep_alive_ = nullptr;
    guard_ = {};
    RequestingActor::on_exit();
  }

private:
  // -- messages and answers -----------------------------------------------------------

  caf::result<RetriedReply> begin() {
    if (has_begun_)
      return caf::make_error(caf::sec::unexpected_message);
    has_begun_ = true;
    owes_reply_ = true;
    caller_ = open_request();
    watch_actor(caller());
    watch_actor(target_);
    attempt();
    return caf::delegated<RetriedReply>{};
  }

  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr&) override {
    if (!is_trying_ || name != attempt_)
      return;
    if (content.match_elements<caf::error>())
      return failed(content.get_as<caf::error>(0));
    calls_.end(now(), Assessment::Kind::success);
    finish({.value = std::move(content)});
  }

  void on_down(const caf::actor_addr& who, const caf::error& reason) override {
    if (!owes_reply_)
      return;
    if (who == caller_.client->address()) {
      owes_reply_ = false;
      quit();
    } else if (is_trying_ && !reason && target_.node() == node()) {
      target_ = nullptr;
      // An actor that can still answer holds a reference to this one.
      keep_alive_ = nullptr;
    } else {
      give_up(compat::receiver_down(system(), reason), GaveUp::not_retryable);
    }
  }

  void look_at_clock() {
    if (!owes_reply_ || !due_)
      return;
    if (now() < *due_)
      wake_at(*due_);
    else if (!is_trying_)
      attempt();
    else {
      calls_.end(now(), Assessment::Kind::retryable);
      failed(caf::make_error(caf::sec::request_timeout));
    }
  }

  // -- attempts -----------------------------------------------------------------------

  void attempt() {
    if (series_.is_out_of_time(now())) // this actor was scheduled too late
      return give_up(last_error_ ? last_error_ : caf::make_error(caf::sec::request_timeout),
                     GaveUp::out_of_time);
    if (const auto held_back =
          calls_.begin(now(), attempt_ == 0 ? Call::first : Call::retry, series_.cost()))
      return give_up(*held_back);
    const auto timeout = series_.begin_attempt(now());
    is_trying_ = true;
    ++attempt_;
    due_.reset();
    if (timeout)
      wake_up_at(now() + *timeout);
    else
      keep_alive_ = nullptr;
    make_request(attempt_, target_, message_, compat::Priority::normal);
  }

  void failed(caf::error error) {
    is_trying_ = false;
    const auto assessment = predicate_(error);
    if (detail::says_nothing_of_service(error))
      calls_.forget();
    else
      calls_.end(now(), assessment.kind);
    if (!target_)
      return give_up(std::move(error), GaveUp::not_retryable);
    const auto next = series_.failed(now(), assessment);
    if (const auto* end = std::get_if<RetrySeries::GiveUp>(&next))
      return give_up(std::move(error), end->reason);
    last_error_ = std::move(error);
    wake_up_at(std::get<RetrySeries::Retry>(next).due);
  }

  void wake_up_at(Instant due) {
    due_ = due;
    keep_alive_ = ctrl(); // the timer holds no reference
    wake_at(due);
  }

  void give_up(caf::error error, GaveUp reason) {
    finish({.error = std::move(error), .gave_up = reason});
  }

  void give_up(const HeldBack& held_back) {
    finish({.error = last_error_ ? std::move(last_error_) : held_back_error(held_back, now()),
            .gave_up = GaveUp::held_back,
            .held_back_by = held_back.reason,
            .come_back_in = come_back_in(held_back, now())});
  }

  void finish(RetriedReply result) {
    reply(std::move(result));
    quit();
  }

  void reply(RetriedReply result) {
    result.attempts = static_cast<std::uint32_t>(std::min<std::uint64_t>(attempt_, UINT32_MAX));
    result.elapsed = series_.elapsed(now());
    compat::respond(caller_, caf::make_message(std::move(result)));
    owes_reply_ = false;
  }

  caf::actor caller() const { return caf::actor_cast<caf::actor>(caller_.client); }

  caf::actor target_; // none once it has ended
  caf::message message_;
  ErrorPredicate predicate_;
  SharedGuard guard_;
  detail::GuardedCalls calls_{guard_};
  RetrySeries series_;
  compat::OpenRequest caller_; // none before the first attempt
  std::uint64_t attempt_ = 0;  // the attempts made; also the name of the last one
  bool has_begun_ = false;
  bool owes_reply_ = false;
  bool is_trying_ = false;
  std::optional<Instant> due_; // the end of the attempt, or of the delay
  caf::error last_error_;
  caf::strong_actor_ptr keep_alive_;
};

} // namespace

Problems check(const RetryRequestOptions& options) {
  Problems problems{"RetryRequestOptions"};
  problems.add_nested("limits", check(options.limits));
  detail::check_costs(problems, options.by_reason, options.guard);
  return problems;
}

namespace detail {

RetryingHandle spawn_retrying(caf::actor_system& system, RetryRequest request) {
  require_init(system);
  auto problems = check(request.options);
  if (!request.target)
    problems.add("target", "an invalid handle", "the handle of an actor");
  problems.raise_if_any();
  return caf::actor_cast<RetryingHandle>(
    system.spawn<RetryingActor, caf::lazy_init>(std::move(request)));
}

} // namespace detail

} // namespace backoff_actor
