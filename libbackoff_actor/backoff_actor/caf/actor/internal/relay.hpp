#pragma once

// Internal base of the actors that stand in front of another; not for their users.

#include "backoff_actor/caf/actor/internal/requesting_actor.hpp"
#include "backoff_actor/caf/compat/internal/caf_parts.hpp"
#include "backoff_actor/caf/messages/errors.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/sec.hpp>

#include <cstdint>
#include <map>
#include <utility>

namespace backoff_actor::detail {

// An actor in front of a target. It sends each message on as a request of its own, and returns the
// answer to the client. An error of the target may be the reason for which the target is about to
// end. So the error is passed on only once the target has answered a later probe, or has ended.
//
// It holds no CAF promise. So it lives as long as somebody has a handle to it or can still answer
// it. When it ends, it refuses the open requests.
//
// `Note` is what a derived class remembers of each call.
template <class Note>
class Relay : public compat::RequestingActor {
public:
  void on_exit() override {
    // This actor was told to end, or nobody has a handle to it or can still answer it. So the
    // refusals have no sender.
    for (auto& [name, call] : calls_)
      fail(call, caf::make_error(caf::sec::request_receiver_down), nullptr);
    calls_.clear();
    if (target_)
      unwatch_actor(target_);
    // The destructor of the handle may lead back to this actor.
    target_ = nullptr;
    RequestingActor::on_exit();
  }

protected:
  struct Call {
    compat::OpenRequest client;
    Note note;
    caf::error error; // of the target, kept until the target has answered a probe or has ended
  };

  using Calls = std::map<std::uint64_t, Call>; // by name; names increase

  Relay(caf::actor_config& config, caf::actor target)
    : RequestingActor(config), target_(std::move(target)) {
    compat::keep_cause(*this);
  }

  // Is called for each answer of the target, before it is passed on. The error is null for a value.
  virtual void on_answer(Call&, const caf::error*) {}
  // Is called when a call ends, or is given up, without an answer of the target.
  virtual void on_no_answer(Call&) {}
  // Is called when a call is over.
  virtual void on_call_over() {}
  // Gives the target's answer to the client.
  virtual void give_answer(const compat::OpenRequest& client, caf::message answer) {
    compat::respond(client, std::move(answer), ctrl());
  }

  // Sends a request to the target. Returns the call's name, which is higher than all before it.
  std::uint64_t relay(compat::OpenRequest client, Note note, caf::message payload) {
    return relay_to(target_, std::move(client), std::move(note), std::move(payload));
  }

  // The same with another receiver.
  std::uint64_t relay_to(const caf::actor& receiver, compat::OpenRequest client, Note note,
                         caf::message payload) {
    calls_.emplace_hint(calls_.end(), ++last_name_, Call{std::move(client), std::move(note), {}});
    make_request(last_name_, receiver, std::move(payload), compat::Priority::normal);
    return last_name_;
  }

  // Refuses a call. An error that was kept has precedence over `error`.
  void fail(Call& call, caf::error error, const caf::strong_actor_ptr& from) {
    on_no_answer(call);
    refuse(call.client, call.error ? std::move(call.error) : std::move(error), from);
  }

  static void refuse(const compat::OpenRequest& client, caf::error error,
                     const caf::strong_actor_ptr& from) {
    if (client.is_request())
      compat::respond(client, caf::make_message(std::move(error)), from);
  }

  caf::actor target_; // none once it has ended
  Calls calls_;

private:
  // A probe has the name of its call with this bit set. The names of calls are lower.
  static constexpr std::uint64_t probe_bit = std::uint64_t{1} << 58;

  void on_response(std::uint64_t name, caf::message&& content,
                   const caf::strong_actor_ptr& from) final {
    const auto it = calls_.find(name & ~probe_bit);
    if (it == calls_.end())
      return;
    auto& call = it->second;
    const auto* error =
      content.match_elements<caf::error>() ? &content.get_as<caf::error>(0) : nullptr;
    if ((name & probe_bit) != 0) {
      if (!error) // otherwise the target has ended, and its down message follows
        end(it, caf::make_message(std::move(call.error)));
      return;
    }
    on_answer(call, error);
    if (error && may_be_of_an_end(*error, from) && probe(name | probe_bit, target_))
      call.error = *error;
    else
      end(it, std::move(content));
  }

  void end(typename Calls::iterator it, caf::message content) {
    const auto client = std::move(it->second.client);
    calls_.erase(it);
    const auto is_error = content.match_elements<caf::error>();
    if (client.is_request() || (client.client && !is_error && !content.empty()))
      give_answer(client, std::move(content));
    on_call_over();
  }

  // Whether the error may come from the end of the target. An error that the target sent may be the
  // reason for which it ends. An error that CAF made because a receiver was gone may be about the
  // target, and may come before the report of its end.
  bool may_be_of_an_end(const caf::error& error, const caf::strong_actor_ptr& from) const {
    if (!target_)
      return false;
    return from ? from->get() == caf::actor_cast<caf::abstract_actor*>(target_)
                : compat::is_bounce(error);
  }

  std::uint64_t last_name_ = 0;
};

} // namespace backoff_actor::detail
