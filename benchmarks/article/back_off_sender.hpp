#pragma once

// The article's `BackOffProtocol`, `DangerousActor` and `BackOffSender`.

#include "backoff_actor/backoff/exponential_back_off.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"
#include "backoff_actor/caf/compat/compat.hpp"

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace transcription {

/// What clients send, and what they get back.
struct Msg {
  std::uint64_t id = 0; ///< chosen by the client; `Sent` names no more than this
  std::string data;
};

/// What the dangerous actor gets. The sender of the message is the `BackOffSender`, the article's
/// `context.parent`.
struct TrackedMsg {
  Msg msg;
  caf::actor sender; ///< of `msg`
};

/// The dangerous actor's word to the `BackOffSender` that a message is done.
struct Sent {
  std::uint64_t id = 0;
};

/// A `BackOffSender`'s word to itself; in the article the string "tick".
struct Tick {};

template <class Inspector>
auto inspect(Inspector& f, Msg& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::Msg", compat::field("id", x.id),
                        compat::field("data", x.data));
}

template <class Inspector>
auto inspect(Inspector& f, TrackedMsg& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::TrackedMsg", compat::field("msg", x.msg),
                        compat::field("sender", x.sender));
}

template <class Inspector>
auto inspect(Inspector& f, Sent& x) {
  namespace compat = backoff_actor::compat;
  return compat::object(f, x, "transcription::Sent", compat::field("id", x.id));
}

template <class Inspector>
auto inspect(Inspector& f, Tick& x) {
  return backoff_actor::compat::object(f, x, "transcription::Tick");
}

} // namespace transcription

CAF_BEGIN_TYPE_ID_BLOCK(transcription, caf::first_custom_type_id)
  CAF_ADD_TYPE_ID(transcription, (transcription::Msg))
  CAF_ADD_TYPE_ID(transcription, (transcription::TrackedMsg))
  CAF_ADD_TYPE_ID(transcription, (transcription::Sent))
  CAF_ADD_TYPE_ID(transcription, (transcription::Tick))
CAF_END_TYPE_ID_BLOCK(transcription)

namespace transcription {

/// The article's `DangerousResource`: answers `data`, or throws.
using DangerousResource = std::function<std::string(const std::string& data)>;

/// The article's `DangerousActor`: ends the moment the resource throws.
class DangerousActor : public caf::event_based_actor {
public:
  /// Is called by CAF.
  DangerousActor(caf::actor_config& config, DangerousResource resource)
    : caf::event_based_actor(config), resource_(std::move(resource)) {}

  caf::behavior make_behavior() override {
    return {
      [this](const TrackedMsg& tracked) {
        auto response = resource_(tracked.msg.data);
        // In this order: whoever dies in between has told the BackOffSender.
        send(caf::actor_cast<caf::actor>(current_sender()), Sent{tracked.msg.id});
        if (tracked.sender)
          send(tracked.sender, Msg{tracked.msg.id, std::move(response)});
      },
    };
  }

private:
  DangerousResource resource_;
};

/// What a `BackOffSender` has done. The article has none of this.
///
/// @thread the sender's; others when it is at rest.
struct Counts {
  std::uint64_t crashes = 0;                   ///< `Terminated` that came
  std::uint64_t hand_overs = 0;                ///< messages sent to children, dead ones included
  backoff_actor::ExponentialBackOff backoff{}; ///< as it stands
};

/// The article's `BackOffSender`, statement by statement, its defects included: what CAF programs
/// would have that took the article at its word, and what this library is measured against.
///
/// Accepts `Msg` by plain sends; the dangerous actor answers. What CAF has no equal of:
/// - A parent: the dangerous actor is watched, and is ended when this actor ends.
/// - The implicit sender of a forwarded message: it is `TrackedMsg::sender`.
///
/// Its types are those of `caf::id_block::transcription`.
///
/// @errors what `dangerous_props` throws ends this actor.
/// @source Roestenburg, "Exponential Backoff with Akka Actors", and its code in `patterns`, 2012.
class BackOffSender : public caf::event_based_actor {
public:
  /// Is called by CAF; `counts` may be null.
  BackOffSender(caf::actor_config& config, backoff_actor::ChildFactory dangerous_props,
                const backoff_actor::ExponentialBackOffSpec& backoff = {},
                std::shared_ptr<Counts> counts = nullptr);

  caf::behavior make_behavior() override;

  void on_exit() override;

private:
  void create_dangerous_actor();
  void forward(const TrackedMsg& tracked);
  void schedule_tick();
  void on_msg(const Msg& msg);
  void on_tick();
  void on_terminated();
  void on_sent(const Sent& sent);

  backoff_actor::ChildFactory dangerous_props_;
  backoff_actor::ExponentialBackOff backoff_;
  std::shared_ptr<Counts> counts_;
  caf::actor dangerous_actor_;
  std::vector<TrackedMsg> possibly_failed_; // in order of arrival
  bool has_schedule_result_ = false;        // the article never uses more of `scheduleResult`
};

} // namespace transcription
