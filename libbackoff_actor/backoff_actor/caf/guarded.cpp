#include "backoff_actor/caf/guarded.hpp"

#include "backoff_actor/caf/messages.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
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
    for (auto& [name, call] : calls_)
      fail(call, caf::make_error(caf::sec::request_receiver_down), nullptr);
    calls_.clear();
    if (target_)
      unwatch(target_);
    // What is let go of may lead back here.
    target_ = nullptr;
    options_ = {};
    guard_ = {};
    RequestingActor::on_exit();
  }

private:
  struct Call {
    seam::OpenRequest client;
    Permit permit;    // none once the guard has been told
    Instant due;      // when it is a failure
    caf::error error; // of the target, kept until that has shown that it lives, or has ended of it
  };

  // The names of calls are less; a probe has that of the call, and this bit.
  static constexpr std::uint64_t probe_bit = std::uint64_t{1} << 58;

  // -- what comes ---------------------------------------------------------------------

  void on_message(caf::message payload) override {
    const auto client = open_request();
    if (!target_)
      return refuse(client, caf::make_error(caf::sec::request_receiver_down), ctrl());
    const auto answer = guard_.admit(now(), backoff_actor::Call::first);
    if (const auto* held_back = std::get_if<HeldBack>(&answer))
      return refuse(client, held_back_error(*held_back, now()), ctrl());
    const auto due = now() + options_.call_timeout;
    calls_.emplace_hint(calls_.end(), ++last_name_,
                        Call{client, std::get<Permit>(answer), due, {}});
    if (!is_wake_up_due_)
      wake_up_at(due);
    make_request(last_name_, target_, std::move(payload), seam::Priority::normal);
  }

  void on_response(std::uint64_t name, caf::message content,
                   const caf::strong_actor_ptr& from) override {
    const auto it = calls_.find(name & ~probe_bit);
    if (it == calls_.end())
      return;
    auto& call = it->second;
    const auto* error =
      content.match_elements<caf::error>() ? &content.get_as<caf::error>(0) : nullptr;
    if ((name & probe_bit) != 0) {
      if (!error) // otherwise it has ended, which will be told
        end(it, caf::make_message(std::move(call.error)));
      return;
    }
    tell_guard(call, error);
    if (error && comes_from_target(from) && probe(name | probe_bit, target_))
      call.error = *error;
    else
      end(it, std::move(content));
  }

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
      fail(call, seam::receiver_down(system(), reason), ctrl());
      it = calls_.erase(it);
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
      fail(call, caf::make_error(caf::sec::request_receiver_down), ctrl());
      return true;
    }
    if (call.permit && call.client.is_request())
      guard_.failed(std::exchange(call.permit, {}), now());
    forget(call);
    return !call.client.client;
  }

  // -- what is done -------------------------------------------------------------------

  void tell_guard(Call& call, const caf::error* error) {
    if (!call.permit)
      return;
    const auto permit = std::exchange(call.permit, {});
    if (!error)
      guard_.succeeded(permit, now());
    else if (detail::says_nothing_of_service(*error))
      guard_.forgotten(permit, now());
    else if (options_.predicate(*error).kind == Assessment::Kind::retryable)
      guard_.failed(permit, now());
    else
      guard_.succeeded(permit, now());
  }

  void forget(Call& call) {
    if (call.permit)
      guard_.forgotten(std::exchange(call.permit, {}), now());
  }

  // An error that was kept goes before any other.
  void fail(Call& call, caf::error error, const caf::strong_actor_ptr& from) {
    forget(call);
    refuse(call.client, call.error ? std::move(call.error) : std::move(error), from);
  }

  void end(std::map<std::uint64_t, Call>::iterator it, caf::message content) {
    const auto client = std::move(it->second.client);
    calls_.erase(it);
    const auto is_error = content.match_elements<caf::error>();
    if (client.is_request() || (client.client && !is_error && !content.empty()))
      seam::respond(client, std::move(content), ctrl());
    end_if_done();
  }

  static void refuse(const seam::OpenRequest& client, caf::error error,
                     const caf::strong_actor_ptr& from) {
    if (client.is_request())
      seam::respond(client, caf::make_message(std::move(error)), from);
  }

  // Such an error may be that of which the target is about to end.
  bool comes_from_target(const caf::strong_actor_ptr& from) const {
    return target_ && from && from->get() == caf::actor_cast<caf::abstract_actor*>(target_);
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
