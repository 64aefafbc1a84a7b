#include "backoff_actor/caf/guarded.hpp"

#include "backoff_actor/caf/messages.hpp"

#include <caf/sec.hpp>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

class GuardedActor final : public seam::RequestingActor {
public:
  GuardedActor(caf::actor_config& config, caf::actor target, SharedGuard guard,
               GuardedOptions options)
    : RequestingActor(config), target_(std::move(target)), guard_(std::move(guard)),
      options_(std::move(options)) {
    seam::keep_cause(*this);
  }

  const char* name() const override { return "backoff_actor.guarded"; }

  caf::behavior make_behavior() override {
    watch(target_);
    return complete([this](const WakeUp&) { look_at_clock(); });
  }

  void on_exit() override {
    // Somebody ended this actor, or nobody is left who could answer, or know it: so it has no name
    // any more in which to answer.
    for (auto& [name, call] : calls_) {
      forget(call);
      refuse(call.client, caf::make_error(caf::sec::request_receiver_down), nullptr);
    }
    calls_.clear();
    if (target_)
      unwatch(target_);
    // What is let go of may lead back here.
    target_ = nullptr;
    options_ = {};
    RequestingActor::on_exit();
  }

private:
  struct Call {
    seam::OpenRequest client;
    Permit permit; // none once the guard has been told
    Instant due;   // when it is a failure
  };

  // -- what comes ---------------------------------------------------------------------

  void on_message(caf::message payload) override {
    const auto client = open_request();
    if (!target_)
      return refuse(client, caf::make_error(caf::sec::request_receiver_down), ctrl());
    const auto answer = guard_.admit(now(), backoff_actor::Call::first);
    if (const auto* held_back = std::get_if<HeldBack>(&answer))
      return refuse(client, held_back_error(*held_back, now()), ctrl());
    const auto due = now() + options_.call_timeout;
    calls_.emplace_hint(calls_.end(), ++last_name_, Call{client, std::get<Permit>(answer), due});
    if (!is_wake_up_due_)
      wake_up_at(due);
    make_request(last_name_, target_, std::move(payload), seam::Priority::normal);
  }

  void on_response(std::uint64_t name, caf::message content,
                   const caf::strong_actor_ptr&) override {
    const auto it = calls_.find(name);
    if (it == calls_.end())
      return;
    auto call = std::move(calls_.extract(it).mapped());
    if (content.match_elements<caf::error>()) {
      auto& error = content.get_mutable_as<caf::error>(0);
      if (call.permit)
        tell_guard(std::exchange(call.permit, {}), error);
      refuse(call.client, std::move(error), ctrl());
    } else {
      if (call.permit)
        guard_.succeeded(std::exchange(call.permit, {}), now());
      answer(call.client, std::move(content));
    }
    end_if_done();
  }

  void on_down(const caf::actor_addr&, const caf::error& reason) override {
    // Those that are late already are not waited for.
    const auto may_have_passed_on = !reason && target_.node() == node();
    const auto waited_for = may_have_passed_on ? calls_.lower_bound(first_in_time_) : calls_.end();
    target_ = nullptr;
    for (auto it = calls_.begin(); it != waited_for; it = calls_.erase(it)) {
      forget(it->second);
      refuse(it->second.client, seam::receiver_down(system(), reason), ctrl());
    }
    if (may_have_passed_on)
      end_if_done();
    else
      quit(reason);
  }

  // Calls are due in the order of their names.
  void look_at_clock() {
    is_wake_up_due_ = false;
    auto it = calls_.lower_bound(first_in_time_);
    while (it != calls_.end() && it->second.due <= now()) {
      first_in_time_ = it->first + 1;
      it = is_late(it->second) ? calls_.erase(it) : std::next(it);
    }
    if (it != calls_.end())
      wake_up_at(it->second.due);
    end_if_done();
  }

  // Whether the call is not waited for any longer.
  bool is_late(Call& call) {
    if (!target_) {
      forget(call);
      refuse(call.client, caf::make_error(caf::sec::request_receiver_down), ctrl());
      return true;
    }
    if (call.client.is_request())
      guard_.failed(std::exchange(call.permit, {}), now());
    else
      forget(call);
    return !call.client.client;
  }

  // -- what is done -------------------------------------------------------------------

  void tell_guard(Permit permit, const caf::error& error) {
    if (detail::says_nothing_of_service(error))
      guard_.forgotten(permit, now());
    else if (options_.predicate(error).kind == Assessment::Kind::retryable)
      guard_.failed(permit, now());
    else
      guard_.succeeded(permit, now());
  }

  void forget(Call& call) {
    if (call.permit)
      guard_.forgotten(std::exchange(call.permit, {}), now());
  }

  void answer(const seam::OpenRequest& client, caf::message content) {
    if (client.is_request() || (client.client && !content.empty()))
      seam::respond(client, std::move(content), ctrl());
  }

  static void refuse(const seam::OpenRequest& client, caf::error error,
                     const caf::strong_actor_ptr& from) {
    if (client.is_request())
      seam::respond(client, caf::make_message(std::move(error)), from);
  }

  void wake_up_at(Instant due) {
    is_wake_up_due_ = true;
    wake_at(due);
  }

  void end_if_done() {
    if (!target_ && calls_.empty())
      quit();
  }

  caf::actor target_; // none once it has ended
  SharedGuard guard_;
  GuardedOptions options_;
  std::map<std::uint64_t, Call> calls_; // by name, which are given in order
  std::uint64_t last_name_ = 0;
  std::uint64_t first_in_time_ = 0; // the calls before this were told to be failures
  bool is_wake_up_due_ = false;
};

} // namespace

Problems check(const GuardedOptions& options) {
  Problems problems;
  if (options.call_timeout <= Duration::zero())
    problems.add("call_timeout", to_string(options.call_timeout), "more than 0ns");
  return problems;
}

namespace detail {

caf::actor spawn_guarded(const caf::actor& target, SharedGuard guard, GuardedOptions options) {
  auto problems = check(options);
  if (!target)
    problems.add("target", "an invalid handle", "the handle of an actor");
  if (!guard)
    problems.add("guard", "none", "a guard");
  problems.raise_if_any();
  return target->home_system().spawn<GuardedActor>(target, std::move(guard), std::move(options));
}

} // namespace detail

} // namespace backoff_actor
