#include "backoff_actor/caf/request/guarded.hpp"

#include "backoff_actor/caf/actor/internal/relay.hpp"
#include "backoff_actor/caf/messages/errors.hpp"
#include "backoff_actor/caf/messages/internal/error_parts.hpp"
#include "backoff_actor/caf/messages/internal/own_words.hpp"
#include "backoff_actor/caf/messages/internal/require_init.hpp"
#include "backoff_actor/core/internal/check_span.hpp"

#include <caf/sec.hpp>

#include <cstdint>
#include <iterator>
#include <utility>
#include <variant>

namespace backoff_actor {

namespace {

struct GuardedCall {
  Permit permit; // none once the guard has been told
  Instant due;   // when it counts as a failure
};

class GuardedActor final : public detail::Relay<GuardedCall> {
public:
  GuardedActor(caf::actor_config& config, caf::actor target, SharedGuard guard,
               GuardedOptions options)
    : Relay(config, std::move(target)), guard_(std::move(guard)), options_(std::move(options)) {}

  const char* name() const override { return "backoff_actor.guarded"; }

  caf::behavior make_behavior() override {
    watch_actor(target_);
    return complete([this](const WakeUp&) { look_at_clock(); });
  }

  void on_exit() override {
    Relay::on_exit();
    // The destructors of these members may lead back to this actor.
    options_ = {};
    guard_ = {};
  }

private:
  // -- messages and answers -----------------------------------------------------------

  void on_message(caf::message&& payload) override {
    auto client = open_request();
    if (!target_)
      return refuse(client, caf::make_error(caf::sec::request_receiver_down), ctrl());
    const auto answer = guard_.admit(now(), backoff_actor::Call::first);
    if (const auto* held_back = std::get_if<HeldBack>(&answer))
      return refuse(client, held_back_error(*held_back, now()), ctrl());
    const auto due = now() + options_.call_timeout;
    if (!is_wake_up_due_)
      wake_up_at(due);
    relay(std::move(client), {std::get<Permit>(answer), due}, std::move(payload));
  }

  void on_answer(Call& call, const caf::error* error) override {
    if (!call.note.permit)
      return;
    const auto permit = std::exchange(call.note.permit, {});
    if (!error)
      guard_.succeeded(permit, now());
    else if (detail::says_nothing_of_service(*error))
      guard_.forgotten(permit, now());
    else if (options_.predicate(*error).kind == Assessment::Kind::retryable)
      guard_.failed(permit, now());
    else
      guard_.succeeded(permit, now());
  }

  void on_no_answer(Call& call) override {
    if (call.note.permit)
      guard_.forgotten(std::exchange(call.note.permit, {}), now());
  }

  void on_call_over() override { end_if_done(); }

  void on_down(const caf::actor_addr&, const caf::error& reason) override {
    const auto may_have_passed_on = !reason && target_.node() == node();
    target_ = nullptr;
    for (auto it = calls_.begin(); it != calls_.end();) {
      auto& [name, call] = *it;
      const auto is_late = name < first_in_time_;
      if (may_have_passed_on && !call.error && !is_late) {
        ++it;
        continue;
      }
      fail(call, compat::receiver_down(system(), reason), ctrl());
      it = calls_.erase(it);
    }
    if (may_have_passed_on)
      end_if_done();
    else
      quit(reason);
  }

  // -- time ---------------------------------------------------------------------------

  // All calls have the same timeout, so they become due in the order of their names.
  void look_at_clock() {
    is_wake_up_due_ = false;
    auto it = calls_.lower_bound(first_in_time_);
    while (it != calls_.end() && it->second.note.due <= now()) {
      first_in_time_ = it->first + 1;
      it = is_late(it->second) ? calls_.erase(it) : std::next(it);
    }
    if (it != calls_.end())
      wake_up_at(it->second.note.due);
    end_if_done();
  }

  // Handles a call that was not answered in time. Returns whether to drop it.
  bool is_late(Call& call) {
    if (!target_) {
      fail(call, caf::make_error(caf::sec::request_receiver_down), ctrl());
      return true;
    }
    if (call.note.permit && call.client.is_request())
      guard_.failed(std::exchange(call.note.permit, {}), now());
    on_no_answer(call);
    return !call.client.client;
  }

  void wake_up_at(Instant due) {
    is_wake_up_due_ = true;
    wake_at(due);
  }

  void end_if_done() {
    if (!target_ && calls_.empty())
      quit();
  }

  SharedGuard guard_;
  GuardedOptions options_;
  std::uint64_t first_in_time_ = 0; // the timeouts of all calls before this one were handled
  bool is_wake_up_due_ = false;
};

} // namespace

Problems check(const GuardedOptions& options) {
  Problems problems{"GuardedOptions"};
  detail::check_time(problems, "call_timeout", options.call_timeout);
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
  require_init(target->home_system());
  return target->home_system().spawn<GuardedActor>(target, std::move(guard), std::move(options));
}

} // namespace detail

} // namespace backoff_actor
