#pragma once

#include "article/back_off_protocol.hpp"

#include "backoff_actor/backoff/exponential_back_off.hpp"
#include "backoff_actor/caf/child/child_factory.hpp"

#include <caf/event_based_actor.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace transcription {

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
